/* fill: a number becomes that many copies of itself. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    int           value;
} context;

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context   *c = stk_builtin_context(untyped);
    const stk_value *value;
    STK_TRY(stk_need_scalar("fill", *element, c->value, 1 << STK_DTYPE_I64, &value, err));
    const int64_t count = value->data ? *(const int64_t *)value->data : value->small.i64;
    if (count < 0)
        return stk_fail(err, STK_E_INVALID, "fill", NULL,
                        "value %d is %" PRId64 "; a vector cannot have a negative length", c->value,
                        count);
    const stk_shape shape = stk_shape_1d(count);
    stk_value       made;
    void           *data;
    STK_TRY(stk_value_dense(&made, call->ledger, STK_DTYPE_I64, &shape, &data, err));
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)data)[i] = count;
    return stk_replace_value(element, c->value, &made, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    const stk_shape shape = stk_shape_1d(-1);
    STK_TRY(stk_check_scalar("fill", input, c->value, 1 << STK_DTYPE_I64, err));
    return stk_spec_keep_value(&c->keep, input, c->value, STK_DTYPE_I64, &shape, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_fill(stk_function **out, int value, stk_error *err)
{
    context c = {.value = value};
    char    details[24];
    stk_spec_keep_init(&c.keep);
    snprintf(details, sizeof details, "value %d", value);
    const stk_function_info info = {
        .name = "fill", .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
