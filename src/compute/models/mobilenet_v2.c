/* MobileNetV2: inverted residuals with linear bottlenecks, as torchvision's mobilenet_v2. */
#include "compute/models/model_internal.h"

static const struct stage {
    int expand, out, blocks, stride;
} stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

static stk_symbol project(stk_graph *g, stk_symbol x, int number, int out,
                          const stk_model_options *options)
{
    char conv[4] = {(char)('0' + number)}, norm[4] = {(char)('1' + number)};
    x = stk_layer_conv2d(g, x, conv,
                         &(stk_conv_layer){.out = out, .kernel = {1}, .init = STK_LAYER_FAN_OUT});
    return stk_layer_batch_norm(g, x, norm, &(stk_norm_layer){.training = options->training});
}

static stk_symbol block(stk_graph *g, stk_symbol x, int in, int out, int expand, int stride,
                        const stk_model_options *options)
{
    stk_symbol     y = x;
    int            wide = in * expand, number = 0;
    stk_conv_layer widen = {.out = wide, .kernel = {1}};
    stk_conv_layer depthwise = {.out = wide, .kernel = {3}, .stride = stride, .groups = wide};
    stk_graph_push_scope(g, "conv");
    if (expand != 1) y = stk_model_conv_norm(g, y, number++, &widen, stk_relu6, options);
    y = stk_model_conv_norm(g, y, number++, &depthwise, stk_relu6, options);
    y = project(g, y, number, out, options);
    stk_graph_pop_scope(g);
    return stride == 1 && in == out ? stk_add(g, x, y) : y;
}

static stk_symbol features(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    int            channels = stk_model_channels(32, options->width), number = 0;
    stk_conv_layer first = {.out = channels, .kernel = {3}, .stride = 2};
    x = stk_model_conv_norm(g, x, number++, &first, stk_relu6, options);
    for (const struct stage *s = stages; s < stages + sizeof stages / sizeof *stages; s++)
        for (int b = 0; b < s->blocks; b++) {
            int out = stk_model_channels(s->out, options->width);
            stk_model_enter(g, "", number++);
            x = block(g, x, channels, out, s->expand, b ? 1 : s->stride, options);
            stk_graph_pop_scope(g);
            channels = out;
        }
    double wider = options->width > 1 ? options->width : 1; /* the last layer is never narrower */
    stk_conv_layer last = {.out = stk_model_channels(1280, wider), .kernel = {1}};
    return stk_model_conv_norm(g, x, number, &last, stk_relu6, options);
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    stk_graph_push_scope(g, "features");
    x = features(g, x, options);
    stk_graph_pop_scope(g);
    x = stk_global_average_pool(g, x);
    stk_graph_push_scope(g, "classifier");
    x = stk_model_classify(g, x, "1", STK_LAYER_NORMAL, options);
    stk_graph_pop_scope(g);
    return x;
}

const stk_model stk_model_mobilenet_v2 = {
    .name = "mobilenet_v2",
    .help = "inverted residuals, torchvision's; width scales it",
    .size = 224,
    .channels = 3,
    .classes = 1000,
    .dropout = 0.2,
    .build = build,
};
