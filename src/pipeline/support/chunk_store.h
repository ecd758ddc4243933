/* Recording into a folder of chunks: what the cache on disk and the snapshot share. */
#ifndef STK_PIPELINE_SUPPORT_CHUNK_STORE_H
#define STK_PIPELINE_SUPPORT_CHUNK_STORE_H

#include "pipeline/support/chunk_file.h"

/* The state of such a stage. Its open sets place (and recorder.ops). */
typedef struct stk_chunk_store {
    stk_materializer   materializer; /* first */
    stk_chunk_location location;
    stk_lock          *lock;
    stk_chunk_writer  *writer;
    stk_chunk_reader  *reader;
    char              *directory; /* owned, where place.directory is not the parameters' */
    char              *pending;   /* owned: the file that says that somebody writes; NULL: none */
} stk_chunk_store;

/* Entries for stk_materializer_ops. */
stk_status stk_chunk_store_find(stk_node *node, bool *found, stk_materialized_epoch *pass,
                                stk_error *err);
stk_status stk_chunk_store_add(stk_node *node, stk_element **element, stk_error *err);
stk_status stk_chunk_store_finish(stk_node *node, stk_error *err);
void       stk_chunk_store_drop(stk_node *node);
stk_status stk_chunk_store_read(stk_node *node, stk_element **out, stk_error *err);
stk_status stk_chunk_store_skip(stk_node *node, uint64_t count, uint64_t *skipped, stk_error *err);

/* For begin: makes the folder, locks it (STK_E_BUSY when another writes) and looks once more
 * whether somebody finished meanwhile, which is STK_E_BUSY as well. */
STK_NODISCARD stk_status stk_chunk_store_lock(stk_node *node, stk_error *err);
/* Then: clears what killed writers left and opens the writer. */
STK_NODISCARD stk_status stk_chunk_store_write(stk_node *node, stk_error *err);

/* For a stage's close: drops all and frees what it owns. */
void stk_chunk_store_close(stk_node *node);

#endif
