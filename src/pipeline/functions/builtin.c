/* Makes built-in functions and checks the values they are called on. */
#include "pipeline/functions/builtin.h"

#include "base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct holder {
    void (*release)(void *context);
    _Alignas(16) uint8_t context[];
} holder;

void *stk_builtin_context(void *context)
{
    return ((holder *)context)->context;
}

static void release_holder(void *untyped)
{
    holder *held = untyped;
    if (held->release) held->release(held->context);
    free(held);
}

stk_status stk_builtin_new(stk_function **out, const stk_function_info *info, const void *context,
                           size_t context_bytes, void (*release)(void *context), stk_error *err)
{
    *out = NULL;
    holder *held = malloc(sizeof *held + context_bytes);
    if (!held) {
        if (release) release((void *)context);
        return stk_fail(err, STK_E_NOMEM, info->name, NULL, "no memory for a function");
    }
    held->release = release;
    if (context_bytes) memcpy(held->context, context, context_bytes);
    stk_function_info completed = *info;
    completed.context = held;
    completed.release = release_holder;
    stk_status st = stk_function_new(out, &completed, err);
    if (st) release_holder(held);
    return st;
}

static stk_status no_such_value(const char *component, int value, size_t count, stk_error *err)
{
    return stk_fail(err, STK_E_RANGE, component, NULL,
                    "value %d was asked for; elements have %zu, counted from 0", value, count);
}

/* "uint8, int32 or int64". */
static char *types_text(int types, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 1, left = __builtin_popcount((unsigned)types); i < STK_DTYPE_COUNT; i++)
        if (types >> i & 1 && used < capacity) {
            used += (size_t)snprintf(text + used, capacity - used, "%s%s",
                                     !used      ? ""
                                     : left > 1 ? ", "
                                                : " or ",
                                     stk_dtype_name((stk_dtype)i));
            left--;
        }
    return text;
}

static stk_status wrong_type(const char *component, int index, const char *name,
                             stk_value_kind kind, stk_dtype dtype, int types, stk_error *err)
{
    static const char *const kinds[] = {"dense", "ragged", "sparse", "a dataset"};
    char                     text[160];
    if (kind != STK_VALUE_DENSE)
        return stk_fail(err, STK_E_TYPE, component, NULL, "value %d (%s) is %s; it must be dense",
                        index, name, kinds[kind]);
    return stk_fail(err, STK_E_TYPE, component, NULL, "value %d (%s) is %s; it must be %s", index,
                    name, stk_dtype_name(dtype), types_text(types, text, sizeof text));
}

stk_status stk_check_value(const char *component, const stk_element_spec *input, int value,
                           int types, stk_error *err)
{
    if (value < STK_ALL_VALUES || (input->known && value >= 0 && (size_t)value >= input->count))
        return no_such_value(component, value, input->count, err);
    if (!input->known) return STK_OK;
    const size_t first = value < 0 ? 0 : (size_t)value;
    const size_t end = value < 0 ? input->count : first + 1;
    for (size_t i = first; i < end; i++) {
        const stk_value_spec *spec = &input->values[i];
        if (spec->kind != STK_VALUE_DENSE || (spec->dtype && !(types >> spec->dtype & 1)))
            return wrong_type(component, (int)i, spec->name ? spec->name : "?", spec->kind,
                              spec->dtype, types, err);
    }
    return STK_OK;
}

stk_status stk_check_one(const char *component, const stk_element_spec *input, int value, int types,
                         stk_error *err)
{
    if (value < 0)
        return stk_fail(err, STK_E_RANGE, component, NULL,
                        "value %d was asked for; values are counted from 0", value);
    return stk_check_value(component, input, value, types, err);
}

static stk_status not_scalar(const char *component, int value, const stk_shape *shape,
                             stk_error *err)
{
    char text[128];
    return stk_fail(err, STK_E_SHAPE, component, NULL, "value %d has shape %s; it must be a scalar",
                    value, stk_shape_text(shape, text, sizeof text));
}

