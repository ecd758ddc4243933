/* conv2d_grad_norm: dgrad plus an addend, masked by an activation's bits, and bn_grad_sums of
 * that:
 *   conv2d_grad_norm(dy, w, addend, bits, x, mean, invstd) -> dz, dgamma, dbeta */
#include "compute/ops/batch_norm.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

static stk_op_instance input_instance(const stk_op_instance *instance)
{
    return (stk_op_instance){instance->name, instance->attrs, STK_GRAD_NORM_BITS, 1,
                             instance->in,   instance->out};
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op   *op = &stk_graph_op_conv2d_grad_norm;
    const stk_op_instance plain = input_instance(instance);
    STK_TRY(stk_graph_op_conv2d_grad_input.infer(&plain, out, err));
    const stk_tensor_type bits = stk_bn_bits_of(&out[0]);
    const stk_shape       channels = stk_shape_1d(out[0].shape.dim[3]);
    if (instance->in[STK_GRAD_NORM_BITS].dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "the bits are %s; they are uint8",
                        stk_dtype_name(instance->in[STK_GRAD_NORM_BITS].dtype));
    STK_TRY(stk_op_check_shape(op, instance, STK_GRAD_NORM_BITS, &bits.shape,
                               "a bit for every element", err));
    STK_TRY(stk_op_check_float(op, instance, STK_GRAD_NORM_X, err));
    STK_TRY(stk_op_check_shape(op, instance, STK_GRAD_NORM_X, &out[0].shape,
                               "the input of the convolution", err));
    for (int i = STK_GRAD_NORM_MEAN; i <= STK_GRAD_NORM_INVSTD; i++)
        STK_TRY(stk_op_check_shape(op, instance, i, &channels, "the channels", err));
    out[1] = out[2] = (stk_tensor_type){STK_DTYPE_F32, channels};
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    const stk_op_instance plain = input_instance(instance);
    stk_op_cost           c = stk_graph_op_conv2d_grad_input.cost(&plain);
    c.flops += 4 * (double)stk_type_elements(&instance->out[0]);
    for (int i = STK_GRAD_NORM_BITS; i < instance->input_count; i++)
        c.bytes += (double)stk_type_bytes(&instance->in[i]);
    return c;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_op_instance   plain = input_instance(instance);
    const stk_tensor_type   types[] = {instance->out[0], instance->in[STK_GRAD_NORM_X],
                                       instance->in[STK_GRAD_NORM_MEAN],
                                       instance->in[STK_GRAD_NORM_INVSTD]};
    const stk_bn_grad_attrs attrs = {.mask = STK_BN_MASK_NONE};
    const uint8_t          *bits = in[STK_GRAD_NORM_BITS];
    float                  *dz = out[0];
    stk_graph_op_conv2d_grad_input.reference(&plain, in, out);
    for (int64_t i = 0; i < stk_type_elements(&instance->out[0]); i++)
        if (!(bits[i / 8] >> i % 8 & 1)) dz[i] = 0;
    stk_graph_op_bn_grad_sums.reference(
        &(stk_op_instance){instance->name, &attrs, 4, 2, types, instance->out + 1},
        (const void *const[]){dz, in[STK_GRAD_NORM_X], in[STK_GRAD_NORM_MEAN],
                              in[STK_GRAD_NORM_INVSTD]},
        out + 1);
}

static void print(const void *attrs, char *text, size_t capacity)
{
    stk_graph_op_conv2d_grad_input.print(attrs, text, capacity);
}

const stk_graph_op stk_graph_op_conv2d_grad_norm = {
    .name = "conv2d_grad_norm",
    .inputs_min = STK_GRAD_NORM_INPUTS,
    .inputs_max = STK_GRAD_NORM_INPUTS,
    .outputs = 3,
    .attrs_size = sizeof(stk_conv2d_attrs),
    .inplace = {STK_GRAD_NORM_ADDEND + 1},
    .precision = STK_PRECISION_ALLOW,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = print,
};
