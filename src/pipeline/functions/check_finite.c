/* check_finite: an error for values with NaN or infinity. */
#include "pipeline/functions/builtin.h"

#include <math.h>
#include <stdio.h>

typedef struct context {
    int value;
} context;

/* The first that is not finite; count when all are. */
static size_t find_bad(const stk_value *value, size_t count)
{
    const void *data = stk_value_data(value);
    size_t      i = 0;
    if (value->dtype == STK_DTYPE_F32)
        while (i < count && isfinite(((const float *)data)[i]))
            i++;
    else
        while (i < count && isfinite(((const double *)data)[i]))
            i++;
    return i;
}

static stk_status check(const stk_value *value, int index, stk_error *err)
{
    if (value->kind == STK_VALUE_DATASET || !(STK_TYPES_FLOAT >> value->dtype & 1)) return STK_OK;
    const size_t count =
        value->kind == STK_VALUE_SPARSE ? (size_t)value->count : (size_t)stk_value_elements(value);
    const size_t bad = find_bad(value, count);
    if (bad == count) return STK_OK;
    const double number = value->dtype == STK_DTYPE_F32
                              ? (double)((const float *)stk_value_data(value))[bad]
                              : ((const double *)stk_value_data(value))[bad];
    return stk_fail(err, STK_E_INVALID, "check_finite", NULL,
                    "value %d is %g at place %zu of %zu; only finite numbers may pass", index,
                    number, bad, count);
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    const int      end = c->value < 0 ? (int)stk_element_count(*element) : c->value + 1;
    for (int i = c->value < 0 ? 0 : c->value; i < end; i++) {
        if ((size_t)i >= stk_element_count(*element))
            return stk_fail(err, STK_E_RANGE, "check_finite", NULL,
                            "value %d was asked for; elements have %zu, counted from 0", i,
                            stk_element_count(*element));
        STK_TRY(check(stk_element_value(*element, (size_t)i), i, err));
    }
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    if (c->value >= 0)
        STK_TRY(stk_check_value("check_finite", input, c->value, STK_TYPES_ANY, err));
    *out = *input;
    return STK_OK;
}

stk_status stk_function_check_finite(stk_function **out, int value, stk_error *err)
{
    const context c = {value};
    char          details[24] = "";
    if (value >= 0) snprintf(details, sizeof details, "value %d", value);
    const stk_function_info info = {
        .name = "check_finite", .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, NULL, err);
}
