/* Keys of elements: a length, a number, a remainder. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    int     value;
    int64_t modulus;
} context;

static stk_status no_length(int value, stk_error *err)
{
    return stk_fail(err, STK_E_SHAPE, "length", NULL,
                    "value %d is a scalar; only values with a leading dimension have a length",
                    value);
}

static stk_status length(void *untyped, const stk_call *call, const stk_element *element,
                         int64_t *key, stk_error *err)
{
    (void)call;
    const context   *c = stk_builtin_context(untyped);
    const stk_value *value;
    STK_TRY(stk_need_value("length", element, c->value, STK_TYPES_ANY, &value, err));
    if (!value->shape.rank) return no_length(c->value, err);
    *key = value->shape.dim[0];
    return STK_OK;
}

static stk_status number(void *untyped, const stk_call *call, const stk_element *element,
                         int64_t *key, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    return stk_need_integer("value", element, c->value, key, err);
}

static stk_status modulo(void *untyped, const stk_call *call, const stk_element *element,
                         int64_t *key, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    STK_TRY(stk_need_integer("modulo", element, c->value, key, err));
    *key = stk_floor_modulo(*key, c->modulus);
    return STK_OK;
}

static stk_status check_length(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_one("length", input, c->value, STK_TYPES_ANY, err));
    if (!input->known || !input->values[c->value].rank_known) return STK_OK;
    return input->values[c->value].shape.rank ? STK_OK : no_length(c->value, err);
}

static stk_status check_number(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    return stk_check_scalar(c->modulus ? "modulo" : "value", input, c->value, STK_TYPES_INTEGER,
                            err);
}

static stk_status make(stk_function **out, const char *name, stk_key_fn key, const context *c,
                       stk_error *err)
{
    char details[48];
    snprintf(details, sizeof details, c->modulus ? "value %d, %" PRId64 : "value %d", c->value,
             c->modulus);
    const stk_function_info info = {.name = name,
                                    .details = details,
                                    .check = key == length ? check_length : check_number,
                                    .key = key};
    return stk_builtin_new(out, &info, c, sizeof *c, NULL, err);
}

stk_status stk_function_length(stk_function **out, int value, stk_error *err)
{
    return make(out, "length", length, &(context){.value = value}, err);
}

stk_status stk_function_value(stk_function **out, int value, stk_error *err)
{
    return make(out, "value", number, &(context){.value = value}, err);
}

stk_status stk_function_modulo(stk_function **out, int value, int64_t modulus, stk_error *err)
{
    *out = NULL;
    if (modulus < 1)
        return stk_fail(err, STK_E_INVALID, "modulo", NULL,
                        "the modulus is %" PRId64 "; it must be 1 or more", modulus);
    return make(out, "modulo", modulo, &(context){value, modulus}, err);
}
