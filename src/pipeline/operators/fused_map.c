/* fused_map: functions on elements, on any number of threads, in order. */
#include "pipeline/operators/fused_map.h"

#include "base/hash.h"
#include "pipeline/element/spec.h"
#include "pipeline/functions/image_function.h"
#include "pipeline/operators/fused_map_batch.h"
#include "pipeline/operators/fused_map_functions.h"
#include "pipeline/operators/fused_map_parts.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct state {
    stk_node_queue     *queue;
    stk_call           *calls; /* one per function; index and output rows are filled in */
    uint64_t           *seeds; /* of functions of several original operators, concatenated */
    stk_fused_map_rows  rows;
    stk_fused_map_parts parts;
} state;

static void release_params(void *params)
{
    stk_fused_map_params *p = params;
    for (size_t i = 0; p->steps && i < p->count; i++) {
        stk_function_unref(p->steps[i].function);
        free(p->steps[i].salts);
    }
    free(p->steps);
}

static stk_status spec_of_steps(stk_dataset *data, stk_element_spec *spec, stk_error *err)
{
    const stk_fused_map_params *p = data->params;
    *spec = data->inputs[0]->spec;
    for (size_t i = 0; i < p->count; i++) {
        const stk_function_info *info = stk_function_info_of(p->steps[i].function);
        if (info->test) continue;
        stk_element_spec after = {0};
        if (info->output_of)
            STK_TRY(info->output_of(info->context, spec, &after, err));
        else if (info->output)
            after = *info->output;
        *spec = after;
    }
    return STK_OK;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_fused_map_params *p = data->params;
    stk_element_spec            spec;
    STK_TRY(spec_of_steps(data, &spec, err));
    if (!p->batch) return stk_dataset_set_spec(data, &spec, err);
    return stk_spec_batched(&data->spec, &spec, p->drop_remainder ? p->batch : -1, &data->arena,
                            err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const stk_fused_map_params *p = data->params;
    const int64_t               count = data->inputs[0]->cardinality;
    for (size_t i = 0; i < p->count; i++)
        if (stk_function_info_of(p->steps[i].function)->test) return STK_CARDINALITY_UNKNOWN;
    if (count < 0 || !p->batch) return count;
    return count / p->batch + (!p->drop_remainder && count % p->batch != 0);
}

/* Functions by name only: parameters would leave no space for the others. */
static stk_status brief(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_fused_map_params *p = data->params;
    for (size_t i = 0; i < p->count; i++) {
        if (i) STK_TRY(stk_describe(out, err, ", "));
        STK_TRY(stk_image_function_names(out, p->steps[i].function, err));
    }
    if (!p->batch) return STK_OK;
    return stk_describe(out, err, "%sbatch %" PRId64, p->count ? ", " : "", p->batch);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_fused_map_params *p = data->params;
    for (size_t i = 0; i < p->count; i++) {
        const bool test = stk_function_info_of(p->steps[i].function)->test != NULL;
        STK_TRY(stk_describe(out, err, "%s%s ", i ? ", " : "", test ? "filter" : "map"));
        STK_TRY(stk_describe_function(out, p->steps[i].function, err));
    }
    if (p->batch)
        STK_TRY(stk_describe(out, err, "%sbatch %" PRId64 "%s%s", p->count ? ", " : "", p->batch,
                             p->drop_remainder ? " drop" : "",
                             p->parallel_copy ? ", parallel copy" : ""));
    if (p->parallel != STK_AUTO)
        STK_TRY(stk_describe(out, err, ", parallel %" PRId64, p->parallel));
    return p->order
               ? stk_describe(out, err, p->order == STK_ORDER_EXACT ? ", in order" : ", relaxed")
               : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    const stk_fused_map_params *p = data->params;
    unsigned                    traits = stk_order_traits(p->order);
    for (size_t i = 0; i < p->count; i++) {
        const unsigned one = stk_function_info_of(p->steps[i].function)->traits;
        if (one & STK_FUNCTION_RANDOM) traits |= STK_OPERATOR_RANDOM;
        if (one & STK_FUNCTION_BLOCKING) traits |= STK_OPERATOR_BLOCKING;
    }
    return traits;
}

static stk_fused_map_work work_of(const stk_node *node)
{
    const state *s = node->state;
    return (stk_fused_map_work){node->plan->params, s->calls, &s->rows, s->parts.first};
}

static void compute(void *context, stk_work_unit *unit, size_t first, size_t count)
{
    const stk_node          *node = context;
    const stk_fused_map_work work = work_of(node);
    stk_fused_map_watch      watch;
    stk_fused_map_watch_begin(&watch, &STK_STATE(state, node)->parts, node, unit->first + first,
                              count);
    for (size_t i = first; i < first + count; i++)
        if (unit->items[i].element)
            stk_fused_map_run(&work, unit, i, stk_fused_map_watch_item(&watch, unit->first + i));
    stk_fused_map_watch_end(&watch);
}

static stk_status compute_many(void *context, const stk_unit_slice *parts, size_t count,
                               uint64_t *device_items, stk_error *err)
{
    const stk_node          *node = context;
    const stk_fused_map_work work = work_of(node);
    return stk_fused_map_run_many(&work, stk_run_options_of(node->run)->images, parts, count,
                                  device_items, err);
}

/* A last batch that will be dropped needs no memory. */
static stk_status prepare(void *context, stk_work_unit *unit, stk_error *err)
{
    const stk_node             *node = context;
    const stk_fused_map_params *p = node->plan->params;
    if (p->drop_remainder && unit->count < (size_t)p->batch) return STK_OK;
    return stk_fused_map_rows_prepare(&STK_STATE(state, node)->rows, &node->plan->spec,
                                      stk_run_options_of(node->run)->ledger, unit, err);
}

/* A function that was made of several draws for each of them as they would have drawn. */
static stk_status make_seeds(const stk_node *node, stk_error *err)
{
    const stk_fused_map_params *p = node->plan->params;
    state                      *s = STK_STATE(state, node);
    size_t                      count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += p->steps[i].salt_count;
    if (!count) return STK_OK;
    uint64_t *seed = s->seeds = calloc(count, sizeof *seed);
    if (!seed)
        return stk_fail(err, STK_E_NOMEM, "fused_map", NULL, "no memory for %zu seeds", count);
    for (size_t i = 0; i < p->count; i++) {
        if (p->steps[i].salt_count) s->calls[i].seeds = seed;
        for (size_t k = 0; k < p->steps[i].salt_count; k++)
            *seed++ = stk_node_call_as(node, p->steps[i].salts[k], 0).seed;
    }
    return STK_OK;
}

static stk_status open(stk_node *node, stk_error *err)
{
    static const stk_node_queue_ops single = {.compute = compute, .compute_many = compute_many};
    static const stk_node_queue_ops batched = {.prepare = prepare,
                                               .compute = compute,
                                               .compute_many = compute_many,
                                               .finish = stk_fused_map_batch_finish,
                                               .copy = stk_fused_map_batch_copy,
                                               .seal = stk_fused_map_batch_seal};
    static const stk_node_queue_ops only_batched = {.finish = stk_fused_map_batch_finish,
                                                    .copy = stk_fused_map_batch_copy,
                                                    .seal = stk_fused_map_batch_seal};
    const stk_fused_map_params     *p = node->plan->params;
    state                          *s = node->state;
    s->calls = calloc(p->count ? p->count : 1, sizeof *s->calls);
    if (!s->calls)
        return stk_fail(err, STK_E_NOMEM, "fused_map", NULL, "no memory for %zu functions",
                        p->count);
    for (size_t i = 0; i < p->count; i++)
        s->calls[i] = stk_node_call_as(node, p->steps[i].salt, 0);
    STK_TRY(make_seeds(node, err));
    STK_TRY(stk_fused_map_parts_find(&s->parts, p, node->counters, err));
    stk_fused_map_rows_find(&s->rows, p, &node->plan->spec,
                            stk_run_options_of(node->run)->batch_memory);
    const bool relaxed = p->order == STK_ORDER_DEFAULT ? stk_run_options_of(node->run)->relaxed
                                                       : p->order == STK_ORDER_RELAXED;
    const stk_node_queue_options options = {
        .node = node,
        .input = node->inputs[0],
        .ops = !p->batch  ? &single
               : p->count ? &batched
                          : &only_batched,
        .context = node,
        .unit_size = (uint64_t)p->batch,
        .threads = p->parallel > 0 ? p->parallel : 0,
        .relaxed = relaxed,
        .blocking = node->plan->traits & STK_OPERATOR_BLOCKING,
        .error_ends_unit = p->error_ends_batch,
        .images = stk_fused_map_can_offload(p) ? stk_run_options_of(node->run)->images : NULL};
    return stk_node_queue_start(&s->queue, &options, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    return stk_node_queue_next(STK_STATE(state, node)->queue, out, err);
}

static void close(stk_node *node)
{
    stk_node_queue_free(STK_STATE(state, node)->queue);
    free(STK_STATE(state, node)->calls);
    free(STK_STATE(state, node)->seeds);
    stk_fused_map_parts_release(&STK_STATE(state, node)->parts);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    return stk_node_queue_save(STK_STATE(state, node)->queue, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    return stk_node_queue_restore(STK_STATE(state, node)->queue, in, err);
}

/* Every input becomes one result, and no function must see them all. */
static bool keeps_count(const stk_fused_map_params *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const stk_function_info *info = stk_function_info_of(p->steps[i].function);
        if (info->test || info->traits & STK_FUNCTION_STATEFUL) return false;
    }
    return !p->batch;
}

/* Functions need not be called for what is not wanted. What runs ahead already is taken as it is.
 */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    stk_node_queue *queue = STK_STATE(state, node)->queue;
    return keeps_count(node->plan->params) && stk_node_queue_can_skip(queue)
               ? stk_node_queue_skip(queue, count, discarded, err)
               : stk_node_discard_each(node, count, discarded, err);
}

const stk_operator stk_operator_fused_map = {
    .name = "fused_map",
    .identity = "apply",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_RUNS_AHEAD,
    .params_bytes = sizeof(stk_fused_map_params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .brief = brief,
    .traits_of = traits_of,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
    .discard = discard,
};

static bool copy_salts(stk_fused_function *step)
{
    const size_t bytes = step->salt_count * sizeof *step->salts;
    uint64_t    *copy = malloc(bytes);
    if (copy) memcpy(copy, step->salts, bytes);
    step->salts = copy;
    return copy != NULL;
}

stk_status stk_fused_map_make(stk_dataset **out, const stk_fused_map_params *params,
                              stk_dataset *input, stk_error *err)
{
    *out = NULL;
    stk_fused_map_params p = *params;
    p.steps = calloc(p.count ? p.count : 1, sizeof *p.steps);
    if (!p.steps) return stk_fail(err, STK_E_NOMEM, "fused_map", NULL, "no memory for a stage");
    bool copied = true;
    for (size_t i = 0; i < p.count; i++) {
        p.steps[i] = params->steps[i];
        stk_function_ref(p.steps[i].function);
        if (params->steps[i].salts) copied = copy_salts(&p.steps[i]) && copied;
    }
    if (!copied) {
        release_params(&p);
        return stk_fail(err, STK_E_NOMEM, "fused_map", NULL, "no memory for a stage");
    }
    return stk_dataset_make(out, &stk_operator_fused_map, &p, &input, 1, err);
}
