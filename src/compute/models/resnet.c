/* Residual networks: torchvision's for large images, those of the paper for CIFAR, and resnet18 in
 * its common form for CIFAR. resnet50 is "v1.5", with the stride in the 3x3 convolution. Shortcuts
 * that change size are 1x1 convolutions with batch norm (the paper's option B). Option A, zero
 * padding of channels, would save 2752 parameters of resnet20 and need a second kind of block. */
#include "compute/models/model_internal.h"

enum { STAGES = 4 };

typedef struct resnet {
    int  blocks[STAGES]; /* 0: no such stage */
    int  first;          /* channels of the first stage; each stage doubles them */
    bool bottleneck;     /* 1x1, 3x3, 1x1 to four times the channels; else 3x3, 3x3 */
    bool small;          /* the stem is one 3x3 at full size; else 7x7 and a pool, to a quarter */
} resnet;

static stk_symbol convolve(stk_graph *g, stk_symbol x, const char *name, int out, int kernel,
                           int stride)
{
    return stk_layer_conv2d(g, x, name,
                            &(stk_conv_layer){.out = out,
                                              .kernel = {kernel},
                                              .stride = stride,
                                              .pad = (kernel - 1) / 2,
                                              .init = STK_LAYER_FAN_OUT});
}

static stk_symbol normalize(stk_graph *g, stk_symbol x, const char *name, bool last,
                            const stk_model_options *options)
{
    return stk_layer_batch_norm(
        g, x, name,
        &(stk_norm_layer){.training = options->training, .zero = last && options->zero_last_gamma});
}

static stk_symbol shortcut(stk_graph *g, stk_symbol x, int out, int stride,
                           const stk_model_options *options)
{
    stk_graph_push_scope(g, "downsample");
    x = normalize(g, convolve(g, x, "0", out, 1, stride), "1", false, options);
    stk_graph_pop_scope(g);
    return x;
}

/* *in holds the channels of x, and of the result afterwards. */
static stk_symbol block(stk_graph *g, stk_symbol x, const resnet *net, int channels, int stride,
                        int *in, const stk_model_options *options)
{
    int        out = channels * (net->bottleneck ? 4 : 1), k = net->bottleneck ? 1 : 3;
    stk_symbol y = convolve(g, x, "conv1", channels, k, net->bottleneck ? 1 : stride);
    y = stk_relu(g, normalize(g, y, "bn1", false, options));
    y = convolve(g, y, "conv2", channels, 3, net->bottleneck ? stride : 1);
    y = normalize(g, y, "bn2", !net->bottleneck, options);
    if (net->bottleneck) {
        y = convolve(g, stk_relu(g, y), "conv3", out, 1, 1);
        y = normalize(g, y, "bn3", true, options);
    }
    if (stride != 1 || *in != out) x = shortcut(g, x, out, stride, options);
    *in = out;
    return stk_relu(g, stk_add(g, y, x));
}

static stk_symbol stem(stk_graph *g, stk_symbol x, const resnet *net, int channels,
                       const stk_model_options *options)
{
    x = net->small ? convolve(g, x, "conv1", channels, 3, 1)
                   : convolve(g, x, "conv1", channels, 7, 2);
    x = stk_relu(g, normalize(g, x, "bn1", false, options));
    if (net->small) return x;
    stk_pool_options pool = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}};
    return stk_max_pool(g, x, &pool);
}

static stk_symbol build(stk_graph *g, stk_symbol x, const resnet *net,
                        const stk_model_options *options)
{
    int in = stk_model_channels(net->first, options->width);
    x = stem(g, x, net, in, options);
    for (int s = 0; s < STAGES && net->blocks[s]; s++) {
        int channels = stk_model_channels(net->first << s, options->width);
        stk_model_enter(g, "layer", s + 1);
        for (int b = 0; b < net->blocks[s]; b++) {
            stk_model_enter(g, "", b);
            x = block(g, x, net, channels, s && !b ? 2 : 1, &in, options);
            stk_graph_pop_scope(g);
        }
        stk_graph_pop_scope(g);
    }
    x = stk_global_average_pool(g, x);
    return stk_model_classify(g, x, "fc", STK_LAYER_DEFAULT, options);
}

#define RESNET(id, help_, size_, classes_, ...)                                                    \
    static stk_symbol build_##id(stk_graph *g, stk_symbol x, const stk_model_options *options)     \
    {                                                                                              \
        static const resnet net = {__VA_ARGS__};                                                   \
        return build(g, x, &net, options);                                                         \
    }                                                                                              \
    const stk_model stk_model_##id = {                                                             \
        .name = #id,                                                                               \
        .help = help_,                                                                             \
        .size = size_,                                                                             \
        .channels = 3,                                                                             \
        .classes = classes_,                                                                       \
        .build = build_##id,                                                                       \
    };

RESNET(resnet8, "residual network for 32x32, one block a stage", 32, 10, .blocks = {1, 1, 1},
       .first = 16, .small = true)
RESNET(resnet20, "residual network for 32x32, three blocks a stage", 32, 10, .blocks = {3, 3, 3},
       .first = 16, .small = true)
RESNET(resnet18_cifar, "residual network for 32x32, resnet18 but for its beginning", 32, 10,
       .blocks = {2, 2, 2, 2}, .first = 64, .small = true)
RESNET(resnet18, "residual network, torchvision's", 224, 1000, .blocks = {2, 2, 2, 2}, .first = 64)
RESNET(resnet34, "residual network, torchvision's", 224, 1000, .blocks = {3, 4, 6, 3}, .first = 64)
RESNET(resnet50, "residual network with bottlenecks (v1.5), torchvision's", 224, 1000,
       .blocks = {3, 4, 6, 3}, .first = 64, .bottleneck = true)
