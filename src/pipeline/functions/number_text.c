/* to_text and parse_number: integers as decimal text. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    int           value;
} context;

static stk_status to_text(void *untyped, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    int64_t        number;
    char           text[24];
    stk_value      made;
    STK_TRY(stk_need_integer("to_text", *element, c->value, &number, err));
    snprintf(text, sizeof text, "%" PRId64, number);
    STK_TRY(stk_value_bytes(&made, call->ledger, stk_bytes_text(text), err));
    return stk_replace_value(element, c->value, &made, err);
}

/* Digits with a sign, blanks around them, and nothing else; true on success. */
static bool parse(stk_bytes text, int64_t *out)
{
    size_t i = 0, end = text.size;
    while (end && (text.data[end - 1] == ' ' || text.data[end - 1] == '\t'))
        end--;
    while (i < end && (text.data[i] == ' ' || text.data[i] == '\t'))
        i++;
    const bool negative = i < end && text.data[i] == '-';
    i += i < end && (text.data[i] == '-' || text.data[i] == '+');
    if (i == end) return false;
    int64_t number = 0;
    for (; i < end; i++) {
        const int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, negative ? -digit : digit, &number))
            return false;
    }
    *out = number;
    return true;
}

static stk_status parse_number(void *untyped, const stk_call *call, stk_element **element,
                               stk_error *err)
{
    (void)call;
    const context   *c = stk_builtin_context(untyped);
    const stk_value *value;
    int64_t          number;
    STK_TRY(stk_need_scalar("parse_number", *element, c->value, 1 << STK_DTYPE_BYTES, &value, err));
    const stk_bytes text = *(const stk_bytes *)stk_value_data(value);
    if (!parse(text, &number))
        return stk_fail(err, STK_E_FORMAT, "parse_number", NULL,
                        "\"%.*s\" is no whole number of 64 bits",
                        (int)(text.size < 40 ? text.size : 40), (const char *)text.data);
    stk_value made;
    stk_value_i64(&made, number);
    return stk_replace_value(element, c->value, &made, err);
}

static stk_status text_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                          stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    const stk_shape scalar = stk_shape_scalar();
    STK_TRY(stk_check_scalar("to_text", input, c->value, STK_TYPES_INTEGER, err));
    return stk_spec_keep_value(&c->keep, input, c->value, STK_DTYPE_BYTES, &scalar, out, err);
}

static stk_status number_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    const stk_shape scalar = stk_shape_scalar();
    STK_TRY(stk_check_scalar("parse_number", input, c->value, 1 << STK_DTYPE_BYTES, err));
    return stk_spec_keep_value(&c->keep, input, c->value, STK_DTYPE_I64, &scalar, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

static stk_status make(stk_function **out, stk_function_info *info, int value, stk_error *err)
{
    context c = {.value = value};
    char    details[24];
    stk_spec_keep_init(&c.keep);
    snprintf(details, sizeof details, "value %d", value);
    info->details = details;
    return stk_builtin_new(out, info, &c, sizeof c, release, err);
}

stk_status stk_function_to_text(stk_function **out, int value, stk_error *err)
{
    stk_function_info info = {.name = "to_text", .output_of = text_of, .map = to_text};
    return make(out, &info, value, err);
}

stk_status stk_function_parse_number(stk_function **out, int value, stk_error *err)
{
    stk_function_info info = {.name = "parse_number", .output_of = number_of, .map = parse_number};
    return make(out, &info, value, err);
}
