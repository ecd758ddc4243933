/* Scans: a running sum, a count. */
#include "pipeline/functions/builtin.h"

static stk_status mismatch(const stk_value *state, const stk_value *value, stk_error *err)
{
    char a[128], b[128];
    return stk_fail(err, STK_E_TYPE, "running_sum", NULL,
                    "the state is %s%s and the value %s%s; both must be the same",
                    stk_dtype_name(state->dtype), stk_shape_text(&state->shape, a, sizeof a),
                    stk_dtype_name(value->dtype), stk_shape_text(&value->shape, b, sizeof b));
}

#define ADD(type, cast_type)                                                                       \
    for (size_t i = 0; i < count; i++)                                                             \
    ((type *)sum)[i] =                                                                             \
        (type)((cast_type)((const type *)old)[i * step] + (cast_type)((const type *)more)[i])

/* step 0: a scalar state for all numbers. */
static void add(stk_dtype dtype, void *sum, const void *old, size_t step, const void *more,
                size_t count)
{
    if (dtype == STK_DTYPE_U8)
        ADD(uint8_t, uint8_t);
    else if (dtype == STK_DTYPE_I32)
        ADD(int32_t, uint32_t);
    else if (dtype == STK_DTYPE_I64)
        ADD(int64_t, uint64_t);
    else if (dtype == STK_DTYPE_F32)
        ADD(float, float);
    else
        ADD(double, double);
}

/* Leaves state and element alone unless it succeeds: a failed call must not change the state. */
static stk_status running_sum(void *context, const stk_call *call, stk_element **state,
                              stk_element **element, stk_error *err)
{
    (void)context;
    const stk_value *old, *value;
    STK_TRY(stk_need_value("running_sum", *state, 0, STK_TYPES_NUMERIC, &old, err));
    STK_TRY(stk_need_value("running_sum", *element, 0, STK_TYPES_NUMERIC, &value, err));
    const bool same = stk_shape_equal(&old->shape, &value->shape);
    if (old->dtype != value->dtype || (!same && old->shape.rank)) return mismatch(old, value, err);
    stk_element *sum;
    void        *data;
    STK_TRY(stk_element_new(&sum, 1, err));
    stk_status st = stk_value_dense(stk_element_edit(sum, 0), call->ledger, value->dtype,
                                    &value->shape, &data, err);
    if (st) {
        stk_element_unref(sum);
        return st;
    }
    add(value->dtype, data, stk_value_data(old), same, stk_value_data(value),
        (size_t)stk_value_elements(value));
    stk_element_set_origin(sum, stk_element_origin(*element));
    stk_element_unref(*state);
    stk_element_unref(*element);
    *state = stk_element_ref(sum);
    *element = sum;
    return STK_OK;
}

static stk_status count(void *context, const stk_call *call, stk_element **state,
                        stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    int64_t      number;
    stk_element *next;
    STK_TRY(stk_need_integer("count", *state, 0, &number, err));
    if (stk_element_value(*state, 0)->dtype != STK_DTYPE_I64)
        return stk_fail(err, STK_E_TYPE, "count", NULL, "the state must be an int64 scalar");
    STK_TRY(stk_element_new(&next, 1, err));
    stk_value_i64(stk_element_edit(next, 0), (int64_t)((uint64_t)number + 1));
    stk_element_set_origin(next, stk_element_origin(*element));
    stk_element_unref(*state);
    stk_element_unref(*element);
    *state = stk_element_ref(next);
    *element = next;
    return STK_OK;
}

/* The known spec is compared with the state: a wrong state fails for all elements. */
static stk_status check_sum(void *context, const stk_element *state, const stk_element_spec *input,
                            stk_error *err)
{
    const stk_value *old;
    (void)context;
    STK_TRY(stk_need_value("running_sum", state, 0, STK_TYPES_NUMERIC, &old, err));
    if (!input->known) return STK_OK;
    const stk_value_spec *value = &input->values[0];
    bool                  fits = !value->dtype || value->dtype == old->dtype;
    if (old->shape.rank && value->rank_known) fits = fits && value->shape.rank == old->shape.rank;
    for (int d = 0; fits && value->rank_known && d < old->shape.rank; d++)
        fits = value->shape.dim[d] < 0 || value->shape.dim[d] == old->shape.dim[d];
    const stk_value shown = {.dtype = value->dtype, .shape = value->shape};
    return fits ? STK_OK : mismatch(old, &shown, err);
}

static stk_status check_count(void *context, const stk_element *state,
                              const stk_element_spec *input, stk_error *err)
{
    const stk_value *old;
    (void)context;
    (void)input;
    return stk_need_scalar("count", state, 0, 1 << STK_DTYPE_I64, &old, err);
}

static stk_status sum_of(void *context, const stk_element_spec *input, stk_element_spec *out,
                         stk_error *err)
{
    (void)context;
    STK_TRY(stk_check_value("running_sum", input, 0, STK_TYPES_NUMERIC, err));
    *out = *input;
    if (out->known) out->count = 1;
    return STK_OK;
}

static stk_status count_of(void *context, const stk_element_spec *input, stk_element_spec *out,
                           stk_error *err)
{
    static const stk_value_spec value = {
        .name = "count", .dtype = STK_DTYPE_I64, .rank_known = true};
    (void)context;
    (void)input;
    (void)err;
    *out = (stk_element_spec){.known = true, .count = 1, .values = &value};
    return STK_OK;
}

stk_status stk_function_running_sum(stk_function **out, stk_error *err)
{
    const stk_function_info info = {
        .name = "running_sum", .output_of = sum_of, .check_state = check_sum, .scan = running_sum};
    return stk_function_new(out, &info, err);
}

stk_status stk_function_count(stk_function **out, stk_error *err)
{
    const stk_function_info info = {
        .name = "count", .output_of = count_of, .check_state = check_count, .scan = count};
    return stk_function_new(out, &info, err);
}
