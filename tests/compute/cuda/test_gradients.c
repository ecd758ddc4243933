/* Gradients of a complete network by every parameter equal finite differences on the device. */
#include "base/philox.h"
#include "compute/cuda/cuda_support.h"
#include <math.h>
#include <stdlib.h>
#include <stoker/layers.h>
#include <string.h>

enum { BATCH = 4, SIDE = 6, CHANNELS = 3, CLASSES = 5, PARAMETERS_MAX = 40 };

typedef struct net {
    stk_graph     *graph;
    stk_variables *variables;
    stk_program   *program; /* the loss and all gradients */
    stk_program   *forward; /* the loss only */
    size_t         count;
    char           names[PARAMETERS_MAX][64];
} net;

static stk_symbol block(stk_graph *g, stk_symbol x, const char *name, const stk_conv_layer *conv)
{
    const stk_norm_layer norm = {.training = true};
    stk_graph_push_scope(g, name);
    x = stk_layer_conv2d(g, x, "conv", conv);
    x = stk_silu(g, stk_layer_batch_norm(g, x, "norm", &norm));
    stk_graph_pop_scope(g);
    return x;
}

/* Smooth everywhere, so that differences are valid: all kinds of convolutions, norms, a residual,
 * pooling, multiplying layers. */
static stk_symbol build(stk_graph *g, stk_symbol x)
{
    const stk_pool_options pool = {.kernel = {2, 2}};
    x = block(g, x, "stem", &(stk_conv_layer){.out = 8, .kernel = {3}, .pad = 1});
    stk_symbol same = x;
    x = block(g, x, "depthwise", &(stk_conv_layer){.out = 8, .kernel = {3}, .pad = 1, .groups = 8});
    x = stk_add(g, same, block(g, x, "point", &(stk_conv_layer){.out = 8, .kernel = {1}}));
    x = stk_average_pool(g, x, &pool);
    x = block(g, x, "strided", &(stk_conv_layer){.out = 16, .kernel = {3}, .pad = 1, .stride = 2});
    x = stk_global_average_pool(g, x);
    x = stk_tanh(g, stk_layer_dense(g, x, "hidden", &(stk_dense_layer){.out = 12}));
    x = stk_layer_layer_norm(g, x, "norm", 0);
    return stk_layer_dense(g, x, "last", &(stk_dense_layer){.out = CLASSES});
}

static void add_gradients(net *n, stk_symbol loss)
{
    stk_symbol of[PARAMETERS_MAX], gradients[PARAMETERS_MAX];
    for (size_t i = 0; i < stk_graph_variable_count(n->graph); i++) {
        const stk_graph_variable_info v = stk_graph_variable_at(n->graph, i);
        if (v.options.role != STK_VARIABLE_PARAMETER) continue;
        EXPECT(n->count < PARAMETERS_MAX && strlen(v.name) < sizeof n->names[0]);
        strcpy(n->names[n->count], v.name);
        of[n->count++] = v.symbol;
    }
    stk_graph_gradients(n->graph, loss, STK_NO_SYMBOL, of, n->count, gradients);
    for (size_t i = 0; i < n->count; i++)
        stk_graph_output(n->graph, n->names[i], gradients[i]);
}

static void feed(stk_program *program)
{
    float      x[BATCH * SIDE * SIDE * CHANNELS];
    int32_t    labels[BATCH];
    stk_random random = stk_random_for(3, 0, 0, 17);
    stk_error  err;
    for (size_t i = 0; i < COUNT_OF(x); i++)
        x[i] = (float)(2 * stk_random_double(&random) - 1);
    for (int i = 0; i < BATCH; i++)
        labels[i] = i % CLASSES;
    EXPECT_OK(stk_program_feed(program, "x", x, sizeof x, &err));
    EXPECT_OK(stk_program_feed(program, "labels", labels, sizeof labels, &err));
}

static stk_program *compile(net *n, stk_dtype precision)
{
    stk_error                 err;
    stk_program              *program;
    const stk_program_options options = {.precision = precision};
    EXPECT_OK(stk_graph_check(n->graph, &err));
    EXPECT_OK(stk_program_compile(&program, n->graph, n->variables, &options, &err));
    feed(program);
    return program;
}

static void open_net(net *n, stk_dtype precision)
{
    stk_error err;
    EXPECT_OK(stk_graph_new(&n->graph, NULL, &err));
    EXPECT_OK(stk_variables_new(&n->variables, cuda_device(), 7, &err));
    stk_symbol x = stk_graph_input(n->graph, "x", STK_DTYPE_F32, NHWC(BATCH, SIDE, SIDE, CHANNELS));
    stk_symbol labels = stk_graph_input(n->graph, "labels", STK_DTYPE_I32, VECTOR(BATCH));
    stk_symbol loss = stk_softmax_cross_entropy(n->graph, build(n->graph, x), labels, 0.1);
    stk_graph_output(n->graph, "loss", loss);
    n->forward = compile(n, precision);
    add_gradients(n, loss);
    n->program = compile(n, precision);
}

