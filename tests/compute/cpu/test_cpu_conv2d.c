/* Convolutions and gradients of the CPU backend equal the reference. */
#include "compute/ops/op_support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kind {
    int64_t            batch, size, in, out, kernel;
    bool               bias;
    stk_conv2d_options options;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    out[0] = stk_conv2d(g, in[0], in[1], k->bias ? in[2] : STK_NO_SYMBOL, &k->options);
    return 1;
}

static void expect_like_reference(const kind *k, unsigned passes_off)
{
    int     groups = k->options.groups ? k->options.groups : 1;
    op_case c = {.build = build,
                 .context = k,
                 .inputs = k->bias ? 3 : 2,
                 .in = {{.shape = stk_shape_4d(k->batch, k->size, k->size + 2, k->in)},
                        {.shape = stk_shape_4d(k->out, k->in / groups, k->kernel, k->kernel)},
                        {.shape = stk_shape_1d(k->out)}},
                 .passes_off = passes_off};
    EXPECT_LIKE_REF(&c, "cpu", 1e-4);
}

static void expect_all(const kind *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_like_reference(&kinds[i], 0);
        expect_like_reference(&kinds[i], STK_GRAPH_PASS_ALL);
    }
}

STK_TEST(any_number_of_channels_gives_what_the_reference_gives)
{
    static const int64_t channels[] = {1, 3, 8, 16, 17, 24, 32};
    for (size_t i = 0; i < COUNT_OF(channels); i++)
        for (size_t j = 0; j < COUNT_OF(channels); j++) {
            kind k = {i % 2 ? 5 : 1, 6, channels[i], channels[j], 3, j % 2, {.pad = {1, 1, 1, 1}}};
            expect_like_reference(&k, 0);
            if ((i + j) % 3 == 0) expect_like_reference(&k, STK_GRAPH_PASS_ALL);
        }
}

STK_TEST(strides_dilations_and_pads_give_what_the_reference_gives)
{
    static const kind kinds[] = {
        {2, 9, 3, 20, 7, true, {.stride = {2, 2}, .pad = {3, 3, 3, 3}}},
        {2, 9, 16, 17, 3, false, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}},
        {1, 9, 17, 16, 3, true, {.stride = {2, 1}, .pad = {0, 1, 2, 1}}},
        {2, 11, 8, 24, 3, true, {.dilation = {2, 3}, .pad = {2, 1, 0, 3}}},
        {2, 8, 32, 32, 3, false, {.stride = {3, 2}, .dilation = {2, 1}, .pad = {1, 2, 1, 0}}},
        {1, 8, 6, 16, 5, true, {.groups = 1}},
        {2, 10, 3, 7, 2, false, {.pad = {0, 1, 0, 1}}},
        {2, 7, 3, 16, 1, false, {.stride = {2, 2}}},
    };
    expect_all(kinds, COUNT_OF(kinds));
}

STK_TEST(kernels_of_one_pixel_give_what_the_reference_gives)
{
    static const kind kinds[] = {
        {5, 7, 16, 32, 1, false, {.groups = 1}},     {1, 7, 24, 17, 1, true, {.groups = 1}},
        {2, 7, 32, 48, 1, true, {.stride = {2, 2}}}, {2, 1, 40, 10, 1, true, {.groups = 1}},
        {2, 5, 1, 1, 1, true, {.groups = 1}},
    };
    expect_all(kinds, COUNT_OF(kinds));
}

STK_TEST(groups_and_single_channels_give_what_the_reference_gives)
{
    static const kind kinds[] = {
        {2, 6, 32, 32, 3, true, {.groups = 2, .pad = {1, 1, 1, 1}}},
        {2, 6, 12, 24, 3, false, {.groups = 3, .pad = {1, 1, 1, 1}}},
        {1, 6, 16, 16, 3, true, {.groups = 4, .stride = {2, 2}, .pad = {1, 1, 1, 1}}},
        {5, 6, 24, 24, 3, true, {.groups = 24, .pad = {1, 1, 1, 1}}},
        {1, 7, 17, 17, 3, false, {.groups = 17, .stride = {2, 2}, .pad = {0, 1, 0, 1}}},
        {2, 7, 3, 3, 5, true, {.groups = 3, .pad = {2, 2, 2, 2}}},
        {2, 6, 8, 16, 3, true, {.groups = 8, .pad = {1, 1, 1, 1}}},
    };
    expect_all(kinds, COUNT_OF(kinds));
}

/* Sizes that are not multiples of Winograd's tiles, and pads at one side only. */
STK_TEST(winograd_gives_what_the_reference_gives)
{
    static const kind kinds[] = {
        {4, 9, 32, 48, 3, true, {.pad = {1, 1, 1, 1}}},
        {9, 7, 40, 33, 3, false, {.pad = {0, 1, 1, 0}}},
        {33, 4, 64, 32, 3, true, {.groups = 1}},
        {33, 3, 32, 32, 3, false, {.groups = 1}},
        {8, 8, 32, 32, 3, false, {.pad = {2, 2, 0, 0}}},
    };
    expect_all(kinds, COUNT_OF(kinds));
    setenv("STOKER_CPU_OFF", "winograd", 1);
    expect_all(kinds, COUNT_OF(kinds));
    unsetenv("STOKER_CPU_OFF");
}

