/* compare: a predicate on one number. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct context {
    int          value;
    int64_t      modulus;
    stk_relation relation;
    stk_number   number;
} context;

static const char *const signs[STK_RELATION_COUNT] = {"<", "<=", "==", "!=", ">=", ">"};

enum { COMPARABLE = STK_TYPES_NUMERIC | 1 << STK_DTYPE_BOOL };

#define HOLDS(relation, a, b)                                                                      \
    ((relation) == STK_RELATION_LESS        ? (a) < (b)                                            \
     : (relation) == STK_RELATION_AT_MOST   ? (a) <= (b)                                           \
     : (relation) == STK_RELATION_EQUAL     ? (a) == (b)                                           \
     : (relation) == STK_RELATION_NOT_EQUAL ? (a) != (b)                                           \
     : (relation) == STK_RELATION_AT_LEAST  ? (a) >= (b)                                           \
                                            : (a) > (b))

static bool test_real(const context *c, double x)
{
    const double k = c->number.is_float ? c->number.floating : (double)c->number.integer;
    if (c->modulus) x = stk_floor_modulo_real(x, (double)c->modulus);
    return HOLDS(c->relation, x, k);
}

/* Integers are compared as such: a double holds only 53 bits of them. */
static bool test_integer(const context *c, int64_t x)
{
    if (c->modulus) x = stk_floor_modulo(x, c->modulus);
    if (c->number.is_float) return HOLDS(c->relation, (double)x, c->number.floating);
    return HOLDS(c->relation, x, c->number.integer);
}

static stk_status test(void *untyped, const stk_call *call, const stk_element *element, bool *keep,
                       stk_error *err)
{
    (void)call;
    const context   *c = stk_builtin_context(untyped);
    const stk_value *value;
    STK_TRY(stk_need_value("compare", element, c->value, COMPARABLE, &value, err));
    if (stk_value_elements(value) != 1) {
        char text[128];
        return stk_fail(err, STK_E_SHAPE, "compare", NULL,
                        "value %d has shape %s; only one number can be compared", c->value,
                        stk_shape_text(&value->shape, text, sizeof text));
    }
    const void *data = stk_value_data(value);
    if (value->dtype == STK_DTYPE_F32)
        *keep = test_real(c, (double)*(const float *)data);
    else if (value->dtype == STK_DTYPE_F64)
        *keep = test_real(c, *(const double *)data);
    else if (value->dtype == STK_DTYPE_I64)
        *keep = test_integer(c, *(const int64_t *)data);
    else if (value->dtype == STK_DTYPE_I32)
        *keep = test_integer(c, *(const int32_t *)data);
    else
        *keep = test_integer(c, *(const uint8_t *)data);
    return STK_OK;
}

static stk_status check(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_one("compare", input, c->value, COMPARABLE, err));
    if (!input->known || !input->values[c->value].rank_known) return STK_OK;
    const stk_shape *shape = &input->values[c->value].shape;
    char             text[128];
    for (int d = 0; d < shape->rank; d++)
        if (shape->dim[d] != 1 && shape->dim[d] != -1)
            return stk_fail(err, STK_E_SHAPE, "compare", NULL,
                            "value %d has shape %s; only one number can be compared", c->value,
                            stk_shape_text(shape, text, sizeof text));
    return STK_OK;
}

stk_status stk_function_compare(stk_function **out, int value, int64_t modulus,
                                stk_relation relation, stk_number number, stk_error *err)
{
    *out = NULL;
    if (value < 0 || modulus < 0 || relation < 0 || relation >= STK_RELATION_COUNT)
        return stk_fail(err, STK_E_INVALID, "compare", NULL,
                        "value %d, modulus %" PRId64 ", relation %d: value and modulus must not be "
                        "negative, and there are relations 0 to %d",
                        value, modulus, relation, STK_RELATION_COUNT - 1);
    const context c = {value, modulus, relation, number};
    char          details[128], text[40], rest[32] = "";
    if (modulus) snprintf(rest, sizeof rest, " %% %" PRId64, modulus);
    snprintf(details, sizeof details, "value %d%s %s %s", value, rest, signs[relation],
             stk_number_text(number, text, sizeof text));
    const stk_function_info info = {
        .name = "compare", .details = details, .check = check, .test = test};
    return stk_builtin_new(out, &info, &c, sizeof c, NULL, err);
}
