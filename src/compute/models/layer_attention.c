/* Multi-head self-attention, with the variables of PyTorch's MultiheadAttention. */
#include "compute/graph/graph_node.h"
#include "compute/models/layer.h"
#include <math.h>

typedef struct heads {
    int64_t batch, tokens, width, count, each;
} heads;

static stk_symbol project_in(stk_graph *g, stk_symbol x, int64_t width)
{
    double bound =
        sqrt(6.0 / (double)(4 * width)); /* Xavier over the three projections as one matrix */
    stk_symbol weight = stk_layer_parameter(g, "in_proj_weight", stk_shape_2d(3 * width, width),
                                            (stk_init){STK_INIT_UNIFORM, -bound, bound});
    stk_symbol bias = stk_layer_parameter(g, "in_proj_bias", stk_shape_1d(3 * width),
                                          (stk_init){STK_INIT_CONSTANT, 0, 0});
    return stk_dense(g, x, weight, bias);
}

/* Query (0), key (1) or value (2) of all heads, [N,heads,T,each]. */
static stk_symbol head_part(stk_graph *g, stk_symbol all, const heads *h, int which)
{
    const int64_t start[5] = {which}, size[5] = {1, -1, -1, -1, -1};
    return stk_reshape(g, stk_slice(g, all, start, size),
                       stk_shape_4d(h->batch, h->count, h->tokens, h->each));
}

static stk_symbol attend(stk_graph *g, stk_symbol x, const heads *h)
{
    stk_shape  split = {5, {h->batch, h->tokens, 3, h->count, h->each}};
    stk_symbol all = stk_reshape(g, project_in(g, x, h->width), split);
    all = stk_transpose(g, all, (const int[]){2, 0, 3, 1, 4});
    stk_symbol query = stk_scale(g, head_part(g, all, h, 0), 1 / sqrt((double)h->each), 0);
    stk_symbol scores =
        stk_matmul(g, query, head_part(g, all, h, 1), &(stk_matmul_options){.transpose_b = true});
    stk_symbol mixed = stk_matmul(g, stk_softmax(g, scores), head_part(g, all, h, 2), NULL);
    mixed = stk_transpose(g, mixed, (const int[]){0, 2, 1, 3});
    return stk_reshape(g, mixed, stk_shape_3d(h->batch, h->tokens, h->width));
}

/* PyTorch initializes the output's weight as a dense layer's, but its bias with zero. */
static stk_symbol project_out(stk_graph *g, stk_symbol x, int64_t width)
{
    stk_shape shape = stk_shape_2d(width, width);
    stk_graph_push_scope(g, "out_proj");
    stk_symbol weight = stk_layer_weight(g, shape, STK_LAYER_DEFAULT, false);
    stk_symbol y = stk_dense(g, x, weight, stk_layer_bias(g, shape, STK_LAYER_ZERO, 0));
    stk_graph_pop_scope(g);
    return y;
}

stk_symbol stk_layer_attention(stk_graph *g, stk_symbol x, const char *name, int count)
{
    stk_shape shape = stk_symbol_shape(g, x);
    char      text[96];
    if (shape.rank != 3 || count < 1 || shape.dim[2] % count)
        return stk_graph_fail(g, STK_E_SHAPE, "attention", name,
                              "x is %s; [batch,tokens,width] with a width for %d heads is needed",
                              stk_shape_text(&shape, text, sizeof text), count);
    heads h = {shape.dim[0], shape.dim[1], shape.dim[2], count, shape.dim[2] / count};
    stk_graph_push_scope(g, name);
    stk_symbol y = project_out(g, attend(g, x, &h), h.width);
    stk_graph_pop_scope(g);
    return y;
}
