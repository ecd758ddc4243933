/* Materialises elements in a folder of chunks. */
#include "pipeline/support/chunk_store.h"

#include <stdlib.h>

static stk_chunk_store *store_of(const stk_node *node)
{
    return node->state;
}

stk_status stk_chunk_store_find(stk_node *node, bool *found, stk_materialized_epoch *pass,
                                stk_error *err)
{
    stk_chunk_store *s = store_of(node);
    STK_TRY(stk_chunk_reader_open(&s->reader, &s->location, pass, err));
    *found = s->reader != NULL;
    return STK_OK;
}

/* Between find and lock another process may have come to its end. */
static stk_status check_unfinished(const stk_chunk_store *s, stk_error *err)
{
    stk_chunk_list list = {0};
    bool           found;
    stk_blob_init(&list.counts, s->location.ledger, STK_MEMORY_INDEX);
    stk_status st = stk_chunk_list_read(&list, &s->location, &found, err);
    stk_blob_release(&list.counts);
    if (!st && found)
        st = stk_fail(err, STK_E_BUSY, s->location.component, s->location.directory,
                      "another process has just finished it");
    return st;
}

stk_status stk_chunk_store_lock(stk_node *node, stk_error *err)
{
    stk_chunk_store *s = store_of(node);
    STK_TRY(stk_path_make_directory(s->location.fs, s->location.directory, err));
    STK_TRY(stk_path_lock(&s->lock, s->location.fs, s->location.directory, err));
    return check_unfinished(s, err);
}

stk_status stk_chunk_store_write(stk_node *node, stk_error *err)
{
    stk_chunk_store *s = store_of(node);
    if (s->lock) STK_TRY(stk_chunks_clean(&s->location, err));
    return stk_chunk_writer_open(&s->writer, &s->location, err);
}

stk_status stk_chunk_store_add(stk_node *node, stk_element **element, stk_error *err)
{
    return stk_chunk_writer_add(store_of(node)->writer, *element, err);
}

stk_status stk_chunk_store_finish(stk_node *node, stk_error *err)
{
    stk_chunk_store *s = store_of(node);
    STK_TRY(stk_chunk_writer_finish(s->writer, &s->materializer.pass, err));
    stk_chunk_store_drop(node);
    return STK_OK;
}

/* The writer removes unfinished chunks; the lock is released last, so that no process sees a
 * partial removal. */
void stk_chunk_store_drop(stk_node *node)
{
    stk_chunk_store *s = store_of(node);
    stk_chunk_reader_free(s->reader);
    stk_chunk_writer_free(s->writer);
    if (s->pending) (void)!stk_path_remove(s->location.fs, s->pending, NULL);
    stk_lock_release(s->lock);
    free(s->pending);
    s->reader = NULL;
    s->writer = NULL;
    s->pending = NULL;
    s->lock = NULL;
}

stk_status stk_chunk_store_read(stk_node *node, stk_element **out, stk_error *err)
{
    return stk_chunk_reader_next(store_of(node)->reader, out, err);
}

stk_status stk_chunk_store_skip(stk_node *node, uint64_t count, uint64_t *skipped, stk_error *err)
{
    return stk_chunk_reader_skip(store_of(node)->reader, count, skipped, err);
}

void stk_chunk_store_close(stk_node *node)
{
    stk_materializer_close(node);
    free(store_of(node)->directory);
}
