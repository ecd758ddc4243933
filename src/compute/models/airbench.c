/* airbench94, which learns CIFAR-10 in seconds. Its first layer is frozen and whitens 2x2 patches
 * (stk_model_whiten computes it from data); the layer's bias is trained only at the start.
 * Convolutions start as copies of their input, and biases of norms have 64 times the learning
 * rate. */
#include "compute/models/layer.h"
#include "compute/models/model_internal.h"

static const double bias_rate = 64, new_statistics = 0.4, norm_epsilon = 1e-12;
static const double whiten_freeze_after = 0.3025; /* of the steps: 3 of the published 9.9 epochs */
static const double logit_scale = 1.0 / 9;

static stk_symbol convolve(stk_graph *g, stk_symbol x, const char *name, int out)
{
    return stk_layer_conv2d(
        g, x, name,
        &(stk_conv_layer){.out = out, .kernel = {3}, .pad = 1, .init = STK_LAYER_DIRAC});
}

static stk_symbol normalize(stk_graph *g, stk_symbol x, const char *name,
                            const stk_model_options *options)
{
    stk_norm_layer norm = {.training = options->training,
                           .epsilon = norm_epsilon,
                           .momentum = new_statistics,
                           .no_scale = true,
                           .bias_rate = bias_rate};
    return stk_gelu(g, stk_layer_batch_norm(g, x, name, &norm));
}

static stk_symbol group(stk_graph *g, stk_symbol x, int number, int channels,
                        const stk_model_options *options)
{
    int out = stk_model_channels(channels, options->width);
    stk_model_enter(g, "group", number);
    x = convolve(g, x, "conv1", out);
    x = stk_max_pool(g, x, &(stk_pool_options){.kernel = {2, 2}});
    x = normalize(g, x, "norm1", options);
    x = normalize(g, convolve(g, x, "conv2", out), "norm2", options);
    stk_graph_pop_scope(g);
    return x;
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    int            patch = 4 * (int)stk_layer_channels(g, x, "whiten"); /* values in 2x2 */
    stk_conv_layer whiten = {.out = 2 * patch,
                             .kernel = {2},
                             .bias = true,
                             .frozen = true,
                             .bias_freeze_after = whiten_freeze_after,
                             .init = STK_LAYER_FAN_IN};
    x = stk_gelu(g, stk_layer_conv2d(g, x, "whiten", &whiten));
    x = group(g, x, 1, 64, options);
    x = group(g, x, 2, 256, options);
    x = group(g, x, 3, 256, options);
    stk_pool_options all = {.kernel = {(int)stk_layer_side(g, x, 0), (int)stk_layer_side(g, x, 1)}};
    x = stk_layer_flatten(g, stk_max_pool(g, x, &all));
    x = stk_model_drop(g, x, options->dropout, false, options);
    x = stk_layer_dense(g, x, "head", &(stk_dense_layer){.out = options->classes, .no_bias = true});
    return stk_scale(g, x, logit_scale, 0);
}

const stk_model stk_model_airbench = {
    .name = "airbench",
    .help = "the fast CIFAR-10 network of airbench94; its first layer whitens",
    .size = 32,
    .channels = 3,
    .classes = 10,
    .build = build,
};
