/* Materialising into chunk files, for the disk cache and the snapshot. */
#ifndef STK_PIPELINE_SUPPORT_CHUNK_STORE_H
#define STK_PIPELINE_SUPPORT_CHUNK_STORE_H

#include "pipeline/support/chunk_file.h"

/* The operator's state. Its open sets location and materializer.ops. */
typedef struct stk_chunk_store {
    stk_materializer   materializer; /* first */
    stk_chunk_location location;
    stk_lock          *lock;
    stk_chunk_writer  *writer;
    stk_chunk_reader  *reader;
    char              *directory; /* owned unless location.directory is the parameters' */
    char              *pending;   /* owned: the file that marks a writer; NULL: none */
} stk_chunk_store;

/* Entries for stk_materializer_ops. */
stk_status stk_chunk_store_find(stk_node *node, bool *found, stk_materialized_epoch *pass,
                                stk_error *err);
stk_status stk_chunk_store_add(stk_node *node, stk_element **element, stk_error *err);
stk_status stk_chunk_store_finish(stk_node *node, stk_error *err);
void       stk_chunk_store_drop(stk_node *node);
stk_status stk_chunk_store_read(stk_node *node, stk_element **out, stk_error *err);
stk_status stk_chunk_store_skip(stk_node *node, uint64_t count, uint64_t *skipped, stk_error *err);

/* For begin: makes and locks the folder. STK_E_BUSY if another writer holds it or has finished
 * meanwhile. */
STK_NODISCARD stk_status stk_chunk_store_lock(stk_node *node, stk_error *err);
/* Then: removes the chunks of interrupted writers and opens the writer. */
STK_NODISCARD stk_status stk_chunk_store_write(stk_node *node, stk_error *err);

/* For the operator's close: drops everything and frees the state. */
void stk_chunk_store_close(stk_node *node);

#endif
