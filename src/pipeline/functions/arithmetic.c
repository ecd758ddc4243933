/* arithmetic: every number of a value with a constant, in place if unshared. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct context {
    stk_arithmetic op;
    int            value;
    stk_number     number;
} context;

static const char *const names[STK_ARITHMETIC_COUNT] = {
    "add", "subtract", "multiply", "floor_divide", "modulo", "minimum", "maximum"};

const char *stk_arithmetic_name(stk_arithmetic op)
{
    return op >= 0 && op < STK_ARITHMETIC_COUNT ? names[op] : NULL;
}

/* Rounds down; number / -1 is done unsigned, since INT64_MIN / -1 traps. */
static int64_t floor_divide(int64_t number, int64_t divisor)
{
    if (divisor == -1) return (int64_t)(0 - (uint64_t)number);
    const int64_t quotient = number / divisor;
    return number % divisor && (number < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

/* One loop per operation and type. Integers are computed in 64 bits and truncated to the type,
 * which is what wrapping around in the type gives. */
#define EACH(type, expression)                                                                     \
    for (size_t i = 0; i < count; i++) {                                                           \
        const type x = numbers[i];                                                                 \
        numbers[i] = (type)(expression);                                                           \
    }                                                                                              \
    return

#define INTEGER_LOOPS(name, type)                                                                  \
    static void name(stk_arithmetic op, type *numbers, size_t count, int64_t k)                    \
    {                                                                                              \
        switch (op) {                                                                              \
        case STK_ARITHMETIC_ADD:                                                                   \
            EACH(type, (uint64_t)x + (uint64_t)k);                                                 \
        case STK_ARITHMETIC_SUBTRACT:                                                              \
            EACH(type, (uint64_t)x - (uint64_t)k);                                                 \
        case STK_ARITHMETIC_MULTIPLY:                                                              \
            EACH(type, (uint64_t)x *(uint64_t)k);                                                  \
        case STK_ARITHMETIC_FLOOR_DIVIDE:                                                          \
            EACH(type, floor_divide(x, k));                                                        \
        case STK_ARITHMETIC_MODULO:                                                                \
            EACH(type, stk_floor_modulo(x, k));                                                    \
        case STK_ARITHMETIC_MINIMUM:                                                               \
            EACH(type, x < k ? x : k);                                                             \
        default:                                                                                   \
            EACH(type, x > k ? x : k);                                                             \
        }                                                                                          \
    }

#define REAL_LOOPS(name, type)                                                                     \
    static void name(stk_arithmetic op, type *numbers, size_t count, type k)                       \
    {                                                                                              \
        switch (op) {                                                                              \
        case STK_ARITHMETIC_ADD:                                                                   \
            EACH(type, x + k);                                                                     \
        case STK_ARITHMETIC_SUBTRACT:                                                              \
            EACH(type, x - k);                                                                     \
        case STK_ARITHMETIC_MULTIPLY:                                                              \
            EACH(type, x *k);                                                                      \
        case STK_ARITHMETIC_FLOOR_DIVIDE:                                                          \
            EACH(type, floor((double)(x / k)));                                                    \
        case STK_ARITHMETIC_MODULO:                                                                \
            EACH(type, stk_floor_modulo_real((double)x, (double)k));                               \
        case STK_ARITHMETIC_MINIMUM:                                                               \
            EACH(type, isnan(x) || x < k ? x : k);                                                 \
        default:                                                                                   \
            EACH(type, isnan(x) || x > k ? x : k);                                                 \
        }                                                                                          \
    }

INTEGER_LOOPS(apply_u8, uint8_t)
INTEGER_LOOPS(apply_i32, int32_t)
INTEGER_LOOPS(apply_i64, int64_t)
REAL_LOOPS(apply_f32, float)
REAL_LOOPS(apply_f64, double)

/* That a value of dtype can be combined with the number at all. */
static stk_status check_number(const context *c, stk_dtype dtype, stk_error *err)
{
    const char   *name = names[c->op];
    const int64_t k = c->number.integer;
    char          text[40];
    if (STK_TYPES_FLOAT >> dtype & 1) return STK_OK;
    if (c->number.is_float)
        return stk_fail(err, STK_E_TYPE, name, NULL,
                        "the number is %s but the value is %s: cast the value to float32 first",
                        stk_number_text(c->number, text, sizeof text), stk_dtype_name(dtype));
    if ((dtype == STK_DTYPE_U8 && (k < 0 || k > UINT8_MAX)) ||
        (dtype == STK_DTYPE_I32 && (k < INT32_MIN || k > INT32_MAX)))
        return stk_fail(err, STK_E_INVALID, name, NULL,
                        "the number is %" PRId64 ", which %s cannot hold: cast the value first", k,
                        stk_dtype_name(dtype));
    if (k == 0 && (c->op == STK_ARITHMETIC_FLOOR_DIVIDE || c->op == STK_ARITHMETIC_MODULO))
        return stk_fail(err, STK_E_INVALID, name, NULL, "whole numbers cannot be divided by 0");
    return STK_OK;
}

static stk_status apply(const context *c, const stk_call *call, stk_value *value, stk_error *err)
{
    STK_TRY(check_number(c, value->dtype, err));
    void        *data;
    const size_t count = (size_t)stk_value_elements(value);
    const double real = c->number.is_float ? c->number.floating : (double)c->number.integer;
    STK_TRY(stk_value_write(value, call->ledger, &data, err));
    if (value->dtype == STK_DTYPE_U8)
        apply_u8(c->op, data, count, c->number.integer);
    else if (value->dtype == STK_DTYPE_I32)
        apply_i32(c->op, data, count, c->number.integer);
    else if (value->dtype == STK_DTYPE_I64)
        apply_i64(c->op, data, count, c->number.integer);
    else if (value->dtype == STK_DTYPE_F32)
        apply_f32(c->op, data, count, (float)real);
    else
        apply_f64(c->op, data, count, real);
    return STK_OK;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    const int      end = c->value < 0 ? (int)stk_element_count(*element) : c->value + 1;
    STK_TRY(stk_element_make_unique(element, err));
    for (int i = c->value < 0 ? 0 : c->value; i < end; i++) {
        const stk_value *value;
        STK_TRY(stk_need_value(names[c->op], *element, i, STK_TYPES_NUMERIC, &value, err));
        STK_TRY(apply(c, call, stk_element_edit(*element, (size_t)i), err));
    }
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_value(names[c->op], input, c->value, STK_TYPES_NUMERIC, err));
    for (size_t i = 0; input->known && i < input->count; i++)
        if ((c->value < 0 || (size_t)c->value == i) && input->values[i].dtype)
            STK_TRY(check_number(c, input->values[i].dtype, err));
    *out = *input;
    return STK_OK;
}

stk_status stk_function_arithmetic(stk_function **out, stk_arithmetic op, int value,
                                   stk_number number, stk_error *err)
{
    *out = NULL;
    if (!stk_arithmetic_name(op))
        return stk_fail(err, STK_E_INVALID, "arithmetic", NULL, "there is no operation %d", op);
    const context c = {op, value, number};
    char          details[64], text[40];
    snprintf(details, sizeof details, "%s, value %d", stk_number_text(number, text, sizeof text),
             value);
    if (value < 0) snprintf(details, sizeof details, "%s", text);
    const stk_function_info info = {
        .name = names[op], .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, NULL, err);
}
