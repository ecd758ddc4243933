/* fill: a constant tensor */
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_fill_attrs *attrs = instance->attrs;
    (void)err;
    out[0] = (stk_tensor_type){(stk_dtype)attrs->dtype, attrs->shape};
    return STK_OK;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_fill_attrs *attrs = instance->attrs;
    (void)in;
    int64_t count = stk_type_elements(&instance->out[0]);
    switch (instance->out[0].dtype) {
    case STK_DTYPE_I64:
        for (int64_t i = 0; i < count; i++)
            ((int64_t *)out[0])[i] = (int64_t)attrs->value;
        break;
    case STK_DTYPE_I32:
        for (int64_t i = 0; i < count; i++)
            ((int32_t *)out[0])[i] = (int32_t)attrs->value;
        break;
    case STK_DTYPE_U8:
        for (int64_t i = 0; i < count; i++)
            ((uint8_t *)out[0])[i] = (uint8_t)attrs->value;
        break;
    default:
        for (int64_t i = 0; i < count; i++)
            ((float *)out[0])[i] = (float)attrs->value;
    }
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "value=%g", ((const stk_fill_attrs *)attrs)->value);
}

const stk_graph_op stk_graph_op_fill = {
    .name = "fill",
    .outputs = 1,
    .attrs_size = sizeof(stk_fill_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
    .print = print,
};

stk_symbol stk_fill(stk_graph *g, stk_dtype dtype, stk_shape shape, double value)
{
    stk_symbol     out;
    stk_fill_attrs attrs = {.shape = shape, .dtype = (int)dtype, .value = value};
    if (dtype != STK_DTYPE_F32 && dtype != STK_DTYPE_F16 && dtype != STK_DTYPE_BF16 &&
        dtype != STK_DTYPE_I32 && dtype != STK_DTYPE_I64 && dtype != STK_DTYPE_U8)
        return stk_graph_fail(g, STK_E_TYPE, "fill", NULL, "%s cannot be filled",
                              stk_dtype_name(dtype));
    stk_graph_add(g, &stk_graph_op_fill, NULL, 0, &attrs, &out, 1);
    return out;
}