/* Several layers, so that blocked formats are passed on, with channel counts that do not fill a
 * block. */
static int build_layers(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    const stk_conv2d_options same = {.pad = {1, 1, 1, 1}}, half = {.stride = {2, 2}};
    stk_symbol               x = stk_relu(g, stk_conv2d(g, in[0], in[1], STK_NO_SYMBOL, &same));
    stk_symbol               y = stk_relu(g, stk_conv2d(g, x, in[2], STK_NO_SYMBOL, &same));
    out[0] = stk_conv2d(g, stk_add(g, x, y), in[3], in[4], &half);
    return 1;
}

STK_TEST(layers_one_after_the_other_give_what_the_reference_gives)
{
    static const stk_layout layouts[] = {STK_LAYOUT_NHWC, STK_LAYOUT_NCHW};
    for (int i = 0; i < 2; i++) {
        bool    planes = layouts[i] == STK_LAYOUT_NCHW;
        op_case c = {.build = build_layers,
                     .inputs = 5,
                     .layout = layouts[i],
                     .in = {{.shape = planes ? stk_shape_4d(2, 3, 9, 8) : stk_shape_4d(2, 9, 8, 3)},
                            {.shape = stk_shape_4d(24, 3, 3, 3)},
                            {.shape = stk_shape_4d(24, 24, 3, 3)},
                            {.shape = stk_shape_4d(7, 24, 1, 1)},
                            {.shape = stk_shape_1d(7)}}};
        EXPECT_LIKE_REF(&c, "cpu", 1e-4);
    }
}

/* The implementation of the only convolution of a program with these pads. */
static void name_kernel(const int pad[4], char *text, size_t capacity)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(8, 12, 12, 32));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_4d(32, 32, 3, 3), NULL);
    stk_graph_output(g, "y",
                     stk_conv2d(g, x, w, STK_NO_SYMBOL,
                                &(stk_conv2d_options){.pad = {pad[0], pad[1], pad[2], pad[3]}}));
    EXPECT_OK(stk_device_open(&device, "cpu", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    for (size_t i = 0; i < stk_program_instruction_count(program); i++) {
        stk_program_instruction step = stk_program_instruction_at(program, i);
        if (strcmp(step.operation, "conv2d") == 0)
            snprintf(text, capacity, "%s %s", step.kernel, step.detail);
    }
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
}

/* dgrad is wrong there in oneDNN 2.6.3. */
STK_TEST(winograd_is_left_out_where_pads_differ_and_where_it_is_turned_off)
{
    static const int same[4] = {1, 1, 1, 1}, other[4] = {0, 1, 0, 1};
    char             text[96] = "";
    name_kernel(same, text, sizeof text);
    if (__builtin_cpu_supports("avx512bw") && !getenv("DNNL_MAX_CPU_ISA"))
        EXPECT_CONTAINS("onednn jit_wino", text);
    name_kernel(other, text, sizeof text);
    EXPECT_CONTAINS("onednn jit:", text);
    setenv("STOKER_CPU_OFF", "winograd", 1);
    name_kernel(same, text, sizeof text);
    EXPECT_CONTAINS("onednn jit:", text);
    unsetenv("STOKER_CPU_OFF");
}

/* A convolution and a dense layer with gradients: every kind of kernel. */
static stk_status compile_all(void *context, stk_error *err)
{
    const stk_graph *g = context;
    stk_device      *device = NULL;
    stk_variables   *variables = NULL;
    stk_program     *program = NULL;
    stk_status       st = stk_device_open(&device, "cpu", NULL, err);
    if (!st) st = stk_variables_new(&variables, device, 1, err);
    if (!st) st = stk_program_compile(&program, g, variables, NULL, err);
    if (!st) st = stk_program_run(program, NULL, err);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    return st;
}

STK_TEST(compiling_survives_every_failing_allocation)
{
    stk_error  err;
    stk_graph *g;
    stk_symbol grads[2];
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, 4, 4, 3));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_4d(17, 3, 3, 3), NULL);
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_2d(5, 68), NULL);
    stk_symbol y = stk_flatten(g, stk_relu(g, stk_conv2d(g, x, w, STK_NO_SYMBOL, NULL)));
    stk_symbol loss = stk_reduce_sum(g, stk_dense(g, y, v, STK_NO_SYMBOL), 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, (stk_symbol[]){w, v}, 2, grads);
    stk_graph_output(g, "dw", grads[0]);
    stk_graph_output(g, "dv", grads[1]);
    EXPECT_OK(stk_graph_check(g, &err));
    stk_test_fail_each_allocation(compile_all, g);
    stk_graph_free(g);
}
