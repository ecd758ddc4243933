/* stoker/record_index.h - where each record of a plain TFRecord file begins.
 * An index is built on first use by reading the records' headers, and kept beside the file as
 * ".NAME.stkidx": hidden, so that patterns such as NAME* do not pick it up as data. It is used
 * again only when the file's size and modification time and the index's own checksum agree, else
 * rebuilt. Where it cannot be written (a read-only folder) it lives in memory only. */
#ifndef STOKER_RECORD_INDEX_H
#define STOKER_RECORD_INDEX_H

#include <stoker/tfrecord.h>

STK_BEGIN_DECLS

typedef struct stk_record_index stk_record_index; /* immutable once open: any thread may ask */

typedef enum stk_index_origin {
    STK_INDEX_LOADED,  /* the kept index was sound and fresh */
    STK_INDEX_BUILT,   /* built now and kept */
    STK_INDEX_UNSAVED, /* built now, could not be kept */
} stk_index_origin;

/* A compressed file is STK_E_UNSUPPORTED: it has no random access. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_record_index_open(stk_record_index    **out,
                                                       const stk_filesystem *fs, const char *path,
                                                       const stk_tfrecord_options *options,
                                                       stk_error                  *err);
/* Reads an index file's content; for tools and tests. file describes the TFRecord file it must
 * belong to; STK_E_NOTFOUND when it is stale, STK_E_DATALOSS when it is damaged. */
STK_API STK_NODISCARD stk_status stk_record_index_decode(stk_record_index **out, stk_bytes content,
                                                         const stk_file_info *file,
                                                         const char *path, stk_ledger *ledger,
                                                         stk_error *err);
STK_API void                     stk_record_index_free(stk_record_index *index);
STK_API uint64_t                 stk_record_index_count(const stk_record_index *index);
STK_API stk_index_origin         stk_record_index_origin(const stk_record_index *index);
/* Of record number (must be below count): its header's offset and its data's length. */
STK_API uint64_t stk_record_index_offset(const stk_record_index *index, uint64_t number);
STK_API uint64_t stk_record_index_length(const stk_record_index *index, uint64_t number);

/* A file with its index: records by number, from any thread, each with a blob of its own. */
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
