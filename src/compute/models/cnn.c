/* cnn: three convolutions with batch norm, trainable in a minute on images of 28 or 32 pixels.
 * Channels are multiples of 16, the vector width of AVX-512. */
#include "compute/models/layer.h"
#include "compute/models/model_internal.h"

static stk_symbol convolve(stk_graph *g, stk_symbol x, int number, int out,
                           const stk_model_options *options)
{
    int            channels = stk_model_channels(out, options->width);
    stk_conv_layer conv = {.out = channels, .kernel = {3}};
    stk_graph_push_scope(g, "features");
    x = stk_model_conv_norm(g, x, number, &conv, stk_relu, options);
    stk_graph_pop_scope(g);
    return x;
}

static stk_symbol halve(stk_graph *g, stk_symbol x)
{
    return stk_max_pool(g, x, &(stk_pool_options){.kernel = {2, 2}});
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    x = halve(g, convolve(g, x, 0, 32, options));
    x = halve(g, convolve(g, x, 1, 64, options));
    x = convolve(g, x, 2, 128, options);
    stk_pool_options all = {.kernel = {(int)stk_layer_side(g, x, 0), (int)stk_layer_side(g, x, 1)}};
    x = stk_layer_flatten(g, stk_max_pool(g, x, &all));
    return stk_model_classify(g, x, "fc", STK_LAYER_DEFAULT, options);
}

const stk_model stk_model_cnn = {
    .name = "cnn",
    .help = "convolutions with batch norm for 28x28 and 32x32, quick to learn",
    .size = 28,
    .channels = 1,
    .classes = 10,
    .build = build,
};
