/* Elements stored in a folder: chunk files, each a TFRecord file of serialised elements, and a list
 * of them written last. Without the list nothing is stored; chunks missing in it belong to an
 * interrupted writer. */
#ifndef STK_PIPELINE_SUPPORT_CHUNK_FILE_H
#define STK_PIPELINE_SUPPORT_CHUNK_FILE_H

#include "pipeline/support/materializer.h"

#include <stoker/tfrecord.h>

enum { STK_CHUNK_BYTES = 64 << 20 }; /* default for one chunk, before compression */

/* Location and format. Strings are borrowed by readers and writers. */
typedef struct stk_chunk_location {
    const char           *component; /* a literal, for messages */
    const char           *directory;
    const stk_filesystem *fs;
    uint64_t              fingerprint; /* of the pipeline that produced the elements */
    uint64_t              content;     /* of its files; 0: unknown */
    stk_compression       compression; /* used by writers */
    uint64_t              chunk_bytes; /* 0: the default */
    stk_ledger           *ledger;
} stk_chunk_location;

typedef struct stk_chunk_writer stk_chunk_writer;

/* The folder must exist, locked by the caller if the store has locks. */
STK_NODISCARD stk_status stk_chunk_writer_open(stk_chunk_writer        **out,
                                               const stk_chunk_location *location, stk_error *err);
/* Adds an element. After a failure only free may follow. */
STK_NODISCARD stk_status stk_chunk_writer_add(stk_chunk_writer *writer, const stk_element *element,
                                              stk_error *err);
/* Writes the list. STK_OK: all elements are durable and complete. */
STK_NODISCARD stk_status stk_chunk_writer_finish(stk_chunk_writer             *writer,
                                                 const stk_materialized_epoch *pass,
                                                 stk_error                    *err);
/* Removes the chunks unless finished. NULL is fine. */
void stk_chunk_writer_free(stk_chunk_writer *writer);

/* Removes chunks of interrupted writers. Only under the lock. */
STK_NODISCARD stk_status stk_chunks_clean(const stk_chunk_location *location, stk_error *err);

typedef struct stk_chunk_reader stk_chunk_reader;

/* Opens a reader; *out is NULL without a list. A list with another fingerprint or, if both are
 * known, other content is STK_E_INVALID. */
STK_NODISCARD stk_status stk_chunk_reader_open(stk_chunk_reader        **out,
                                               const stk_chunk_location *location,
                                               stk_materialized_epoch *pass, stk_error *err);
/* Reads the next element; NULL at the end. A damaged chunk is STK_E_DATALOSS naming file and
 * offset; the next call continues with the next chunk. */
STK_NODISCARD stk_status stk_chunk_reader_next(stk_chunk_reader *reader, stk_element **out,
                                               stk_error *err);
STK_NODISCARD stk_status stk_chunk_reader_skip(stk_chunk_reader *reader, uint64_t count,
                                               uint64_t *skipped, stk_error *err);
/* NULL is fine. */
void stk_chunk_reader_free(stk_chunk_reader *reader);

/* The format: file names of list and chunks, and the content of a list. */
#define STK_CHUNK_LIST "complete"
enum { STK_CHUNK_VERSION = 2, STK_CHUNK_NAME = 64, STK_CHUNK_LIST_BYTES_MAX = 16 << 20 };

typedef struct stk_chunk_list {
    uint64_t               fingerprint, content;
    uint64_t               token; /* random, in the names of the writer's chunks */
    stk_materialized_epoch pass;
    uint64_t               chunks;
    stk_blob               counts; /* uint64_t elements of each chunk */
} stk_chunk_list;

/* "chunk-TOKEN-00012"; returns name. */
char *stk_chunk_name(char name[STK_CHUNK_NAME], uint64_t token, uint64_t index);
/* Encodes and decodes a list. Decoding allocates into list->counts, which is initialised. */
STK_NODISCARD stk_status stk_chunk_list_encode(const stk_chunk_list *list, stk_blob *out,
                                               stk_error *err);
STK_NODISCARD stk_status stk_chunk_list_decode(stk_chunk_list *list, stk_bytes bytes,
                                               const char *component, stk_error *err);
/* Sets *found to false without the folder or the list. list->counts is initialised. */
STK_NODISCARD stk_status stk_chunk_list_read(stk_chunk_list           *list,
                                             const stk_chunk_location *location, bool *found,
                                             stk_error *err);

#endif
