/* Random image networks: the CPU backend with all passes against the reference without any; and
 * with and without buffer reuse. */
#include "base/philox.h"
#include "compute/graph/graph_node.h"
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2, SIDE = 6, VALUES = 14, STEPS = 3, POOL = VALUES + 1, NAME = 32 };

typedef struct net {
    stk_graph *g;
    stk_random random;
    bool       nchw;
    int64_t    channels;
    int        variables;
    stk_symbol pool[POOL];
    uint32_t   count;
    stk_symbol step;
} net;

static stk_shape image(const net *n, int64_t channels)
{
    return n->nchw ? stk_shape_4d(N, channels, SIDE, SIDE) : stk_shape_4d(N, SIDE, SIDE, channels);
}

static stk_symbol variable(net *n, stk_shape shape, double mean, double deviation, bool learnt)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s%d", learnt ? "w" : "s", n->variables++);
    return stk_graph_variable(
        n->g, name, STK_DTYPE_F32, shape,
        &(stk_variable_options){.role = learnt ? STK_VARIABLE_PARAMETER : STK_VARIABLE_STATISTIC,
                                .init = {STK_INIT_NORMAL, mean, deviation}});
}

static stk_symbol conv(net *n, stk_symbol x, int side, int groups, bool bias)
{
    stk_shape s = stk_symbol_shape(n->g, x);
    int64_t   in = s.dim[n->nchw ? 1 : 3] / groups;
    double    deviation = 1 / sqrt((double)(in * side * side));
    int       pad = side / 2;
    return stk_conv2d(n->g, x,
                      variable(n, stk_shape_4d(n->channels, in, side, side), 0, deviation, true),
                      bias ? variable(n, stk_shape_1d(n->channels), 0, 0.1, true) : STK_NO_SYMBOL,
                      &(stk_conv2d_options){.pad = {pad, pad, pad, pad}, .groups = groups});
}

static stk_symbol norm(net *n, stk_symbol x)
{
    stk_shape      c = stk_shape_1d(n->channels);
    stk_batch_norm b = {.gamma = variable(n, c, 1, 0.1, true),
                        .beta = variable(n, c, 0, 0.1, true),
                        .mean = variable(n, c, 0, 0, false),
                        .var = variable(n, c, 1, 0, false),
                        .momentum = 0.1};
    return stk_batch_normalize(n->g, x, &b);
}

static stk_symbol joined(net *n, stk_symbol a, stk_symbol b)
{
    return stk_concat(n->g, (stk_symbol[]){a, b}, 2, n->nchw ? 1 : 3);
}

static stk_symbol squeezed(net *n, stk_symbol a)
{
    stk_symbol mean = stk_sigmoid(n->g, stk_global_average_pool(n->g, a));
    return stk_mul(n->g, a,
                   stk_reshape(n->g, mean,
                               n->nchw ? stk_shape_4d(N, n->channels, 1, 1)
                                       : stk_shape_4d(N, 1, 1, n->channels)));
}

/* To rows, which is a view, and back. */
static stk_symbol in_rows(net *n, stk_symbol a)
{
    stk_symbol rows =
        stk_reshape(n->g, a, stk_shape_2d(N * SIDE * SIDE * n->channels / SIDE, SIDE));
    rows = stk_layer_normalize(n->g, rows, STK_NO_SYMBOL, STK_NO_SYMBOL, 0.1);
    return stk_reshape(n->g, rows, image(n, n->channels));
}

static stk_symbol cut_and_padded(net *n, stk_symbol a)
{
    int64_t one[4] = {0, 0, 0, 0}, size[4] = {-1, -1, -1, -1}, none[4] = {0};
    int     height = n->nchw ? 2 : 1;
    one[height] = 1;
    return stk_pad(n->g, stk_slice(n->g, a, one, size), one, none, 0.5);
}

static stk_symbol scaled(net *n, stk_symbol a)
{
    stk_pool_options half = {.kernel = {2, 2}, .stride = {2, 2}};
    return stk_upsample(n->g, stk_average_pool(n->g, a, &half), 2, STK_UPSAMPLE_NEAREST);
}

