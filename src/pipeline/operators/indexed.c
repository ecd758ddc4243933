/* indexed: a user-defined source with random access, read in sequence. */
#include "pipeline/operators/indexed.h"

#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>

static void release_params(void *untyped)
{
    stk_user_source_free(((stk_indexed_params *)untyped)->source);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_indexed_params *p = data->params;
    if (!p->read)
        return stk_fail(err, STK_E_INVALID, "indexed", p->source->name,
                        "the source has no read; it must have one");
    if (p->count > INT64_MAX)
        return stk_fail(err, STK_E_INVALID, "indexed", p->source->name,
                        "the number of elements is %" PRIu64 "; at most %" PRId64 " are possible",
                        p->count, INT64_MAX);
    return stk_dataset_set_spec(data, &p->source->output, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return (int64_t)((const stk_indexed_params *)data->params)->count;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_indexed_params *p = data->params;
    STK_TRY(stk_blob_append(out, p->source->name, strlen(p->source->name), err));
    if (p->source->version) STK_TRY(stk_describe(out, err, "@%" PRIu64, p->source->version));
    return stk_describe(out, err, ", %" PRIu64, p->count);
}

static unsigned traits_of(const stk_dataset *data)
{
    return ((const stk_indexed_params *)data->params)->blocking ? STK_OPERATOR_BLOCKING : 0;
}

stk_status stk_indexed_read(const stk_indexed_params *params, const stk_call *call, uint64_t index,
                            stk_element **out, stk_error *err)
{
    *out = NULL;
    stk_user_source_before(err);
    stk_status st = params->read(params->source->context, call, index, out, err);
    if (!st && !*out)
        st = stk_fail(err, STK_E_INVALID, "indexed", NULL,
                      "the source gave no element, but says that it has %" PRIu64, params->count);
    return stk_user_source_after(params->source, st, call->epoch, index, out, err);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const stk_indexed_params *p = data->params;
    if (index >= p->count)
        return stk_fail(err, STK_E_RANGE, "indexed", p->source->name,
                        "element %" PRIu64 " was asked for; there are %" PRIu64, index, p->count);
    const stk_call call = {.ledger = ledger, .seed = data->salt, .index = index};
    return stk_indexed_read(p, &call, index, out, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const stk_indexed_params *p = node->plan->params;
    uint64_t                 *given = STK_STATE(uint64_t, node);
    STK_TRY(stk_cancel_check(stk_run_options_of(node->run)->cancel, "indexed", err));
    if (*given == p->count) return STK_OK;
    const uint64_t index = (*given)++;
    const stk_call call = stk_node_call(node, index);
    return stk_indexed_read(p, &call, index, out, err);
}

/* Also used to restore a position. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    uint64_t      *given = STK_STATE(uint64_t, node);
    const uint64_t left = STK_PARAMS(stk_indexed_params, node)->count - *given;
    *discarded = count < left ? count : left;
    *given += *discarded;
    return STK_OK;
}

const stk_operator stk_operator_indexed = {
    .name = "indexed",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_indexed_params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .at = at,
    .state_bytes = sizeof(uint64_t),
    .next = next,
    .discard = discard,
};

stk_status stk_dataset_indexed(stk_dataset **out, const stk_indexed_info *info, stk_error *err)
{
    *out = NULL;
    stk_indexed_params p = {.count = info->count, .blocking = info->blocking, .read = info->read};
    STK_TRY(stk_user_source_new(&p.source, "indexed", info->name, info->version, info->context,
                                info->output, err));
    STK_TRY(stk_dataset_make(out, &stk_operator_indexed, &p, NULL, 0, err));
    p.source->release = info->release;
    return STK_OK;
}
