/* choose_from: the next element of the input that a dataset of indices selects. */
#include "pipeline/operators/operators.h"
#include "pipeline/support/pick.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    bool stop_on_empty;
} params;

/* The choices are the last input. */
static size_t data_count(const stk_dataset *data)
{
    return data->input_count - 1;
}

static stk_status check_choice(const stk_dataset *data, stk_error *err)
{
    const stk_element_spec *spec = &data->inputs[data_count(data)]->spec;
    if (!spec->known) return STK_OK;
    const stk_value_spec *value = spec->values;
    const bool            scalar = spec->count == 1 && value->kind == STK_VALUE_DENSE &&
                        (!value->dtype || value->dtype == STK_DTYPE_I64) &&
                        (!value->rank_known || value->shape.rank == 0);
    if (scalar) return STK_OK;
    char shape[128] = "";
    if (spec->count == 1) stk_shape_text(&value->shape, shape, sizeof shape);
    return stk_fail(err, STK_E_TYPE, "choose_from", NULL,
                    "the choices have %zu values, the first %s%s; they must be one int64 scalar",
                    spec->count, spec->count ? stk_dtype_name(value->dtype) : "missing", shape);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    STK_TRY(stk_pick_check(data, data_count(data), err));
    return check_choice(data, err);
}

/* Only where nothing can end it is it known not to end. */
static int64_t cardinality(const stk_dataset *data)
{
    for (size_t i = 0; i < data->input_count; i++)
        if (data->inputs[i]->cardinality != STK_CARDINALITY_INFINITE)
            return STK_CARDINALITY_UNKNOWN;
    return STK_CARDINALITY_INFINITE;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "%zu%s", data_count(data), p->stop_on_empty ? ", stop" : "");
}

static stk_status number_of(const stk_element *choice, size_t count, size_t *index, stk_error *err)
{
    char             where[256];
    const stk_value *value = stk_element_count(choice) == 1 ? stk_element_value(choice, 0) : NULL;
    if (!value || value->kind != STK_VALUE_DENSE || value->dtype != STK_DTYPE_I64 ||
        value->shape.rank)
        return stk_fail(err, STK_E_TYPE, "choose_from",
                        stk_element_where(choice, where, sizeof where),
                        "a choice is no int64 scalar");
    const int64_t number = *(const int64_t *)stk_value_data(value);
    if (number < 0 || (uint64_t)number >= count)
        return stk_fail(err, STK_E_INVALID, "choose_from",
                        stk_element_where(choice, where, sizeof where),
                        "the choice is %" PRId64 "; there are %zu datasets, from 0", number, count);
    *index = (size_t)number;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const size_t count = data_count(node->plan);
    const bool   stop = STK_PARAMS(params, node)->stop_on_empty;
    while (stk_pick_open(node, count)) {
        STK_TRY(stk_node_check(node, err));
        stk_element *choice;
        size_t       index = 0;
        STK_TRY(stk_node_next(node->inputs[count], &choice, err));
        if (!choice) return STK_OK;
        stk_status st = number_of(choice, count, &index, err);
        stk_element_unref(choice);
        if (st) return st;
        if (!node->inputs[index]) continue;
        STK_TRY(stk_pick_next(node, index, out, err));
        if (*out || stop) return STK_OK;
    }
    return STK_OK;
}

const stk_operator stk_operator_choose_from = {
    .name = "choose_from",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .next = next,
    .save = stk_pick_save,
    .restore = stk_pick_restore,
};

stk_status stk_dataset_choose_from(stk_dataset **out, stk_dataset *const *inputs, size_t count,
                                   stk_dataset *choices, const stk_choose_options *options,
                                   stk_error *err)
{
    *out = NULL;
    const params  p = {.stop_on_empty = options && options->stop_on_empty};
    stk_dataset **all = calloc(count + 1, sizeof *all);
    if (!all)
        return stk_fail(err, STK_E_NOMEM, "choose_from", NULL, "no memory for %zu datasets", count);
    for (size_t i = 0; i < count; i++)
        all[i] = inputs[i];
    all[count] = choices;
    stk_status st = stk_dataset_make(out, &stk_operator_choose_from, &p, all, count + 1, err);
    free(all);
    return st;
}
