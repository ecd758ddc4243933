/* random_uniform: a number drawn for each element. */
#include "pipeline/functions/builtin.h"

#include <math.h>
#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    double        low, high;
} context;

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    stk_element   *made, *from = *element;
    const size_t   count = stk_element_count(from);
    STK_TRY(stk_element_new(&made, count + 1, err));
    stk_element_set_origin(made, stk_element_origin(from));
    for (size_t i = 0; i < count; i++)
        *stk_element_edit(made, i) = stk_value_ref(stk_element_value(from, i));
    const float high = (float)c->high;
    float       number = (float)(c->low + stk_call_uniform(call, 0, 0) * (c->high - c->low));
    /* Rounding to float32 must not reach the end that is excluded. */
    if (number >= high) number = nextafterf(high, -INFINITY);
    stk_value_f32(stk_element_edit(made, count), number);
    stk_element_unref(from);
    *element = made;
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    *out = (stk_element_spec){0};
    if (!input->known) return STK_OK;
    stk_value_spec *draft;
    STK_TRY(stk_spec_draft(&draft, input, 1, err));
    draft[input->count] =
        (stk_value_spec){.name = "random", .dtype = STK_DTYPE_F32, .rank_known = true};
    return stk_spec_keep_draft(&c->keep, draft, input->count + 1, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_random_uniform(stk_function **out, double low, double high, stk_error *err)
{
    *out = NULL;
    if (!((float)low < (float)high) || !isfinite((float)low) || !isfinite((float)high))
        return stk_fail(err, STK_E_INVALID, "random_uniform", NULL,
                        "from %g to %g: both must be finite and the first the smaller", low, high);
    context c = {.low = low, .high = high};
    char    details[96], from[40], to[40];
    stk_spec_keep_init(&c.keep);
    snprintf(details, sizeof details, "%s to %s",
             stk_number_text(stk_number_float(low), from, sizeof from),
             stk_number_text(stk_number_float(high), to, sizeof to));
    const stk_function_info info = {.name = "random_uniform",
                                    .details = details,
                                    .traits = STK_FUNCTION_RANDOM | STK_FUNCTION_SAFE,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
