/* Squeeze-and-excite. The weights are 1x1 convolutions as in torchvision, but computed as dense
 * layers: on one pixel they are equal and have less overhead. */
#include "compute/models/layer.h"

static stk_symbol pointwise(stk_graph *g, stk_symbol x, const char *name, int64_t out,
                            stk_layer_init init)
{
    int64_t   in = stk_layer_channels(g, x, name);
    stk_shape shape = stk_shape_4d(out, in, 1, 1);
    stk_graph_push_scope(g, name);
    stk_symbol weight = stk_layer_weight(g, shape, init, false);
    stk_symbol rows = stk_reshape(g, weight, stk_shape_2d(out, in));
    stk_symbol y = stk_dense(g, x, rows, stk_layer_bias(g, shape, init, 0));
    stk_graph_pop_scope(g);
    return y;
}

stk_symbol stk_layer_squeeze_excite(stk_graph *g, stk_symbol x, const char *name,
                                    const stk_squeeze_layer *options)
{
    int64_t batch = stk_symbol_shape(g, x).dim[0], channels = stk_layer_channels(g, x, name);
    bool    nchw = stk_graph_layout(g) == STK_LAYOUT_NCHW;
    stk_graph_push_scope(g, name);
    stk_symbol s = stk_global_average_pool(g, x);
    s = pointwise(g, s, "fc1", options->squeeze, options->init);
    s = options->activation ? options->activation(g, s) : stk_relu(g, s);
    s = pointwise(g, s, "fc2", channels, options->init);
    s = options->gate ? options->gate(g, s) : stk_sigmoid(g, s);
    s = stk_reshape(
        g, s, nchw ? stk_shape_4d(batch, channels, 1, 1) : stk_shape_4d(batch, 1, 1, channels));
    stk_symbol y = stk_mul(g, x, s);
    stk_graph_pop_scope(g);
    return y;
}
