/* stoker/record_index.h - the offset of each record of an uncompressed TFRecord file. An index is
 * built on first use from the records' headers and stored beside the file as ".NAME.stkidx", hidden
 * from patterns such as NAME*. It is rebuilt unless the file's size and modification time and the
 * index's checksum agree. In a read-only folder it stays in memory. */
#ifndef STOKER_RECORD_INDEX_H
#define STOKER_RECORD_INDEX_H

#include <stoker/tfrecord.h>

STK_BEGIN_DECLS

typedef struct stk_record_index stk_record_index; /* immutable, thread-safe */

typedef enum stk_index_origin {
    STK_INDEX_LOADED,  /* loaded from disk, valid and fresh */
    STK_INDEX_BUILT,   /* built and stored */
    STK_INDEX_UNSAVED, /* built, could not be stored */
} stk_index_origin;

/* A compressed file is STK_E_UNSUPPORTED: it has no random access. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_record_index_open(stk_record_index    **out,
                                                       const stk_filesystem *fs, const char *path,
                                                       const stk_tfrecord_options *options,
                                                       stk_error                  *err);
/* Decodes the content of an index file; for tools and tests. file describes its TFRecord file.
 * STK_E_NOTFOUND if the index is stale, STK_E_DATALOSS if it is damaged. */
STK_API STK_NODISCARD stk_status stk_record_index_decode(stk_record_index **out, stk_bytes content,
                                                         const stk_file_info *file,
                                                         const char *path, stk_ledger *ledger,
                                                         stk_error *err);
STK_API void                     stk_record_index_free(stk_record_index *index);
STK_API uint64_t                 stk_record_index_count(const stk_record_index *index);
STK_API stk_index_origin         stk_record_index_origin(const stk_record_index *index);
/* Offset of the header and length of the data of a record; number must be below count. */
STK_API uint64_t stk_record_index_offset(const stk_record_index *index, uint64_t number);
STK_API uint64_t stk_record_index_length(const stk_record_index *index, uint64_t number);

/* A file with its index: random access from any thread, each with its own scratch blob. */
typedef struct stk_record_file stk_record_file;

STK_API STK_NODISCARD stk_status stk_record_file_open(stk_record_file     **out,
                                                      const stk_filesystem *fs, const char *path,
                                                      const stk_tfrecord_options *options,
                                                      stk_error                  *err);
STK_API void                     stk_record_file_free(stk_record_file *file);
STK_API const stk_record_index  *stk_record_file_index(const stk_record_file *file);
/* Reads record number into scratch, checks both checksums, and lends the bytes until scratch
 * changes. Past the end is STK_E_RANGE. */
STK_API STK_NODISCARD stk_status stk_record_file_read(stk_record_file *file, uint64_t number,
                                                      stk_blob *scratch, stk_record *record,
                                                      stk_error *err);

STK_END_DECLS
#endif
