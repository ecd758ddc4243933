/* Shared by models. */
#include "compute/models/model_internal.h"
#include <stdio.h>

int stk_model_channels(int channels, double width)
{
    enum { DIVISOR = 8 };
    if (width == 1) return channels;
    double requested = channels * width;
    int    made = (int)(requested + DIVISOR / 2) / DIVISOR * DIVISOR;
    if (made < DIVISOR) made = DIVISOR;
    return made < 0.9 * requested ? made + DIVISOR
                                  : made; /* at least 90 % of the requested channels */
}

void stk_model_enter(stk_graph *g, const char *word, int number)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", word, number);
    stk_graph_push_scope(g, name);
}

stk_symbol stk_model_conv_norm(stk_graph *g, stk_symbol x, int number, const stk_conv_layer *layer,
                               stk_model_activation *activation, const stk_model_options *options)
{
    stk_conv_layer conv = *layer;
    conv.pad = (conv.kernel[0] - 1) / 2;
    conv.init = STK_LAYER_FAN_OUT;
    stk_model_enter(g, "", number);
    x = stk_layer_conv2d(g, x, "0", &conv);
    x = stk_layer_batch_norm(g, x, "1", &(stk_norm_layer){.training = options->training});
    if (activation) x = activation(g, x);
    stk_graph_pop_scope(g);
    return x;
}

stk_symbol stk_model_drop(stk_graph *g, stk_symbol x, double rate, bool rows,
                          const stk_model_options *options)
{
    if (!options->training || rate <= 0) return x;
    return stk_dropout(g, x, options->step, &(stk_dropout_options){rate, rows});
}

stk_symbol stk_model_classify(stk_graph *g, stk_symbol x, const char *name, stk_layer_init init,
                              const stk_model_options *options)
{
    x = stk_model_drop(g, x, options->dropout, false, options);
    return stk_layer_dense(g, x, name, &(stk_dense_layer){.out = options->classes, .init = init});
}
