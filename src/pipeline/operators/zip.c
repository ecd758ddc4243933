/* zip: joins the values of several inputs. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    stk_element **elements; /* of the inputs, while one is put together */
    bool          ended;    /* an input had no more; all are closed */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    if (!data->input_count)
        return stk_fail(err, STK_E_INVALID, "zip", NULL, "there are 0 inputs; give at least 1");
    const stk_element_spec **specs = calloc(data->input_count, sizeof *specs);
    if (!specs)
        return stk_fail(err, STK_E_NOMEM, "zip", NULL, "no memory for %zu inputs",
                        data->input_count);
    for (size_t i = 0; i < data->input_count; i++)
        specs[i] = &data->inputs[i]->spec;
    stk_status st = stk_join_specs(&data->spec, specs, data->input_count, &data->arena, err);
    free(specs);
    return st;
}

static int64_t cardinality(const stk_dataset *data)
{
    int64_t min = STK_CARDINALITY_INFINITE;
    for (size_t i = 0; i < data->input_count; i++) {
        const int64_t count = data->inputs[i]->cardinality;
        if (count == STK_CARDINALITY_UNKNOWN) return count;
        if (count >= 0 && (min < 0 || count < min)) min = count;
    }
    return min;
}

static void drop_all(stk_element **elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stk_element_unref(elements[i]);
        elements[i] = NULL;
    }
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    if (data->cardinality >= 0 && index >= (uint64_t)data->cardinality)
        return stk_fail(err, STK_E_RANGE, "zip", NULL,
                        "element %" PRIu64 " was asked for; the shortest input has %" PRId64, index,
                        data->cardinality);
    stk_element **elements = calloc(data->input_count, sizeof(stk_element *));
    if (!elements)
        return stk_fail(err, STK_E_NOMEM, "zip", NULL, "no memory for %zu inputs",
                        data->input_count);
    stk_status st = STK_OK;
    for (size_t i = 0; i < data->input_count && !st; i++)
        st = stk_dataset_read(data->inputs[i], index, ledger, &elements[i], err);
    if (!st) st = stk_join_elements(out, elements, data->input_count, err);
    drop_all(elements, data->input_count);
    free(elements);
    return st;
}

static stk_status open(stk_node *node, stk_error *err)
{
    state *s = STK_STATE(state, node);
    s->elements = calloc(node->plan->input_count, sizeof(stk_element *));
    return s->elements ? STK_OK
                       : stk_fail(err, STK_E_NOMEM, "zip", NULL, "no memory for %zu inputs",
                                  node->plan->input_count);
}

static void end(stk_node *node)
{
    for (size_t i = 0; i < node->plan->input_count; i++)
        stk_node_close_input(node, i);
    STK_STATE(state, node)->ended = true;
}

/* After an error the remaining inputs are pulled as well, so that all stay in step. Returns errors
 * of the machine before the first data error; if an input ended meanwhile, the end follows. */
static stk_status gather(stk_node *node, bool *ended, stk_error *err)
{
    state     *s = STK_STATE(state, node);
    stk_status failed = STK_OK;
    *ended = false;
    for (size_t i = 0; i < node->plan->input_count && (failed || !*ended); i++) {
        stk_error  later;
        stk_status st = stk_node_next(node->inputs[i], &s->elements[i], failed ? &later : err);
        if (st == STK_E_CANCELLED) {
            if (failed && err) *err = later;
            return st;
        }
        if (failed && stk_status_is_environment(st) && !stk_status_is_environment(failed)) {
            if (err) *err = later;
            failed = st;
        }
        if (!failed) failed = st;
        if (!st && !s->elements[i]) *ended = true;
    }
    return failed;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    bool   ended;
    if (s->ended) return STK_OK;
    stk_status st = gather(node, &ended, err);
    if (ended) end(node);
    if (!st && !ended) st = stk_join_elements(out, s->elements, node->plan->input_count, err);
    drop_all(s->elements, node->plan->input_count);
    return st;
}

static void close(stk_node *node)
{
    free(STK_STATE(state, node)->elements);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const bool ended = STK_STATE(state, node)->ended;
    STK_TRY(stk_state_put_u64(out, ended, err));
    for (size_t i = 0; i < node->plan->input_count && !ended; i++)
        STK_TRY(stk_node_save(node->inputs[i], out, err));
    return STK_OK;
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    bool ended;
    STK_TRY(stk_state_get_bool(in, &ended, err));
    for (size_t i = 0; i < node->plan->input_count && !ended; i++)
        STK_TRY(stk_node_restore(node->inputs[i], in, err));
    if (ended) end(node);
    return STK_OK;
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    if (!node->plan->jumps) return stk_node_discard_each(node, count, discarded, err);
    if (STK_STATE(state, node)->ended) return STK_OK;
    uint64_t min = count;
    for (size_t i = 0; i < node->plan->input_count; i++) {
        uint64_t some;
        STK_TRY(stk_node_discard(node->inputs[i], count, &some, err));
        if (some < min) min = some;
    }
    *discarded = min;
    if (min < count) end(node);
    return STK_OK;
}

const stk_operator stk_operator_zip = {
    .name = "zip",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_JUMPS,
    .check = check,
    .cardinality = cardinality,
    .at = at,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_zip(stk_dataset **out, stk_dataset *const *inputs, size_t count,
                           stk_error *err)
{
    return stk_dataset_make(out, &stk_operator_zip, NULL, inputs, count, err);
}
