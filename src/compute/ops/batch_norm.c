/* Shared by the pieces of batch norm. */
#include "compute/ops/batch_norm.h"
#include <stdio.h>
#include <string.h>

stk_status stk_bn_check_channels(const stk_graph_op *op, const stk_op_instance *instance, int first,
                                 int count, stk_error *err)
{
    const stk_shape *x = &instance->in[0].shape;
    char             text[96];
    if (x->rank < 1)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "input 0 has shape %s; its last dimension must be the channels",
                        stk_shape_text(x, text, sizeof text));
    stk_shape channels = stk_shape_1d(x->dim[x->rank - 1]);
    for (int i = first; i < first + count; i++) {
        STK_TRY(stk_op_check_shape(op, instance, i, &channels, "the channels of input 0", err));
        if (instance->in[i].dtype != STK_DTYPE_F32)
            return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                            "input %d is %s; values per channel are float32", i,
                            stk_dtype_name(instance->in[i].dtype));
    }
    return STK_OK;
}

stk_status stk_bn_check_like_first(const stk_graph_op *op, const stk_op_instance *instance,
                                   int which, stk_error *err)
{
    stk_dtype first = instance->in[0].dtype, dtype = instance->in[which].dtype;
    if (dtype != first)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "input %d is %s but input 0 is %s", which, stk_dtype_name(dtype),
                        stk_dtype_name(first));
    return stk_op_check_shape(op, instance, which, &instance->in[0].shape, "input 0", err);
}

/* Compares names, since a plug-in has its own copies of the rows. */
bool stk_bn_has_bits(const stk_activation *act)
{
    return act->row && (strcmp(act->row->name, stk_activation_relu.name) == 0 ||
                        strcmp(act->row->name, stk_activation_clip.name) == 0);
}

stk_tensor_type stk_bn_bits_of(const stk_tensor_type *x)
{
    return (stk_tensor_type){STK_DTYPE_U8, stk_shape_1d((stk_type_elements(x) + 7) / 8)};
}

static stk_status check_bits(const stk_graph_op *op, const stk_op_instance *instance, int which,
                             stk_error *err)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    stk_tensor_type          bits = stk_bn_bits_of(&instance->in[0]);
    if (!stk_bn_has_bits(&attrs->act) || instance->in[which].dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "input %d is %s as the bits of %s; bits are uint8, of relu or clip", which,
                        stk_dtype_name(instance->in[which].dtype),
                        attrs->act.row ? attrs->act.row->name : "nothing");
    return stk_op_check_shape(op, instance, which, &bits.shape, "a bit for every element", err);
}

stk_status stk_bn_check_mask(const stk_graph_op *op, const stk_op_instance *instance, int first,
                             stk_error *err)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    static const int         inputs[] = {[STK_BN_MASK_NONE] = 0,
                                         [STK_BN_MASK_OUTPUT] = 1,
                                         [STK_BN_MASK_INPUT] = 2,
                                         [STK_BN_MASK_BITS] = 1};
    int                      expected = first + inputs[attrs->mask];
    if (instance->input_count != expected)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "%d inputs; with this mask %d", instance->input_count, expected);
    if (attrs->mask == STK_BN_MASK_NONE) return STK_OK;
    if (attrs->mask == STK_BN_MASK_BITS) return check_bits(op, instance, first, err);
    if (!attrs->act.row)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "a mask without an activation");
    if (attrs->mask == STK_BN_MASK_INPUT) return stk_bn_check_channels(op, instance, first, 2, err);
    if (!attrs->act.row->from_output)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "the slope of %s cannot be had from its output", attrs->act.row->name);
    return stk_bn_check_like_first(op, instance, first, err);
}

double stk_bn_dz(const stk_op_instance *instance, const void *const *in, int first, int64_t i)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    const stk_activation    *act = &attrs->act;
    const float             *dy = in[0], *x = in[1];
    if (attrs->mask == STK_BN_MASK_NONE) return (double)dy[i];
    if (attrs->mask == STK_BN_MASK_BITS)
        return ((const uint8_t *)in[first])[i / 8] >> i % 8 & 1 ? (double)dy[i] : 0;
    const float *mask = in[first];
    if (attrs->mask == STK_BN_MASK_OUTPUT)
        return (double)dy[i] * (double)act->row->slope(mask[i], mask[i], act->a, act->b);
    const float *shift = in[first + 1];
    int64_t      c = i % instance->in[first].shape.dim[0];
    float        u = (float)((double)x[i] * (double)mask[c] + (double)shift[c]);
    return (double)dy[i] * (double)act->row->slope(u, stk_activate(act, u), act->a, act->b);
}

void stk_bn_grad_print(const void *attrs_, char *text, size_t capacity)
{
    static const char *const names[] = {"", "mask=output", "mask=input", "mask=bits"};
    const stk_bn_grad_attrs *attrs = attrs_;
    snprintf(text, capacity, "%s", names[attrs->mask]);
    stk_activation_print(&attrs->act, text, capacity);
}
