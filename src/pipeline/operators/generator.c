/* generator: a user-defined sequential source. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/user_source.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_user_source   *source; /* owned; name, context and spec are read there */
    stk_generator_info info;
} params;

typedef struct state {
    void    *pass; /* the generator's own */
    bool     opened;
    uint64_t index; /* of the next result, errors included */
} state;

static void release_params(void *untyped)
{
    stk_user_source_free(((params *)untyped)->source);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    if (!p->info.next)
        return stk_fail(err, STK_E_INVALID, "generator", p->source->name,
                        "the generator has no next; it must have one");
    if (p->info.cardinality < STK_CARDINALITY_UNKNOWN)
        return stk_fail(err, STK_E_INVALID, "generator", p->source->name,
                        "the number of elements is %" PRId64
                        "; give 0 or more, -1 for without end or -2 for unknown",
                        p->info.cardinality);
    if (!p->info.save != !p->info.restore)
        return stk_fail(err, STK_E_INVALID, "generator", p->source->name,
                        "only one of save and restore is there; give both or none");
    return stk_dataset_set_spec(data, &p->source->output, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return ((const params *)data->params)->info.cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_user_source *source = ((const params *)data->params)->source;
    STK_TRY(stk_blob_append(out, source->name, strlen(source->name), err));
    return source->version ? stk_describe(out, err, "@%" PRIu64, source->version) : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    return ((const params *)data->params)->info.blocking ? STK_OPERATOR_BLOCKING : 0;
}

static stk_status open(stk_node *node, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    if (p->info.open) {
        stk_element *none = NULL;
        stk_user_source_before(err);
        stk_status st = p->info.open(p->source->context, node->epoch, &s->pass, err);
        if (st) return stk_user_source_after(p->source, st, node->epoch, 0, &none, err);
    }
    s->opened = true;
    return STK_OK;
}

static void close(stk_node *node)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    if (s->opened && p->info.close) p->info.close(p->source->context, s->pass);
}

/* A generator that always fails must still be cancellable, even below operators that skip errors.
 */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    STK_TRY(stk_cancel_check(stk_run_options_of(node->run)->cancel, "generator", err));
    const uint64_t index = s->index++;
    const stk_call call = stk_node_call(node, index);
    stk_user_source_before(err);
    stk_status st = p->info.next(p->source->context, s->pass, &call, out, err);
    return stk_user_source_after(p->source, st, node->epoch, index, out, err);
}

static stk_status save_own(stk_node *node, stk_state_out *out, stk_error *err)
{
    const params *p = node->plan->params;
    stk_blob      blob;
    stk_blob_init(&blob, stk_run_options_of(node->run)->ledger, STK_MEMORY_INDEX);
    stk_status st = p->info.save(p->source->context, STK_STATE(state, node)->pass, &blob, err);
    if (!st) st = stk_state_put_bytes(out, stk_blob_bytes(&blob), err);
    stk_blob_release(&blob);
    return st;
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->index, err));
    return STK_PARAMS(params, node)->info.save ? save_own(node, out, err) : STK_OK;
}

/* Replays the epoch from its start, for a generator without restore. */
static stk_status replay(stk_node *node, uint64_t count, const stk_state_in *in, stk_error *err)
{
    uint64_t discarded;
    STK_TRY(stk_node_discard_each(node, count, &discarded, err));
    return discarded < count ? stk_state_damaged(in, "the generator ended before its place", err)
                             : STK_OK;
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    uint64_t      index;
    stk_bytes     saved;
    STK_TRY(stk_state_get_u64(in, &index, err));
    if (!p->info.restore) return replay(node, index, in, err);
    STK_TRY(stk_state_get_bytes(in, &saved, err));
    STK_TRY(p->info.restore(p->source->context, s->pass, saved, err));
    s->index = index;
    return STK_OK;
}

const stk_operator stk_operator_generator = {
    .name = "generator",
    .stage = STK_STAGE_READ,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_generator(stk_dataset **out, const stk_generator_info *info, stk_error *err)
{
    *out = NULL;
    params p = {.info = *info};
    STK_TRY(stk_user_source_new(&p.source, "generator", info->name, info->version, info->context,
                                info->output, err));
    /* Copies of these are in source; the caller's may go. */
    p.info.name = NULL;
    p.info.output = NULL;
    STK_TRY(stk_dataset_make(out, &stk_operator_generator, &p, NULL, 0, err));
    p.source->release = info->release;
    return STK_OK;
}