static void close_net(net *n)
{
    stk_program_free(n->program);
    stk_program_free(n->forward);
    stk_variables_free(n->variables);
    stk_graph_free(n->graph);
}

static size_t index_of(const net *n, size_t parameter)
{
    return stk_variables_find(n->variables, n->names[parameter]);
}

static size_t elements_of(const net *n, size_t parameter)
{
    const stk_shape shape = stk_variables_at(n->variables, index_of(n, parameter)).shape;
    int64_t         count;
    stk_error       err;
    EXPECT_OK(stk_shape_count(&shape, &count, &err));
    return (size_t)count;
}

static double loss_of(stk_program *program)
{
    float     loss;
    stk_error err;
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "loss", &loss, sizeof loss, &err));
    return (double)loss;
}

static double loss_at(net *n, size_t index, const float *weights, const float *direction,
                      size_t count, double step)
{
    stk_error err;
    float    *moved = malloc(count * sizeof *moved);
    for (size_t i = 0; i < count; i++)
        moved[i] = (float)((double)weights[i] + step * (double)direction[i]);
    EXPECT_OK(stk_variables_write(n->variables, index, moved, count * sizeof *moved, &err));
    free(moved);
    return loss_of(n->forward);
}

/* Partly along the gradient, where the loss changes most, partly along random signs. */
static double choose_direction(const float *gradient, float *direction, size_t count, size_t p)
{
    stk_random random = stk_random_for(11, 0, p, 5);
    double     length = 0, slope = 0;
    for (size_t i = 0; i < count; i++)
        length += (double)gradient[i] * (double)gradient[i];
    for (size_t i = 0; i < count; i++) {
        double sign = stk_random_double(&random) < 0.5 ? -1 : 1;
        direction[i] = (float)((double)gradient[i] / (sqrt(length) + 1e-30) +
                               0.5 * sign / sqrt((double)count));
        slope += (double)direction[i] * (double)gradient[i];
    }
    return slope;
}

/* Along a direction d through the parameter: (L(w+hd) - L(w-hd)) / 2h. */
static void check_parameter(net *n, size_t p, double tolerance)
{
    static const double h =
        4e-3; /* smaller: rounding of the loss dominates; larger: its third derivative */
    stk_error    err;
    const size_t index = index_of(n, p), count = elements_of(n, p), bytes = count * sizeof(float);
    float       *weights = malloc(bytes), *gradient = malloc(bytes), *direction = malloc(bytes);
    EXPECT_OK(stk_program_fetch(n->program, n->names[p], gradient, bytes, &err));
    EXPECT_OK(stk_variables_read(n->variables, index, weights, bytes, &err));
    const double slope = choose_direction(gradient, direction, count, p);
    const double above = loss_at(n, index, weights, direction, count, h);
    const double below = loss_at(n, index, weights, direction, count, -h);
    const double found = (above - below) / (2 * h);
    EXPECT_OK(stk_variables_write(n->variables, index, weights, bytes, &err));
    if (!(fabs(found - slope) <= tolerance * (fabs(slope) + 0.02)))
        fail_msg("%s: by differences the slope is %.7f, by the gradient %.7f", n->names[p], found,
                 slope);
    free(weights);
    free(gradient);
    free(direction);
}

STK_TEST(every_gradient_of_a_net_is_that_of_finite_differences)
{
    net n = {0};
    open_net(&n, STK_DTYPE_F32);
    loss_of(n.program);
    for (size_t p = 0; p < n.count; p++)
        check_parameter(&n, p, 5e-3);
    close_net(&n);
}

/* The same network twice: the loss of 16 bits is bounded for each parameter. */
static void expect_near(stk_dtype precision, double tolerance)
{
    net       exact = {0}, rough = {0};
    stk_error err;
    open_net(&exact, STK_DTYPE_F32);
    open_net(&rough, precision);
    EXPECT(fabs(loss_of(exact.program) - loss_of(rough.program)) <= tolerance);
    for (size_t p = 0; p < exact.count; p++) {
        const size_t count = elements_of(&exact, p), bytes = count * sizeof(float);
        float       *a = malloc(bytes), *b = malloc(bytes);
        double       apart = 0, length = 0;
        EXPECT_OK(stk_program_fetch(exact.program, exact.names[p], a, bytes, &err));
        EXPECT_OK(stk_program_fetch(rough.program, rough.names[p], b, bytes, &err));
        for (size_t i = 0; i < count; i++) {
            apart += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
            length += (double)a[i] * (double)a[i];
        }
        if (!(sqrt(apart) <= tolerance * (sqrt(length) + 0.02)))
            fail_msg("%s in %s: %.2g apart from float32, of %.2g", exact.names[p],
                     stk_dtype_name(precision), sqrt(apart), sqrt(length));
        free(a);
        free(b);
    }
    close_net(&exact);
    close_net(&rough);
}

STK_TEST(gradients_in_16_bits_are_near_those_in_float32)
{
    expect_near(STK_DTYPE_F16, 0.02);
    expect_near(STK_DTYPE_BF16, 0.12);
}
