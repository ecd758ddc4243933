/* normalize_image: (x / 255 - mean[c]) / deviation[c] of uint8 images, as float32 or 16 bits */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stdio.h>
#include <stoker/ops.h>

enum { CHANNELS_MAX = 4, BYTE_MAX = 255 };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_normalize_image_attrs *attrs = instance->attrs;
    const stk_tensor_type           *x = &instance->in[0];
    STK_TRY(stk_op_check_rank(&stk_graph_op_normalize_image, instance, 0, 4, err));
    if (x->dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_TYPE, "normalize_image", instance->name,
                        "x is %s; it takes uint8", stk_dtype_name(x->dtype));
    if (x->shape.dim[3] != attrs->channels)
        return stk_fail(err, STK_E_SHAPE, "normalize_image", instance->name,
                        "x has %lld channels but there are means for %d",
                        (long long)x->shape.dim[3], attrs->channels);
    for (int c = 0; c < attrs->channels; c++)
        if (!(attrs->deviation[c] > 0) || !isfinite(attrs->deviation[c]) ||
            !isfinite(attrs->mean[c]))
            return stk_fail(err, STK_E_INVALID, "normalize_image", instance->name,
                            "mean %g and deviation %g of channel %d", (double)attrs->mean[c],
                            (double)attrs->deviation[c], c);
    out[0] = (stk_tensor_type){attrs->dtype ? (stk_dtype)attrs->dtype : STK_DTYPE_F32, x->shape};
    return STK_OK;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_normalize_image_attrs *attrs = instance->attrs;
    const uint8_t                   *x = in[0];
    float                           *y = out[0];
    int64_t                          count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++) {
        int c = (int)(i % attrs->channels);
        y[i] = (float)(((double)x[i] / BYTE_MAX - (double)attrs->mean[c]) /
                       (double)attrs->deviation[c]);
    }
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_normalize_image_attrs *attrs = attrs_;
    size_t                           used = 0;
    for (int c = 0; c < attrs->channels && used < capacity; c++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%g/%g",
                                 c ? "," : "mean/dev=", (double)attrs->mean[c],
                                 (double)attrs->deviation[c]);
    if (attrs->dtype && used < capacity)
        snprintf(text + used, capacity - used, " %s", stk_dtype_name((stk_dtype)attrs->dtype));
}

const stk_graph_op stk_graph_op_normalize_image = {
    .name = "normalize_image",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_normalize_image_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
    .print = print,
};

stk_symbol stk_normalize_image(stk_graph *g, stk_symbol x, const float *mean,
                               const float *deviation)
{
    stk_normalize_image_attrs attrs = {0};
    stk_symbol                image = stk_to_nhwc(g, x);
    stk_shape                 shape = stk_symbol_shape(g, image);
    int64_t                   channels = shape.rank == 4 ? shape.dim[3] : 0;
    if (stk_symbol_is_none(x)) return STK_NO_SYMBOL;
    if (channels < 1 || channels > CHANNELS_MAX) {
        char text[96];
        return stk_graph_fail(g, STK_E_SHAPE, "normalize_image", g->path,
                              "x has shape %s; it takes images of 1 to %d channels",
                              stk_shape_text(&shape, text, sizeof text), CHANNELS_MAX);
    }
    attrs.channels = (int)channels;
    for (int c = 0; c < attrs.channels; c++)
        attrs.mean[c] = mean[c], attrs.deviation[c] = deviation[c];
    return stk_from_nhwc(g, stk_graph_add1(g, &stk_graph_op_normalize_image, image, &attrs));
}