static stk_symbol grow(net *n)
{
    stk_graph       *g = n->g;
    stk_symbol       a = n->pool[stk_random_below(&n->random, n->count)];
    stk_symbol       b = n->pool[stk_random_below(&n->random, n->count)];
    stk_pool_options pool = {.kernel = {3, 3}, .stride = {1, 1}, .pad = {1, 1, 1, 1}};
    switch (stk_random_below(&n->random, 18)) {
    case 0:
        return norm(n, conv(n, a, 3, 1, false));
    case 1:
        return stk_relu(g, norm(n, conv(n, a, 1, 1, false)));
    case 2:
        return stk_relu(g, stk_add(g, norm(n, conv(n, a, 3, 1, false)), b));
    case 3:
        return stk_relu6(g, norm(n, conv(n, a, 3, (int)n->channels, false)));
    case 4:
        return stk_silu(g, norm(n, a));
    case 5:
        return stk_tanh(g, conv(n, a, 3, 1, true));
    case 6:
        return stk_relu(g, conv(n, a, 1, 1, true));
    case 7:
        return stk_relu(g, stk_add(g, norm(n, a), norm(n, b)));
    case 8:
        return stk_max_pool(g, a, &pool);
    case 9:
        return stk_average_pool(g, a, &pool);
    case 10:
        return conv(n, joined(n, a, b), 1, 1, false);
    case 11:
        return squeezed(n, a);
    case 12:
        return in_rows(n, a);
    case 13:
        return cut_and_padded(n, a);
    case 14:
        return scaled(n, a);
    case 15:
        return stk_dropout(g, a, n->step, &(stk_dropout_options){.rate = 0.25});
    case 16:
        return stk_mul(g, stk_sigmoid(g, a), b);
    default:
        return stk_scale(g, stk_add(g, a, b), 0.7, 0);
    }
}

static void learn(net *n, stk_symbol loss)
{
    stk_graph  *g = n->g;
    size_t      all = stk_graph_variable_count(g), count = 0;
    stk_symbol *of = calloc(all * 2 + 1, sizeof *of), *gradients = of + all;
    for (size_t i = 0; i < all; i++) {
        stk_graph_variable_info v = stk_graph_variable_at(g, i);
        if (v.options.role == STK_VARIABLE_PARAMETER) of[count++] = v.symbol;
    }
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, of, count, gradients);
    g->phase = STK_PHASE_UPDATE;
    for (size_t i = 0; i < count; i++) {
        char       text[NAME];
        stk_symbol next = stk_sub(g, of[i], stk_scale(g, gradients[i], 0.02, 0));
        stk_graph_assign(g, of[i], next);
        snprintf(text, sizeof text, "g%zu", i);
        stk_graph_output(g, text, gradients[i]);
        if (i % 3) continue;
        snprintf(text, sizeof text, "next%zu", i);
        stk_graph_output(g, text, next);
        snprintf(text, sizeof text, "before%zu", i);
        stk_graph_output(g, text, of[i]);
        snprintf(text, sizeof text, "twin%zu", i);
        stk_graph_assign(
            g, stk_graph_variable(g, text, STK_DTYPE_F32, stk_symbol_shape(g, of[i]), NULL), next);
    }
    g->phase = STK_PHASE_FORWARD;
    free(of);
}

static void build(net *n, uint64_t seed)
{
    static const int64_t channels[] = {3, 8, 16, 20, 33};
    stk_error            err;
    *n = (net){.random = stk_random_for(seed, 0, 0, 6), .nchw = seed % 3 == 2};
    EXPECT_OK(stk_graph_new(
        &n->g,
        &(stk_graph_options){.layout = n->nchw ? STK_LAYOUT_NCHW : STK_LAYOUT_NHWC, .seed = 3},
        &err));
    n->channels = channels[stk_random_below(&n->random, COUNT_OF(channels))];
    n->step = stk_graph_input(n->g, "step", STK_DTYPE_I64, stk_shape_scalar());
    stk_symbol x = stk_graph_input(n->g, "x", STK_DTYPE_F32, image(n, n->channels));
    stk_symbol labels = stk_graph_input(n->g, "labels", STK_DTYPE_I64, stk_shape_1d(N));
    n->pool[n->count++] = x;
    while (n->count < POOL) {
        n->pool[n->count] = grow(n);
        n->count++;
    }
    stk_symbol logits = stk_global_average_pool(n->g, n->pool[n->count - 1]);
    stk_symbol loss = stk_softmax_cross_entropy(n->g, logits, labels, 0.1);
    learn(n, loss);
    stk_graph_output(n->g, "loss", loss);
    stk_graph_output(n->g, "loss again", loss);
    stk_graph_output(n->g, "middle", n->pool[POOL / 2]);
    stk_graph_output(n->g, "input", x);
    stk_graph_output(n->g, "input as a row",
                     stk_reshape(n->g, x, stk_shape_1d(N * SIDE * SIDE * n->channels)));
    EXPECT_OK(stk_graph_verify(n->g, &err));
}

/* All outputs of all steps, and then all variables, in sequence. */
typedef struct results {
    float  *data;
    size_t  count;
    size_t *starts; /* of tensors, and the end */
    size_t  tensors;
} results;

