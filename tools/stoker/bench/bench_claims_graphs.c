/* Layers alone: forward, and the gradients by weights and input. */
#include "bench_claims.h"

#include <stdio.h>
#include <stoker/layers.h>

enum { VARIABLES = 64 };

/* The input's gradient too, as a layer in the middle of a network has it. */
static stk_status finish(stk_graph *g, stk_symbol x, stk_symbol y, stk_error *err)
{
    stk_symbol of[VARIABLES + 1] = {x}, gradients[VARIABLES + 1];
    char       name[32];
    size_t     count = 1;
    stk_symbol target = stk_graph_input(g, "target", STK_DTYPE_F32, stk_symbol_shape(g, y));
    stk_symbol loss = stk_mean_squared_error(g, y, target);
    for (size_t i = 0; i < stk_graph_variable_count(g); i++) {
        const stk_graph_variable_info v = stk_graph_variable_at(g, i);
        if (v.options.role == STK_VARIABLE_PARAMETER && count <= VARIABLES) of[count++] = v.symbol;
    }
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, of, count, gradients);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "gradient%zu", i);
        stk_graph_output(g, name, gradients[i]);
    }
    return stk_graph_check(g, err);
}

stk_status cli_claim_dense(stk_graph **out, int64_t rows, int64_t in, int64_t width, stk_error *err)
{
    STK_TRY(stk_graph_new(out, NULL, err));
    stk_symbol x = stk_graph_input(*out, "x", STK_DTYPE_F32, stk_shape_2d(rows, in));
    stk_symbol y = stk_layer_dense(*out, x, "dense", &(stk_dense_layer){.out = width});
    return finish(*out, x, y, err);
}

stk_status cli_claim_convolutions(stk_graph **out, stk_layout layout, int depth, int64_t batch,
                                  int64_t side, int channels, stk_error *err)
{
    const stk_conv_layer conv = {.out = channels, .kernel = {3}, .pad = 1};
    const stk_norm_layer norm = {.training = true};
    const stk_shape      nhwc = {.rank = 4, .dim = {batch, side, side, channels}};
    const stk_shape      nchw = {.rank = 4, .dim = {batch, channels, side, side}};
    char                 name[16];
    STK_TRY(stk_graph_new(out, &(stk_graph_options){.layout = layout}, err));
    stk_symbol x =
        stk_graph_input(*out, "x", STK_DTYPE_F32, layout == STK_LAYOUT_NCHW ? nchw : nhwc);
    stk_symbol y = x;
    for (int i = 0; i < depth; i++) {
        snprintf(name, sizeof name, "layer%d", i);
        stk_graph_push_scope(*out, name);
        y = stk_layer_conv2d(*out, y, "conv", &conv);
        y = stk_relu(*out, stk_layer_batch_norm(*out, y, "norm", &norm));
        stk_graph_pop_scope(*out);
    }
    return finish(*out, x, y, err);
}
