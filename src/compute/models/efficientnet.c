/* EfficientNet-B0: inverted residuals with squeeze-and-excite and SiLU, as torchvision's. Training
 * uses stochastic depth with a rate that grows with depth. */
#include "compute/models/model_internal.h"

static const struct stage {
    int expand, kernel, stride, out, blocks;
} stages[] = {{1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
              {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};

enum { BLOCKS = 16 };
static const double depth_rate = 0.2; /* rate extrapolated to the block after the last */

typedef struct block {
    const struct stage *stage;
    int                 in, out, stride, index;
} block;

static stk_symbol inner(stk_graph *g, stk_symbol x, const block *b,
                        const stk_model_options *options)
{
    int            wide = b->in * b->stage->expand, number = 0;
    stk_conv_layer widen = {.out = wide, .kernel = {1}};
    stk_conv_layer depthwise = {
        .out = wide, .kernel = {b->stage->kernel}, .stride = b->stride, .groups = wide};
    stk_conv_layer    project = {.out = b->out, .kernel = {1}};
    stk_squeeze_layer squeeze = {
        .squeeze = b->in < 4 ? 1 : b->in / 4, .activation = stk_silu, .init = STK_LAYER_FAN_OUT};
    char name[4] = {(char)('1' + (b->stage->expand != 1))};
    if (b->stage->expand != 1) x = stk_model_conv_norm(g, x, number++, &widen, stk_silu, options);
    x = stk_model_conv_norm(g, x, number++, &depthwise, stk_silu, options);
    x = stk_layer_squeeze_excite(g, x, name, &squeeze);
    return stk_model_conv_norm(g, x, number + 1, &project, NULL, options);
}

static stk_symbol add_block(stk_graph *g, stk_symbol x, const block *b,
                            const stk_model_options *options)
{
    stk_graph_push_scope(g, "block");
    stk_symbol y = inner(g, x, b, options);
    stk_graph_pop_scope(g);
    if (b->stride != 1 || b->in != b->out) return y;
    double rate = options->dropout > 0 ? depth_rate * b->index / BLOCKS : 0;
    return stk_add(g, stk_model_drop(g, y, rate, true, options), x);
}

static stk_symbol features(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    int            channels = stk_model_channels(32, options->width), number = 0, index = 0;
    stk_conv_layer first = {.out = channels, .kernel = {3}, .stride = 2};
    x = stk_model_conv_norm(g, x, number++, &first, stk_silu, options);
    for (const struct stage *s = stages; s < stages + sizeof stages / sizeof *stages; s++) {
        int out = stk_model_channels(s->out, options->width);
        stk_model_enter(g, "", number++);
        for (int b = 0; b < s->blocks; b++) {
            stk_model_enter(g, "", b);
            x = add_block(g, x, &(block){s, channels, out, b ? 1 : s->stride, index++}, options);
            stk_graph_pop_scope(g);
            channels = out;
        }
        stk_graph_pop_scope(g);
    }
    stk_conv_layer last = {.out = 4 * channels, .kernel = {1}};
    return stk_model_conv_norm(g, x, number, &last, stk_silu, options);
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    stk_graph_push_scope(g, "features");
    x = features(g, x, options);
    stk_graph_pop_scope(g);
    x = stk_global_average_pool(g, x);
    stk_graph_push_scope(g, "classifier");
    x = stk_model_classify(g, x, "1", STK_LAYER_UNIFORM_OUT, options);
    stk_graph_pop_scope(g);
    return x;
}

const stk_model stk_model_efficientnet_b0 = {
    .name = "efficientnet_b0",
    .help = "inverted residuals with squeeze and excite, torchvision's",
    .size = 224,
    .channels = 3,
    .classes = 1000,
    .dropout = 0.2,
    .build = build,
};
