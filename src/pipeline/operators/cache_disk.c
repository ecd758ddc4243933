/* cache on disk: the elements of the first complete epoch, in a folder of chunks. */
#include "pipeline/operators/cache.h"
#include "pipeline/support/chunk_store.h"

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    (void)data;
    /* Not where: the same pipeline may have its cache elsewhere on another machine. */
    return stk_describe(out, err, "on disk");
}

static stk_status begin(stk_node *node, const stk_materialized_epoch *pass, stk_error *err)
{
    (void)pass;
    const stk_chunk_store *s = STK_STATE(stk_chunk_store, node);
    const stk_status       st = stk_chunk_store_lock(node, err);
    if (st == STK_E_BUSY)
        return stk_fail(err, STK_E_EXISTS, "cache", s->location.directory,
                        "another iterator or process is writing this cache or has just done so; "
                        "start again when it is complete, or name another directory. This pass "
                        "goes on without the cache");
    STK_TRY(st);
    return stk_chunk_store_write(node, err);
}

static const stk_materializer_ops recorder_ops = {
    .find = stk_chunk_store_find,
    .begin = begin,
    .add = stk_chunk_store_add,
    .finish = stk_chunk_store_finish,
    .drop = stk_chunk_store_drop,
    .read = stk_chunk_store_read,
    .skip = stk_chunk_store_skip,
    .how = "To cache a part of the data write take(n).cache(), not cache().take(n)",
};

static stk_status open(stk_node *node, stk_error *err)
{
    const stk_cache_params *p = node->plan->params;
    stk_chunk_store        *s = STK_STATE(stk_chunk_store, node);
    s->materializer.ops = &recorder_ops;
    s->location = (stk_chunk_location){.component = "cache",
                                       .directory = p->directory,
                                       .fs = p->fs,
                                       .fingerprint = p->input->fingerprint,
                                       .compression = STK_COMPRESSION_NONE,
                                       .ledger = stk_run_options_of(node->run)->ledger};
    return stk_dataset_content(p->input, &s->location.content, err);
}

const stk_operator stk_operator_cache_disk = {
    .name = "cache",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .params_bytes = sizeof(stk_cache_params),
    .release_params = stk_cache_release_params,
    .check = stk_cache_check,
    .cardinality = stk_cache_cardinality,
    .describe = describe,
    .state_bytes = sizeof(stk_chunk_store),
    .open = open,
    .next = stk_materializer_next,
    .close = stk_chunk_store_close,
    .save = stk_materializer_save,
    .restore = stk_materializer_restore,
};
