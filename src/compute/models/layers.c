/* Common layers: convolution, dense, norms. */
#include "compute/graph/graph_node.h"
#include "compute/models/layer.h"
#include "compute/ops/graph_ops.h"

int64_t stk_layer_channels(stk_graph *g, stk_symbol x, const char *name)
{
    stk_shape shape = stk_symbol_shape(g, x);
    if (shape.rank >= 2)
        return shape
            .dim[shape.rank == 4 && stk_graph_layout(g) == STK_LAYOUT_NCHW ? 1 : shape.rank - 1];
    char text[96];
    stk_graph_fail(g, STK_E_SHAPE, "layer", name, "x is %s; a layer takes images or rows",
                   stk_shape_text(&shape, text, sizeof text));
    return 0;
}

int64_t stk_layer_side(stk_graph *g, stk_symbol x, int side)
{
    stk_shape shape = stk_symbol_shape(g, x);
    return shape.rank == 4 ? shape.dim[side + (stk_graph_layout(g) == STK_LAYOUT_NCHW ? 2 : 1)] : 0;
}

static int one_if_zero(int value)
{
    return value ? value : 1;
}

/* Pads to size / stride, rounded up. An odd element goes to the end, as in TensorFlow. */
static void pad_same(int *pad, int64_t size, int kernel, int stride, int dilation)
{
    int64_t reach = (int64_t)(kernel - 1) * dilation + 1;
    int64_t total = ((size + stride - 1) / stride - 1) * stride + reach - size;
    if (total < 0) total = 0;
    pad[0] = (int)(total / 2);
    pad[1] = (int)(total - total / 2);
}

static stk_conv2d_options conv_options(stk_graph *g, stk_symbol x, const stk_conv_layer *layer,
                                       const int *kernel)
{
    int                stride = one_if_zero(layer->stride), dilation = one_if_zero(layer->dilation);
    stk_conv2d_options o = {.stride = {stride, stride},
                            .dilation = {dilation, dilation},
                            .pad = {layer->pad, layer->pad, layer->pad, layer->pad},
                            .groups = one_if_zero(layer->groups)};
    for (int side = 0; layer->pad == STK_PAD_SAME && side < 2; side++)
        pad_same(o.pad + 2 * side, stk_layer_side(g, x, side), kernel[side], stride, dilation);
    return o;
}

stk_symbol stk_layer_conv2d(stk_graph *g, stk_symbol x, const char *name,
                            const stk_conv_layer *options)
{
    int64_t in = stk_layer_channels(g, x, name);
    int     kernel[2] = {options->kernel[0],
                     options->kernel[1] ? options->kernel[1] : options->kernel[0]};
    int     groups = one_if_zero(options->groups);
    if (groups < 0 || in % groups)
        return stk_graph_fail(g, STK_E_SHAPE, "conv2d", name, "%lld channels do not make %d groups",
                              (long long)in, groups);
    stk_conv2d_options options2d = conv_options(g, x, options, kernel);
    stk_shape          shape = stk_shape_4d(options->out, in / groups, kernel[0], kernel[1]);
    stk_graph_push_scope(g, name);
    stk_symbol weight = stk_layer_weight(g, shape, options->init, options->frozen);
    stk_symbol bias = options->bias
                          ? stk_layer_bias(g, shape, options->init, options->bias_freeze_after)
                          : STK_NO_SYMBOL;
    stk_symbol y = stk_conv2d(g, x, weight, bias, &options2d);
    stk_graph_pop_scope(g);
    return y;
}

static stk_symbol dense_bias(stk_graph *g, stk_shape weight, const stk_dense_layer *options)
{
    if (options->no_bias) return STK_NO_SYMBOL;
    if (options->bias_deviation == 0) return stk_layer_bias(g, weight, options->init, 0);
    return stk_layer_parameter(g, "bias", stk_shape_1d(weight.dim[0]),
                               (stk_init){STK_INIT_NORMAL, 0, options->bias_deviation});
}

stk_symbol stk_layer_dense(stk_graph *g, stk_symbol x, const char *name,
                           const stk_dense_layer *options)
{
    stk_shape shape = stk_symbol_shape(g, x);
    if (shape.rank < 2) return (void)stk_layer_channels(g, x, name), STK_NO_SYMBOL;
    stk_shape weight_shape = stk_shape_2d(options->out, shape.dim[shape.rank - 1]);
    stk_graph_push_scope(g, name);
    stk_symbol weight = stk_layer_weight(g, weight_shape, options->init, false);
    stk_symbol y = stk_dense(g, x, weight, dense_bias(g, weight_shape, options));
    stk_graph_pop_scope(g);
    return y;
}

static stk_symbol statistic(stk_graph *g, const char *name, int64_t channels, double first)
{
    return stk_graph_variable(g, name, STK_DTYPE_F32, stk_shape_1d(channels),
                              &(stk_variable_options){.role = STK_VARIABLE_STATISTIC,
                                                      .init = {STK_INIT_CONSTANT, first, 0}});
}

static bool is_frozen(const stk_graph *g, stk_symbol parameter)
{
    return stk_symbol_is_none(parameter) || stk_graph_symbol_of(g, parameter)->variable.frozen;
}

/* If all of it is frozen its statistics are too, so a frozen backbone behaves as in inference. */
stk_symbol stk_layer_batch_norm(stk_graph *g, stk_symbol x, const char *name,
                                const stk_norm_layer *options)
{
    int64_t        channels = stk_layer_channels(g, x, name);
    stk_batch_norm norm = {.epsilon = options->epsilon,
                           .momentum = options->momentum,
                           .inference = !options->training};
    stk_init       one = {STK_INIT_CONSTANT, options->zero ? 0 : 1, 0};
    stk_graph_push_scope(g, name);
    if (!options->no_scale)
        norm.gamma = stk_layer_parameter(g, "weight", stk_shape_1d(channels), one);
    norm.beta = stk_graph_variable(g, "bias", STK_DTYPE_F32, stk_shape_1d(channels),
                                   &(stk_variable_options){.rate = options->bias_rate});
    norm.mean = statistic(g, "running_mean", channels, 0);
    norm.var = statistic(g, "running_var", channels, 1);
    if (is_frozen(g, norm.gamma) && is_frozen(g, norm.beta)) norm.inference = true;
    stk_symbol y = stk_batch_normalize(g, x, &norm);
    stk_graph_pop_scope(g);
    return y;
}

stk_symbol stk_layer_layer_norm(stk_graph *g, stk_symbol x, const char *name, double epsilon)
{
    stk_shape shape = stk_symbol_shape(g, x);
    if (shape.rank < 2) return (void)stk_layer_channels(g, x, name), STK_NO_SYMBOL;
    stk_shape last = stk_shape_1d(shape.dim[shape.rank - 1]);
    stk_graph_push_scope(g, name);
    stk_symbol gamma = stk_layer_parameter(g, "weight", last, (stk_init){STK_INIT_CONSTANT, 1, 0});
    stk_symbol beta = stk_layer_parameter(g, "bias", last, (stk_init){STK_INIT_CONSTANT, 0, 0});
    stk_symbol y = stk_layer_normalize(g, x, gamma, beta, epsilon);
    stk_graph_pop_scope(g);
    return y;
}

stk_symbol stk_layer_flatten(stk_graph *g, stk_symbol x)
{
    return stk_flatten(g, stk_symbol_shape(g, x).rank == 4 ? stk_to_nhwc(g, x) : x);
}
