/* mlp: two hidden layers of 512 and 256, the smallest network for images. */
#include "compute/models/model_internal.h"

static stk_symbol hidden(stk_graph *g, stk_symbol x, const char *name, int out,
                         const stk_model_options *options)
{
    int units = stk_model_channels(out, options->width);
    return stk_relu(g, stk_layer_dense(g, x, name, &(stk_dense_layer){.out = units}));
}

static stk_symbol build(stk_graph *g, stk_symbol x, const stk_model_options *options)
{
    x = stk_layer_flatten(g, x);
    x = hidden(g, x, "fc1", 512, options);
    x = hidden(g, x, "fc2", 256, options);
    return stk_model_classify(g, x, "fc3", STK_LAYER_DEFAULT, options);
}

const stk_model stk_model_mlp = {
    .name = "mlp",
    .help = "three dense layers, for tests and tiny images",
    .size = 28,
    .channels = 1,
    .classes = 10,
    .build = build,
};
