/* cast: the same numbers in another type; what does not fit becomes the nearest that does */
#include "graph/gradients.h"
#include "ops/ops.h"
#include "ops/shapes.h"
#include <math.h>
#include <stdio.h>
#include <stoker/ops.h>

/* How a type is read and written; floats through double, the rest through int64. */
typedef struct number {
    double  real;
    int64_t whole;
    bool    is_real;
} number;

static bool is_float(stk_dtype dtype)
{
    return dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16 || dtype == STK_DTYPE_F32 ||
           dtype == STK_DTYPE_F64;
}

static bool is_number(stk_dtype dtype)
{
    return is_float(dtype) || dtype == STK_DTYPE_U8 || dtype == STK_DTYPE_I8 ||
           dtype == STK_DTYPE_I32 || dtype == STK_DTYPE_I64 || dtype == STK_DTYPE_BOOL;
}

static stk_status infer(const stk_op_use *use, stk_tensor_type *out, stk_error *err)
{
    stk_dtype from = use->in[0].dtype, to = (stk_dtype)((const stk_cast_attrs *)use->attrs)->dtype;
    if (!is_number(from) || !is_number(to))
        return stk_fail(err, STK_E_TYPE, "cast", use->name, "from %s to %s", stk_dtype_name(from),
                        stk_dtype_name(to));
    out[0] = (stk_tensor_type){to, use->in[0].shape};
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    stk_dtype from = stk_symbol_dtype(g, node->in[0]), to = stk_symbol_dtype(g, node->out[0]);
    (void)sink;
    if (is_float(from) && is_float(to)) din[0] = stk_cast(g, dout[0], from);
}

static number load(stk_dtype dtype, const void *src, int64_t i)
{
    switch (dtype) {
    case STK_DTYPE_U8:
    case STK_DTYPE_BOOL:
        return (number){.whole = ((const uint8_t *)src)[i]};
    case STK_DTYPE_I8:
        return (number){.whole = ((const int8_t *)src)[i]};
    case STK_DTYPE_I32:
        return (number){.whole = ((const int32_t *)src)[i]};
    case STK_DTYPE_I64:
        return (number){.whole = ((const int64_t *)src)[i]};
    case STK_DTYPE_F64:
        return (number){.real = ((const double *)src)[i], .is_real = true};
    default:
        return (number){.real = (double)((const float *)src)[i], .is_real = true};
    }
}

/* Towards zero; NaN is 0. The bounds are compared as doubles, and 2^63 is one: hence >=. */
static int64_t whole_of(number n, int64_t low, int64_t high)
{
    if (!n.is_real) return n.whole < low ? low : n.whole > high ? high : n.whole;
    if (isnan(n.real)) return 0;
    if (n.real <= (double)low) return low;
    return n.real >= (double)high ? high : (int64_t)n.real;
}

static double real_of(number n)
{
    return n.is_real ? n.real : (double)n.whole;
}

static void store(stk_dtype dtype, void *dst, int64_t i, number n)
{
    switch (dtype) {
    case STK_DTYPE_BOOL:
        ((uint8_t *)dst)[i] = n.is_real ? n.real != 0 : n.whole != 0;
        break;
    case STK_DTYPE_U8:
        ((uint8_t *)dst)[i] = (uint8_t)whole_of(n, 0, UINT8_MAX);
        break;
    case STK_DTYPE_I8:
        ((int8_t *)dst)[i] = (int8_t)whole_of(n, INT8_MIN, INT8_MAX);
        break;
    case STK_DTYPE_I32:
        ((int32_t *)dst)[i] = (int32_t)whole_of(n, INT32_MIN, INT32_MAX);
        break;
    case STK_DTYPE_I64:
        ((int64_t *)dst)[i] = whole_of(n, INT64_MIN, INT64_MAX);
        break;
    case STK_DTYPE_F64:
        ((double *)dst)[i] = real_of(n);
        break;
    default:
        ((float *)dst)[i] = (float)real_of(n);
    }
}

/* To a 16-bit type the caller rounds the floats that are written here. */
static void reference(const stk_op_use *use, const void *const *in, void *const *out)
{
    stk_dtype from = use->in[0].dtype, to = use->out[0].dtype;
    int64_t   count = stk_type_elements(&use->in[0]);
    for (int64_t i = 0; i < count; i++)
        store(to, out[0], i, load(from, in[0], i));
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "to=%s",
             stk_dtype_name((stk_dtype)((const stk_cast_attrs *)attrs)->dtype));
}

const stk_graph_op stk_graph_op_cast = {
    .name = "cast",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_cast_attrs),
    .traits = STK_OP_ELEMENTWISE | STK_OP_ZERO_STAYS,
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .print = print,
};

stk_symbol stk_cast(stk_graph *g, stk_symbol x, stk_dtype dtype)
{
    if (!stk_symbol_is_none(x) && stk_symbol_dtype(g, x) == dtype) return x;
    return stk_graph_add1(g, &stk_graph_op_cast, x, &(stk_cast_attrs){(int)dtype});
}