static float *more(results *r, size_t count)
{
    r->starts = realloc(r->starts, (r->tensors + 2) * sizeof *r->starts);
    r->starts[r->tensors++] = r->count;
    r->count += count;
    r->starts[r->tensors] = r->count;
    r->data = realloc(r->data, r->count * sizeof *r->data);
    return r->data + r->count - count;
}

static void release(results *r)
{
    free(r->data);
    free(r->starts);
}

static size_t elements(const stk_shape *shape)
{
    size_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= (size_t)shape->dim[i];
    return count;
}

static void feed(stk_program *program, const net *n, int64_t step)
{
    stk_error     err;
    size_t        count = (size_t)(N * SIDE * SIDE * n->channels);
    float        *x = malloc(count * sizeof *x);
    const int64_t labels[N] = {0, 2};
    for (size_t i = 0; i < count; i++)
        x[i] = sinf((float)(i + 1) * 1.3f) + 0.3f * cosf((float)i * 0.37f);
    EXPECT_OK(stk_program_feed(program, "x", x, count * sizeof *x, &err));
    EXPECT_OK(stk_program_feed(program, "labels", labels, sizeof labels, &err));
    EXPECT_OK(stk_program_feed(program, "step", &step, sizeof step, &err));
    free(x);
}

static void fetch_all(stk_program *program, const stk_graph *g, results *r)
{
    stk_error err;
    for (uint32_t i = 0; i < g->output_count; i++) {
        stk_shape shape = stk_symbol_shape(g, g->outputs[i].symbol);
        size_t    count = elements(&shape);
        EXPECT_OK(stk_program_fetch(program, g->outputs[i].name, more(r, count),
                                    count * sizeof(float), &err));
    }
}

static void run(uint64_t seed, const char *backend, unsigned off, results *r)
{
    stk_error      err;
    net            n;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    *r = (results){0};
    build(&n, seed);
    EXPECT_OK(stk_device_open(&device, backend, &(stk_device_options){.threads = 2}, &err));
    EXPECT_OK(stk_variables_new(&variables, device, seed, &err));
    EXPECT_OK(stk_program_compile(&program, n.g, variables,
                                  &(stk_program_options){.passes_off = off}, &err));
    for (int step = 0; step < STEPS; step++) {
        feed(program, &n, step);
        EXPECT_OK(stk_program_run(program, NULL, &err));
        fetch_all(program, n.g, r);
    }
    for (size_t i = 0; i < stk_graph_variable_count(n.g); i++) {
        stk_graph_variable_info v = stk_graph_variable_at(n.g, i);
        size_t                  count = elements(&v.shape);
        EXPECT_OK(stk_variables_read(variables, stk_variables_find(variables, v.name),
                                     more(r, count), count * sizeof(float), &err));
    }
    stk_graph_free(n.g);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
}

/* Relative to the largest element of each tensor. */
static void expect_like(uint64_t seed, const results *found, const results *expected,
                        float tolerance)
{
    EXPECT_INT_EQ(expected->tensors, found->tensors);
    for (size_t t = 0; t < expected->tensors; t++) {
        float largest = 1e-3f;
        for (size_t i = expected->starts[t]; i < expected->starts[t + 1]; i++)
            largest = fmaxf(largest, fabsf(expected->data[i]));
        for (size_t i = expected->starts[t]; i < expected->starts[t + 1]; i++)
            if (!(fabsf(found->data[i] - expected->data[i]) <= tolerance * largest))
                fail_msg("net %llu: tensor %zu has %g at %zu, not %g (largest %g)",
                         (unsigned long long)seed, t, (double)found->data[i],
                         i - expected->starts[t], (double)expected->data[i], (double)largest);
    }
}

static uint64_t seeds(void)
{
    return stk_test_sanitized_for() == STK_TEST_NOT_SANITIZED ? 100 : 20;
}

STK_TEST(the_cpu_with_all_passes_agrees_with_the_reference_without_any)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        results found, expected;
        run(seed, "cpu", 0, &found);
        run(seed, "ref", STK_GRAPH_PASS_ALL, &expected);
        expect_like(seed, &found, &expected, 2e-3f);
        release(&found);
        release(&expected);
    }
}

STK_TEST(sharing_memory_on_the_cpu_changes_no_bit)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        results with, without;
        run(seed, "cpu", 0, &with);
        run(seed, "cpu", STK_GRAPH_PASS_REUSE, &without);
        EXPECT_INT_EQ(without.count, with.count);
        if (memcmp(with.data, without.data, with.count * sizeof *with.data) != 0)
            fail_msg("net %llu differs when memory is shared", (unsigned long long)seed);
        release(&with);
        release(&without);
    }
}
