/* A small vision transformer: 12 layers of width 192 (64 per head), with the names of torchvision's
 * VisionTransformer. Patches are 16x16, or 4x4 for images of up to 64. */
#include "compute/models/layer.h"
#include "compute/models/model_internal.h"
#include "compute/ops/graph_ops.h"

enum { LAYERS = 12, HEADS = 3, HEAD_WIDTH = 64, SMALL = 64 };

static const double epsilon = 1e-6;

static int count_heads(const stk_model_options *options)
{
    int heads = (int)(HEADS * options->width + 0.5);
    return heads > 1 ? heads : 1;
}

/* Patches in row-major order, [N,T,width]. */
static stk_symbol cut(stk_graph *g, stk_symbol x, int width)
{
    int            patch = stk_layer_side(g, x, 0) > SMALL ? 16 : 4;
    stk_conv_layer conv = {
        .out = width, .kernel = {patch}, .stride = patch, .bias = true, .init = STK_LAYER_FAN_IN};
    x = stk_to_nhwc(g, stk_layer_conv2d(g, x, "conv_proj", &conv));
    return stk_reshape(g, x, stk_shape_3d(stk_symbol_shape(g, x).dim[0], -1, width));
}

/* Prepends the class token. */
static stk_symbol put_token(stk_graph *g, stk_symbol x, stk_symbol token, int width)
{
    int64_t    batch = stk_symbol_shape(g, x).dim[0];
    stk_symbol parts[2] = {stk_broadcast(g, token, stk_shape_3d(batch, 1, width)), x};
    return stk_concat(g, parts, 2, 1);
}

static stk_symbol mlp(stk_graph *g, stk_symbol x, int width)
{
    stk_dense_layer wide = {.out = 4 * width, .init = STK_LAYER_XAVIER, .bias_deviation = 1e-6};
    stk_dense_layer back = {.out = width, .init = STK_LAYER_XAVIER, .bias_deviation = 1e-6};
    stk_graph_push_scope(g, "mlp");
    x = stk_gelu(g, stk_layer_dense(g, x, "0", &wide));
    x = stk_layer_dense(g, x, "3", &back);
    stk_graph_pop_scope(g);
    return x;
}

static stk_symbol encode(stk_graph *g, stk_symbol x, int heads)
{
    x = stk_layer_position(g, x, "pos_embedding");
    stk_graph_push_scope(g, "layers");
    for (int i = 0; i < LAYERS; i++) {
        stk_model_enter(g, "encoder_layer_", i);
        stk_symbol y = stk_layer_layer_norm(g, x, "ln_1", epsilon);
        x = stk_add(g, x, stk_layer_attention(g, y, "self_attention", heads));
        y = stk_layer_layer_norm(g, x, "ln_2", epsilon);
        x = stk_add(g, x, mlp(g, y, heads * HEAD_WIDTH));
        stk_graph_pop_scope(g);
    }
    stk_graph_pop_scope(g);
    return stk_layer_layer_norm(g, x, "ln", epsilon);
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    int        heads = count_heads(options), width = heads * HEAD_WIDTH;
    stk_symbol token =
        stk_graph_variable(g, "class_token", STK_DTYPE_F32, stk_shape_3d(1, 1, width),
                           &(stk_variable_options){.no_decay = true});
    x = put_token(g, cut(g, x, width), token, width);
    stk_graph_push_scope(g, "encoder");
    x = encode(g, x, heads);
    stk_graph_pop_scope(g);
    const int64_t start[3] = {0}, size[3] = {-1, 1, -1};
    x = stk_reshape(g, stk_slice(g, x, start, size), stk_shape_2d(-1, width));
    stk_graph_push_scope(g, "heads");
    x = stk_model_classify(g, x, "head", STK_LAYER_ZERO, options);
    stk_graph_pop_scope(g);
    return x;
}

const stk_model stk_model_vit_tiny = {
    .name = "vit_tiny",
    .help = "a small vision transformer; patches of 16, of 4 up to size 64",
    .size = 224,
    .channels = 3,
    .classes = 1000,
    .build = build,
};
