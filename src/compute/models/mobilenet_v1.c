/* MobileNet: alternating depthwise and pointwise convolutions. torchvision does not have it; names
 * follow its mobilenet_v2. */
#include "compute/models/model_internal.h"

/* Channels of the pointwise convolution and stride of the depthwise one before it. */
static const struct {
    int out, stride;
} rows[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
            {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    int channels = stk_model_channels(32, options->width);
    stk_graph_push_scope(g, "features");
    stk_conv_layer first = {.out = channels, .kernel = {3}, .stride = 2};
    x = stk_model_conv_norm(g, x, 0, &first, stk_relu, options);
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        stk_conv_layer depthwise = {
            .out = channels, .kernel = {3}, .stride = rows[i].stride, .groups = channels};
        channels = stk_model_channels(rows[i].out, options->width);
        stk_conv_layer pointwise = {.out = channels, .kernel = {1}};
        stk_model_enter(g, "", i + 1);
        stk_graph_push_scope(g, "conv");
        x = stk_model_conv_norm(g, x, 0, &depthwise, stk_relu, options);
        x = stk_model_conv_norm(g, x, 1, &pointwise, stk_relu, options);
        stk_graph_pop_scope(g);
        stk_graph_pop_scope(g);
    }
    stk_graph_pop_scope(g);
    x = stk_global_average_pool(g, x);
    stk_graph_push_scope(g, "classifier");
    x = stk_model_classify(g, x, "1", STK_LAYER_NORMAL, options);
    stk_graph_pop_scope(g);
    return x;
}

const stk_model stk_model_mobilenet_v1 = {
    .name = "mobilenet_v1",
    .help = "depthwise and pointwise convolutions; width scales it",
    .size = 224,
    .channels = 3,
    .classes = 1000,
    .build = build,
};