stk_status stk_check_scalar(const char *component, const stk_element_spec *input, int value,
                            int types, stk_error *err)
{
    STK_TRY(stk_check_one(component, input, value, types, err));
    if (!input->known) return STK_OK;
    const stk_value_spec *spec = &input->values[value];
    return spec->rank_known && spec->shape.rank ? not_scalar(component, value, &spec->shape, err)
                                                : STK_OK;
}

stk_status stk_need_value(const char *component, const stk_element *element, int value, int types,
                          const stk_value **out, stk_error *err)
{
    *out = NULL;
    if (value < 0 || (size_t)value >= stk_element_count(element))
        return no_such_value(component, value, stk_element_count(element), err);
    *out = stk_element_value(element, (size_t)value);
    if ((*out)->kind != STK_VALUE_DENSE || !(types >> (*out)->dtype & 1))
        return wrong_type(component, value, "of this element", (*out)->kind, (*out)->dtype, types,
                          err);
    return STK_OK;
}

stk_status stk_need_scalar(const char *component, const stk_element *element, int value, int types,
                           const stk_value **out, stk_error *err)
{
    STK_TRY(stk_need_value(component, element, value, types, out, err));
    return (*out)->shape.rank ? not_scalar(component, value, &(*out)->shape, err) : STK_OK;
}

stk_status stk_need_integer(const char *component, const stk_element *element, int value,
                            int64_t *out, stk_error *err)
{
    const stk_value *found = NULL;
    STK_TRY(stk_need_scalar(component, element, value, STK_TYPES_INTEGER, &found, err));
    const void *data = stk_value_data(found);
    int32_t     narrow;
    if (found->dtype == STK_DTYPE_U8) {
        *out = *(const uint8_t *)data;
    } else if (found->dtype == STK_DTYPE_I32) {
        memcpy(&narrow, data, sizeof narrow);
        *out = narrow;
    } else {
        memcpy(out, data, sizeof *out);
    }
    return STK_OK;
}

stk_status stk_value_write(stk_value *value, stk_ledger *ledger, void **data, stk_error *err)
{
    if (!value->data) {
        *data = value->small.bytes;
        return STK_OK;
    }
    if (value->storage && stk_buffer_is_unique(value->storage)) {
        *data = (void *)value->data;
        return STK_OK;
    }
    stk_value copy;
    STK_TRY(stk_value_dense(&copy, ledger, value->dtype, &value->shape, data, err));
    const size_t bytes = (size_t)stk_value_elements(value) * stk_dtype_bytes(value->dtype);
    if (bytes) memcpy(*data, value->data, bytes);
    stk_value_release(value);
    *value = copy;
    if (!value->data) *data = value->small.bytes;
    return STK_OK;
}

stk_status stk_replace_value(stk_element **element, int value, stk_value *made, stk_error *err)
{
    stk_status st = stk_element_make_unique(element, err);
    if (st) {
        stk_value_release(made);
        return st;
    }
    stk_value *place = stk_element_edit(*element, (size_t)value);
    stk_value_release(place);
    *place = *made;
    return STK_OK;
}

char *stk_number_text(stk_number number, char *text, int capacity)
{
    char real[STK_DECIMAL_CAPACITY];
    if (number.is_float)
        snprintf(text, (size_t)capacity, "%s", stk_decimal_write(number.floating, 17, real));
    else
        snprintf(text, (size_t)capacity, "%" PRId64, number.integer);
    return text;
}

int64_t stk_floor_modulo(int64_t number, int64_t divisor)
{
    if (divisor == -1) return 0; /* INT64_MIN % -1 traps */
    const int64_t rest = number % divisor;
    return rest && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

double stk_floor_modulo_real(double number, double divisor)
{
    const double rest = fmod(number, divisor);
    return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}
