/* cast: converts to another type with saturation */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "tensor/number.h"
#include <stdio.h>
#include <stoker/ops.h>

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

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    stk_dtype from = instance->in[0].dtype,
              to = (stk_dtype)((const stk_cast_attrs *)instance->attrs)->dtype;
    if (!is_number(from) || !is_number(to))
        return stk_fail(err, STK_E_TYPE, "cast", instance->name, "from %s to %s",
                        stk_dtype_name(from), stk_dtype_name(to));
    out[0] = (stk_tensor_type){to, instance->in[0].shape};
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    stk_dtype from = stk_symbol_dtype(g, node->in[0]), to = stk_symbol_dtype(g, node->out[0]);
    (void)sink;
    if (is_float(from) && is_float(to)) din[0] = stk_cast(g, dout[0], from);
}

/* Writes floats for 16-bit types; the caller rounds them. */
static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_dtype from = instance->in[0].dtype, to = instance->out[0].dtype;
    int64_t   count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        stk_number_store((int)to, out[0], i, stk_number_load((int)from, in[0], i));
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
