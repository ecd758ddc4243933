/* lenet: two 5x5 convolutions with pooling, two dense layers. Sizes are those of benchmarks (32 and
 * 64 channels, 512 units), not of 1998. */
#include "compute/models/model_internal.h"

static stk_symbol convolve(stk_graph *g, stk_symbol x, const char *name, int out,
                           const stk_model_options *options)
{
    stk_conv_layer conv = {
        .out = stk_model_channels(out, options->width), .kernel = {5}, .pad = 2, .bias = true};
    x = stk_relu(g, stk_layer_conv2d(g, x, name, &conv));
    return stk_max_pool(g, x, &(stk_pool_options){.kernel = {2, 2}});
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    x = convolve(g, x, "conv1", 32, options);
    x = convolve(g, x, "conv2", 64, options);
    x = stk_layer_flatten(g, x);
    stk_dense_layer dense = {.out = stk_model_channels(512, options->width)};
    x = stk_relu(g, stk_layer_dense(g, x, "fc1", &dense));
    return stk_model_classify(g, x, "fc2", STK_LAYER_DEFAULT, options);
}

const stk_model stk_model_lenet = {
    .name = "lenet",
    .help = "two 5x5 convolutions and two dense layers",
    .size = 28,
    .channels = 1,
    .classes = 10,
    .build = build,
};
