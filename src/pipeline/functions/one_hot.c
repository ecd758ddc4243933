/* one_hot: a class index as a row of 0s with a 1. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    int           value;
    int64_t       classes;
    float         on, off;
} context;

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context  *c = stk_builtin_context(untyped);
    const stk_shape shape = stk_shape_1d(c->classes);
    int64_t         label;
    stk_value       made;
    void           *data;
    STK_TRY(stk_need_integer("one_hot", *element, c->value, &label, err));
    if (label < 0 || label >= c->classes)
        return stk_fail(err, STK_E_RANGE, "one_hot", NULL,
                        "the label is %" PRId64 "; with %" PRId64
                        " classes it must be from 0 to %" PRId64,
                        label, c->classes, c->classes - 1);
    STK_TRY(stk_call_output(call, c->value, &made, STK_DTYPE_F32, &shape, &data, err));
    for (int64_t i = 0; i < c->classes; i++)
        ((float *)data)[i] = i == label ? c->on : c->off;
    return stk_replace_value(element, c->value, &made, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    const stk_shape shape = stk_shape_1d(c->classes);
    STK_TRY(stk_check_scalar("one_hot", input, c->value, STK_TYPES_INTEGER, err));
    return stk_spec_keep_value(&c->keep, input, c->value, STK_DTYPE_F32, &shape, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_one_hot(stk_function **out, int value, int64_t classes, double smoothing,
                                stk_error *err)
{
    enum { CLASSES_MAX = 1 << 24 };
    *out = NULL;
    if (value < 0 || classes < 1 || classes > CLASSES_MAX || !(smoothing >= 0 && smoothing < 1))
        return stk_fail(err, STK_E_INVALID, "one_hot", NULL,
                        "value %d, %" PRId64 " classes, smoothing %g: classes go from 1 to %d, "
                        "smoothing from 0 to below 1",
                        value, classes, smoothing, CLASSES_MAX);
    context c = {.value = value, .classes = classes};
    c.off = (float)(smoothing / (double)classes);
    c.on = (float)(1 - smoothing + smoothing / (double)classes);
    stk_spec_keep_init(&c.keep);
    char details[96], text[40];
    snprintf(details, sizeof details, "value %d, %" PRId64 " classes, smoothing %s", value, classes,
             stk_number_text(stk_number_float(smoothing), text, sizeof text));
    const stk_function_info info = {.name = "one_hot",
                                    .details = details,
                                    .traits = STK_FUNCTION_ONE_VALUE,
                                    .value = value,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
