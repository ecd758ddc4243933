/* Attributes of convolutions, dgrad and wgrad. Images are [N,H,W,C], weights
 * [out,in/groups,kh,kw]. */
#ifndef STK_COMPUTE_OPS_CONV2D_H
#define STK_COMPUTE_OPS_CONV2D_H

#include "compute/ops/activation.h"

typedef struct stk_conv2d_attrs {
    int            stride[2], dilation[2];
    int            pad[4]; /* top, bottom, left, right */
    int            groups;
    int            size[2]; /* of the input (dgrad) or the kernel (wgrad); else 0 */
    int            unused;  /* fills padding: attributes are compared as bytes */
    stk_activation act;     /* conv2d only: applied after the bias */
} stk_conv2d_attrs;

/* Outputs of conv2d: y alone, or all three. */
enum { STK_CONV2D_Y, STK_CONV2D_MEAN, STK_CONV2D_VAR, STK_CONV2D_OUTPUTS };

/* conv2d(x, w, [bias]) -> y, [mean, var]: statistics per channel as of bn_stats;
 * conv2d_grad_input(dy, w, [addend]) -> dx + addend (dgrad);
 * conv2d_grad_weight(x, dy) -> dw, [dbias] (wgrad). */

/* Inputs of conv2d_grad_norm. */
enum {
    STK_GRAD_NORM_DY,
    STK_GRAD_NORM_W,
    STK_GRAD_NORM_ADDEND,
    STK_GRAD_NORM_BITS, /* mask of the sum, as written by bn_apply */
    STK_GRAD_NORM_X,    /* of the norm */
    STK_GRAD_NORM_MEAN,
    STK_GRAD_NORM_INVSTD,
    STK_GRAD_NORM_INPUTS
};

/* Sizes of all three directions, for kernels. */
typedef struct stk_conv2d_shape {
    int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w;
} stk_conv2d_shape;

stk_conv2d_shape stk_conv2d_shape_of(const stk_graph_op *op, const stk_op_instance *instance);

#endif
