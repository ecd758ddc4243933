/* Internals of the index for files with random access. */
#ifndef STK_STORAGE_RECORD_RECORD_INDEX_INTERNAL_H
#define STK_STORAGE_RECORD_RECORD_INDEX_INTERNAL_H

#include <stoker/record_index.h>

/* Of the TFRecord file the index belongs to. */
uint64_t stk_record_index_file_bytes(const stk_record_index *index);

/* For building: an index of no records, then each record's length in turn. */
STK_NODISCARD stk_status stk_record_index_new(stk_record_index **out, const char *path,
                                              stk_ledger *ledger, stk_error *err);
STK_NODISCARD stk_status stk_record_index_add(stk_record_index *index, uint64_t length,
                                              stk_error *err);
void stk_record_index_set_origin(stk_record_index *index, stk_index_origin origin);

/* Appends what an index file of the file described holds. */
STK_NODISCARD stk_status stk_record_index_encode(const stk_record_index *index,
                                                 const stk_file_info *file, stk_blob *content,
                                                 stk_error *err);

#endif
