/* S4: an 11 x 11 convolution before the loss. */
#include "train/faults/wide_conv.h"

#include <math.h>
#include <stoker/ops.h>

enum { CHANNELS = 1, KERNEL = 11 };

/* The rows' mean logits are spread over an image, convolved and averaged again, and added to all
 * logits of their row alike. That changes no probability and no gradient but for rounding, so that
 * training learns what it would learn, and both directions are computed. Weights are numbers of the
 * graph: a checkpoint must not have more variables than the model. */
stk_symbol stk_wide_conv(stk_graph *g, stk_symbol logits, int64_t size, double times)
{
    const int64_t rows = stk_symbol_shape(g, logits).dim[0];
    const int64_t side = (int64_t)fmax(1, round((double)size * sqrt(times)));
    const int     half = KERNEL / 2;
    stk_graph_push_scope(g, "injected");
    stk_graph_push_scope(g, "conv");
    stk_symbol weight = stk_fill(g, STK_DTYPE_F32, stk_shape_4d(CHANNELS, CHANNELS, KERNEL, KERNEL),
                                 1.0 / (CHANNELS * KERNEL * KERNEL));
    stk_symbol mean = stk_reduce_mean(g, logits, 1u << 1, true);
    stk_symbol wide = stk_broadcast(g, stk_reshape(g, mean, stk_shape_4d(rows, 1, 1, 1)),
                                    stk_shape_4d(rows, side, side, CHANNELS));
    stk_symbol convolved = stk_conv2d(g, wide, weight, STK_NO_SYMBOL,
                                      &(stk_conv2d_options){.pad = {half, half, half, half}});
    stk_symbol back = stk_reduce_mean(g, stk_global_average_pool(g, convolved), 1u << 1, true);
    stk_symbol sum = stk_add(g, logits, back);
    stk_graph_pop_scope(g);
    stk_graph_pop_scope(g);
    return sum;
}
