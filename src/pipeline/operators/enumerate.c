/* enumerate: prepends the index to every element. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/join.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t start;
} params;

typedef struct state {
    uint64_t index; /* of the next input; errors have one too */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_value_spec          value = {.name = "0", .dtype = STK_DTYPE_I64, .rank_known = true};
    const stk_element_spec        number = {.known = true, .count = 1, .values = &value};
    const stk_element_spec *const specs[] = {&number, &data->inputs[0]->spec};
    return stk_join_specs(&data->spec, specs, 2, &data->arena, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    return stk_describe(out, err, "from %" PRId64, ((const params *)data->params)->start);
}

/* Puts the number before the values of *element, which it takes over also on failure. */
static stk_status number(stk_element **element, int64_t start, uint64_t index, stk_error *err)
{
    stk_element *input = *element;
    const size_t count = stk_element_count(input);
    stk_status   st = STK_OK;
    *element = NULL;
    if (index > (uint64_t)INT64_MAX - (uint64_t)start && start > 0)
        st = stk_fail(err, STK_E_RANGE, "enumerate", NULL,
                      "number %" PRIu64 " from %" PRId64 " on does not fit int64; begin lower",
                      index, start);
    if (!st) st = stk_element_new(element, count + 1, err);
    if (!st) {
        stk_value_i64(stk_element_edit(*element, 0), (int64_t)((uint64_t)start + index));
        for (size_t i = 0; i < count; i++)
            *stk_element_edit(*element, i + 1) = stk_value_ref(stk_element_value(input, i));
        stk_element_set_origin(*element, stk_element_origin(input));
    }
    stk_element_unref(input);
    return st;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    STK_TRY(stk_dataset_read(data->inputs[0], index, ledger, out, err));
    return number(out, ((const params *)data->params)->start, index, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state     *s = STK_STATE(state, node);
    stk_status st = stk_node_pull(node, out, err);
    if (!st && !*out) return STK_OK;
    const uint64_t index = s->index++;
    return st ? st : number(out, STK_PARAMS(params, node)->start, index, err);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->index, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, &STK_STATE(state, node)->index, err));
    return stk_node_restore_input(node, in, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    STK_TRY(stk_node_discard(node->inputs[0], count, discarded, err));
    STK_STATE(state, node)->index += *discarded;
    return STK_OK;
}

/* Only where a number would be too large it fails. */
static unsigned traits_of(const stk_dataset *data)
{
    const int64_t start = ((const params *)data->params)->start, count = data->cardinality;
    return start <= 0 || (count >= 0 && count <= INT64_MAX - start) ? STK_OPERATOR_JUMPS : 0;
}

const stk_operator stk_operator_enumerate = {
    .name = "enumerate",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .at = at,
    .state_bytes = sizeof(state),
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_enumerate(stk_dataset **data, int64_t start, stk_error *err)
{
    const params p = {.start = start};
    return stk_dataset_append(data, &stk_operator_enumerate, &p, err);
}
