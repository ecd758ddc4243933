/* cast: converts a value to another type. */
#include "pipeline/functions/builtin.h"

#include <math.h>
#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    int           value;
    stk_dtype     dtype;
} context;

enum {
    CASTABLE = STK_TYPES_NUMERIC | 1 << STK_DTYPE_I8 | 1 << STK_DTYPE_BOOL /* from and to */
};

/* Every type goes through int64 or double: exact for all pairs, save that int64 to float32 rounds
 * once more, so that one pair has a loop of its own. */
typedef union wide {
    int64_t integer;
    double  floating;
} wide;

static bool is_float(stk_dtype dtype)
{
    return STK_TYPES_FLOAT >> dtype & 1;
}

static wide load(stk_dtype dtype, const void *data, size_t i)
{
    switch (dtype) {
    case STK_DTYPE_U8:
        return (wide){.integer = ((const uint8_t *)data)[i]};
    case STK_DTYPE_BOOL:
        return (wide){.integer = ((const uint8_t *)data)[i] != 0};
    case STK_DTYPE_I8:
        return (wide){.integer = ((const int8_t *)data)[i]};
    case STK_DTYPE_I32:
        return (wide){.integer = ((const int32_t *)data)[i]};
    case STK_DTYPE_I64:
        return (wide){.integer = ((const int64_t *)data)[i]};
    case STK_DTYPE_F32:
        return (wide){.floating = (double)((const float *)data)[i]};
    default:
        return (wide){.floating = ((const double *)data)[i]};
    }
}

/* C leaves a real out of range undefined: here it stops at the type's end. */
static int64_t to_integer(stk_dtype dtype, double floating)
{
    static const struct {
        double  low, high;
        int64_t min, max;
    } ends[STK_DTYPE_COUNT] = {
        [STK_DTYPE_U8] = {0, UINT8_MAX, 0, UINT8_MAX},
        [STK_DTYPE_I8] = {INT8_MIN, INT8_MAX, INT8_MIN, INT8_MAX},
        [STK_DTYPE_I32] = {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX},
        [STK_DTYPE_I64] = {-0x1p63, 0x1p63, INT64_MIN, INT64_MAX},
    };
    if (isnan(floating)) return 0;
    if (floating <= ends[dtype].low) return ends[dtype].min;
    if (floating >= ends[dtype].high) return ends[dtype].max;
    return (int64_t)floating;
}

static void store(stk_dtype dtype, void *data, size_t i, bool from_float, wide number)
{
    if (dtype == STK_DTYPE_BOOL) {
        ((uint8_t *)data)[i] = from_float ? number.floating != 0 : number.integer != 0;
        return;
    }
    if (dtype == STK_DTYPE_F32) {
        ((float *)data)[i] = from_float ? (float)number.floating : (float)number.integer;
        return;
    }
    if (dtype == STK_DTYPE_F64) {
        ((double *)data)[i] = from_float ? number.floating : (double)number.integer;
        return;
    }
    const int64_t integer = from_float ? to_integer(dtype, number.floating) : number.integer;
    if (dtype == STK_DTYPE_I64)
        ((int64_t *)data)[i] = integer;
    else if (dtype == STK_DTYPE_I32)
        ((int32_t *)data)[i] = (int32_t)(uint32_t)(uint64_t)integer;
    else
        ((uint8_t *)data)[i] = (uint8_t)(uint64_t)integer;
}

/* The pair of every image. */
static void bytes_to_floats(const uint8_t *restrict src, float *restrict dst, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dst[i] = (float)src[i];
}

static stk_status cast(stk_value *made, const stk_value *value, stk_dtype dtype,
                       const stk_call *call, int index, stk_error *err)
{
    void        *dst;
    const void  *src = stk_value_data(value);
    const size_t count = (size_t)stk_value_elements(value);
    STK_TRY(stk_call_output(call, index, made, dtype, &value->shape, &dst, err));
    if (value->dtype == STK_DTYPE_U8 && dtype == STK_DTYPE_F32) {
        bytes_to_floats(src, dst, count);
        return STK_OK;
    }
    for (size_t i = 0; i < count; i++)
        store(dtype, dst, i, is_float(value->dtype), load(value->dtype, src, i));
    return STK_OK;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    const int      end = c->value < 0 ? (int)stk_element_count(*element) : c->value + 1;
    for (int i = c->value < 0 ? 0 : c->value; i < end; i++) {
        const stk_value *value;
        stk_value        made;
        STK_TRY(stk_need_value("cast", *element, i, CASTABLE, &value, err));
        if (value->dtype == c->dtype) continue;
        STK_TRY(cast(&made, value, c->dtype, call, i, err));
        STK_TRY(stk_replace_value(element, i, &made, err));
    }
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_value("cast", input, c->value, CASTABLE, err));
    return stk_spec_keep_value(&c->keep, input, c->value, c->dtype, NULL, out, err);
}

static void release(void *context_)
{
    stk_spec_keep_release(&((context *)context_)->keep);
}

bool stk_cast_of(const stk_function *function, int *value, stk_dtype *dtype)
{
    const stk_function_info *info = stk_function_info_of(function);
    if (info->map != map) return false;
    const context *c = stk_builtin_context(info->context);
    *value = c->value;
    *dtype = c->dtype;
    return c->value >= 0;
}

stk_status stk_function_cast(stk_function **out, int value, stk_dtype dtype, stk_error *err)
{
    *out = NULL;
    if (dtype <= STK_DTYPE_NONE || dtype >= STK_DTYPE_COUNT || !(CASTABLE >> dtype & 1))
        return stk_fail(err, STK_E_UNSUPPORTED, "cast", NULL,
                        "values cannot be cast to %s; use bool, uint8, int8, int32, int64, float32 "
                        "or float64",
                        stk_dtype_name(dtype));
    context c = {.value = value, .dtype = dtype};
    stk_spec_keep_init(&c.keep);
    char details[48];
    snprintf(details, sizeof details, value < 0 ? "%s" : "%s, value %d", stk_dtype_name(dtype),
             value);
    const stk_function_info info = {.name = "cast",
                                    .details = details,
                                    .traits = value < 0 ? 0 : STK_FUNCTION_ONE_VALUE,
                                    .value = value,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
