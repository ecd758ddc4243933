/* fuse: fewer nodes, equal results. */
#include "compute/passes/pass_support.h"
#include <stdio.h>

/* Number of nodes of op in the graph of build, with gradients, after the passes. */
static int count_after(const op_case *c, const char *op)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    stk_symbol     in[OP_INPUTS], out[OP_OUTPUTS], grads[OP_INPUTS];
    int            found = 0;
    EXPECT_OK(stk_graph_new(&g, &(stk_graph_options){.layout = c->layout}, &err));
    for (int i = 0; i < c->inputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "in%d", i);
        in[i] = stk_graph_input(g, name, STK_DTYPE_F32, c->in[i].shape);
    }
    (void)c->build(g, in, out, c->context);
    stk_symbol loss = stk_reduce_sum(g, stk_tanh(g, out[0]), 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, in, (size_t)c->inputs, grads);
    for (int i = 0; i < c->inputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "grad%d", i);
        stk_graph_output(g, name, grads[i]);
    }
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables,
                                  &(stk_program_options){.passes_off = c->passes_off}, &err));
    for (size_t i = 0; i < stk_program_instruction_count(program); i++)
        found += strcmp(stk_program_instruction_at(program, i).operation, op) == 0;
    stk_graph_free(g);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    return found;
}

static int build_mlp(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    stk_symbol h = stk_relu(g, stk_add(g, stk_matmul(g, in[0], in[1], NULL), in[2]));
    h = stk_gelu(g, stk_dense(g, h, in[3], in[4]));
    out[0] = stk_sigmoid(g, stk_add(g, in[5], stk_matmul(g, h, in[6], NULL)));
    return 1;
}

static const op_case mlp = {.build = build_mlp,
                            .inputs = 7,
                            .in = {{.shape = {2, {3, 5}}},
                                   {.shape = {2, {5, 7}}},
                                   {.shape = {1, {7}}},
                                   {.shape = {2, {6, 7}}},
                                   {.shape = {1, {6}}},
                                   {.shape = {1, {4}}},
                                   {.shape = {2, {6, 4}}}}};

STK_TEST(products_take_in_bias_and_activation)
{
    op_case without = mlp;
    without.passes_off = STK_GRAPH_PASS_FUSE;
    expect_same_without(&mlp, STK_GRAPH_PASS_FUSE, 1e-6);
    EXPECT_INT_EQ(1, count_after(&without, "relu"));
    EXPECT_INT_EQ(0, count_after(&mlp, "relu"));
    EXPECT_INT_EQ(0, count_after(&mlp, "sigmoid"));
    EXPECT_INT_EQ(0, count_after(&mlp, "add"));
    EXPECT_INT_EQ(1, count_after(&mlp, "gelu")); /* its gradient reads its input */
}

static int build_convs(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    stk_conv2d_options pad = {.pad = {1, 1, 1, 1}};
    (void)context;
    stk_symbol h = stk_relu(g, stk_conv2d(g, in[0], in[1], in[2], &pad));
    out[0] = stk_relu6(g, stk_conv2d(g, h, in[3], in[4], &pad));
    return 1;
}

static const op_case convs = {.build = build_convs,
                              .inputs = 5,
                              .in = {{.shape = {4, {2, 5, 4, 3}}},
                                     {.shape = {4, {4, 3, 3, 3}}},
                                     {.shape = {1, {4}}},
                                     {.shape = {4, {5, 4, 3, 3}}},
                                     {.shape = {1, {5}}}}};

STK_TEST(convolutions_take_in_activations_and_the_gradient_of_their_bias)
{
    op_case without = convs;
    without.passes_off = STK_GRAPH_PASS_FUSE;
    expect_same_without(&convs, STK_GRAPH_PASS_FUSE, 1e-6);
    EXPECT_INT_EQ(2, count_after(&without, "reduce_sum"));
    EXPECT_INT_EQ(0, count_after(&convs, "reduce_sum"));
    EXPECT_INT_EQ(0, count_after(&convs, "relu"));
    EXPECT_INT_EQ(0, count_after(&convs, "clip"));
    EXPECT_INT_EQ(2, count_after(&convs, "conv2d_grad_weight"));
}

static int build_shortcut(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    stk_symbol x = stk_relu(g, in[0]);
    stk_symbol h = stk_conv2d(g, x, in[1], STK_NO_SYMBOL, NULL);
    out[0] = stk_relu(g, stk_add(g, h, x));
    return 1;
}

static const op_case shortcut = {
    .build = build_shortcut,
    .inputs = 2,
    .in = {{.shape = {4, {2, 5, 4, 3}}}, {.shape = {4, {3, 3, 1, 1}}}}};

STK_TEST(the_gradient_of_a_product_adds_what_comes_by_the_shortcut)
{
    op_case without = shortcut;
    without.passes_off = STK_GRAPH_PASS_FUSE;
    expect_same_without(&shortcut, STK_GRAPH_PASS_FUSE, 1e-6);
    EXPECT_INT_EQ(2, count_after(&without, "add"));
    EXPECT_INT_EQ(1, count_after(&shortcut, "add"));
    EXPECT_INT_EQ(1, count_after(&shortcut, "conv2d_grad_input"));
}

STK_TEST(a_value_that_others_read_is_not_fused_away)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(2, 2));
    stk_symbol y = stk_matmul(g, x, x, NULL);
    stk_graph_output(g, "y", y);
    stk_graph_output(g, "z", stk_relu(g, y));
    EXPECT_TEXT_AFTER("%1 = input \"x\" : float32[2,2]\n"
                      "%2 = matmul(%1, %1) : float32[2,2]\n"
                      "%3 = relu(%2) : float32[2,2]\n"
                      "output \"y\" = %2\n"
                      "output \"z\" = %3\n",
                      g, stk_pass_fuse);
}

STK_TEST(an_nchw_graph_has_no_transposes_between_its_convolutions)
{
    op_case c = convs;
    c.layout = STK_LAYOUT_NCHW;
    c.in[0].shape = stk_shape_4d(2, 3, 5, 4);
    expect_same_without(&c, STK_GRAPH_PASS_ALL, 1e-6);
    /* one for the image, one for its gradient */
    EXPECT_INT_EQ(2, count_after(&c, "transpose"));
}

/* A residual block whose shortcut is in[0], or normalized too. */
typedef struct block {
    bool dual;
    stk_symbol (*act)(stk_graph *g, stk_symbol x);
    bool residual;
} block;

static stk_symbol norm(stk_graph *g, stk_symbol x, stk_symbol gamma, stk_symbol beta,
                       const char *name)
{
    stk_shape channels = stk_symbol_shape(g, gamma);
    stk_graph_push_scope(g, name);
    stk_batch_norm bn = {
        .gamma = gamma,
        .beta = beta,
        .mean = stk_graph_variable(g, "mean", STK_DTYPE_F32, channels,
                                   &(stk_variable_options){.role = STK_VARIABLE_STATISTIC}),
        .var = stk_graph_variable(g, "var", STK_DTYPE_F32, channels,
                                  &(stk_variable_options){.role = STK_VARIABLE_STATISTIC})};
    stk_symbol y = stk_batch_normalize(g, x, &bn);
    stk_graph_pop_scope(g);
    return y;
}

static int build_block(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const block       *b = context;
    stk_conv2d_options pad = {.pad = {1, 1, 1, 1}};
    stk_symbol         h =
        b->act(g, norm(g, stk_conv2d(g, in[0], in[1], STK_NO_SYMBOL, &pad), in[3], in[4], "bn1"));
    h = norm(g, stk_conv2d(g, h, in[2], STK_NO_SYMBOL, &pad), in[5], in[6], "bn2");
    if (b->residual) h = stk_add(g, h, b->dual ? norm(g, in[0], in[3], in[6], "down") : in[0]);
    h = b->act(g, h);
    out[0] = stk_conv2d(g, h, in[1], STK_NO_SYMBOL, &pad);
    return 1;
}

static int build_long_product(stk_graph *g, const stk_symbol *in, stk_symbol *out,
                              const void *context)
{
    (void)context;
    stk_symbol h = stk_conv2d(g, in[0], in[1], STK_NO_SYMBOL, NULL);
    out[0] = stk_relu(g, norm(g, h, in[2], in[3], "bn"));
    return 1;
}

STK_TEST(a_long_product_gives_the_statistics_of_its_norm)
{
    op_case c = {.build = build_long_product,
                 .inputs = 4,
                 .in = {{.shape = {4, {2, 64, 64, 64}}},
                        {.shape = {4, {64, 64, 1, 1}}},
                        {.shape = {1, {64}}, .low = 0.5, .high = 1.5},
                        {.shape = {1, {64}}}}};
    expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
    EXPECT_INT_EQ(0, count_after(&c, "bn_stats"));
    EXPECT_INT_EQ(0, count_after(&c, "bn_stats_finalize"));
    EXPECT_INT_EQ(1, count_after(&c, "bn_finalize"));
    c.in[0].shape.dim[1] = 16;
    EXPECT_INT_EQ(1, count_after(&c, "bn_stats_finalize"));
}

/* Two blocks, the second with a GEMM before and after its norm. The gradient between them is a sum
 * that passes the relu and norm of the first. */
static int build_two_blocks(stk_graph *g, const stk_symbol *in, stk_symbol *out,
                            const void *context)
{
    (void)context;
    stk_symbol h = stk_conv2d(g, in[0], in[1], STK_NO_SYMBOL, NULL);
    h = stk_relu(g, stk_add(g, norm(g, h, in[2], in[3], "bn1"), in[0]));
    stk_symbol more = stk_conv2d(g, h, in[4], STK_NO_SYMBOL, NULL);
    out[0] = stk_add(g, stk_relu(g, norm(g, more, in[5], in[6], "bn2")), h);
    return 1;
}

STK_TEST(a_sum_of_gradients_comes_with_what_the_norm_before_it_wants)
{
    op_case c = {.build = build_two_blocks,
                 .inputs = 7,
                 .in = {{.shape = {4, {2, 64, 64, 64}}},
                        {.shape = {4, {64, 64, 1, 1}}, .low = -0.2, .high = 0.2},
                        {.shape = {1, {64}}, .low = 0.5, .high = 1.5},
                        {.shape = {1, {64}}},
                        {.shape = {4, {64, 64, 1, 1}}, .low = -0.2, .high = 0.2},
                        {.shape = {1, {64}}, .low = 0.5, .high = 1.5},
                        {.shape = {1, {64}}}}};
    expect_same_without(&c, STK_GRAPH_PASS_FUSE, 2e-5);
    EXPECT_INT_EQ(1, count_after(&c, "conv2d_grad_norm"));
    EXPECT_INT_EQ(1, count_after(&c, "bn_grad_sums"));
    EXPECT_INT_EQ(2, count_after(&c, "bn_grad_apply"));
    c.in[0].shape.dim[1] = 16; /* few rows */
    EXPECT_INT_EQ(0, count_after(&c, "conv2d_grad_norm"));
    EXPECT_INT_EQ(2, count_after(&c, "bn_grad_sums"));
}

/* Two blocks of this many rows with gradients, after the pass; freed by the caller. */
static char *text_of_rows(int64_t rows)
{
    static const char *const names[] = {"x", "w1", "gamma1", "beta1", "w2", "gamma2", "beta2"};
    const stk_pass_context   context = {.precision = STK_DTYPE_F32,
                                        .fusions = STK_FUSION_GRADIENT_SUM | STK_FUSION_MASK_BITS |
                                                   STK_FUSION_STATISTICS | STK_FUSION_GRAD_NORM};
    const stk_shape          x = stk_shape_4d(rows, 1, 1, 64), w = stk_shape_4d(64, 64, 1, 1);
    stk_error                err;
    stk_graph               *g;
    stk_symbol               in[COUNT_OF(names)], out, grads[COUNT_OF(names)];
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const stk_shape shape = !i ? x : names[i][0] == 'w' ? w : stk_shape_1d(64);
        in[i] = stk_graph_input(g, names[i], STK_DTYPE_F32, shape);
    }
    (void)build_two_blocks(g, in, &out, NULL);
    stk_symbol loss = stk_reduce_sum(g, stk_tanh(g, out), 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, in, COUNT_OF(names), grads);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        stk_graph_output(g, names[i], grads[i]);
    return text_with(g, &context, stk_pass_fuse);
}

STK_TEST(a_long_product_has_no_more_rows_than_its_kernel_can_count)
{
    const int64_t most = INT32_MAX - 256;
    char         *fits = text_of_rows(most), *exceeds = text_of_rows(most + 1);
    EXPECT_CONTAINS("= conv2d_grad_norm(", fits);
    EXPECT(!strstr(fits, "= bn_stats("));
    EXPECT(!strstr(exceeds, "= conv2d_grad_norm("));
    EXPECT_CONTAINS("= bn_stats(", exceeds);
    free(fits);
    free(exceeds);
}

/* The stem of many models. */
typedef struct stem {
    stk_symbol (*act)(stk_graph *g, stk_symbol x);
    int  kernel;
    bool skips; /* the pooled tensor has another reader */
} stem;

static int build_stem(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const stem      *s = context;
    stk_pool_options pool = {
        .kernel = {s->kernel, s->kernel}, .stride = {2, 2}, .pad = {1, 1, 1, 1}};
    stk_symbol h = stk_conv2d(g, in[0], in[1], STK_NO_SYMBOL, NULL);
    h = s->act(g, norm(g, h, in[2], in[3], "bn"));
    out[0] = stk_max_pool(g, h, &pool);
    if (s->skips) out[0] = stk_mul(g, out[0], stk_reduce_sum(g, stk_tanh(g, h), 0, false));
    return 1;
}

static op_case case_of_stem(const stem *s, int64_t channels)
{
    return (op_case){.build = build_stem,
                     .context = s,
                     .inputs = 4,
                     .in = {{.shape = {4, {2, 9, 8, 3}}},
                            {.shape = {4, {channels, 3, 3, 3}}},
                            {.shape = {1, {channels}}, .low = -1.5, .high = 1.5},
                            {.shape = {1, {channels}}}}};
}

STK_TEST(norm_relu_and_pool_are_one_and_so_is_what_flows_back)
{
    static const char *const made[] = {"bn_pool", "bn_pool_grad_sums", "bn_pool_grad_apply"};
    static const char *const gone[] = {"bn_apply",      "max_pool", "max_pool_grad", "bn_grad_sums",
                                       "bn_grad_apply", "relu",     "relu_grad"};
    stem                     s = {.act = stk_relu, .kernel = 3};
    op_case                  c = case_of_stem(&s, 8);
    expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
    for (size_t i = 0; i < COUNT_OF(made); i++)
        EXPECT_INT_EQ(1, count_after(&c, made[i]));
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        EXPECT_INT_EQ(0, count_after(&c, gone[i]));
    c.layout = STK_LAYOUT_NCHW;
    c.in[0].shape = stk_shape_4d(2, 3, 9, 8);
    expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
    EXPECT_INT_EQ(1, count_after(&c, "bn_pool"));
    EXPECT_INT_EQ(1, count_after(&c, "bn_pool_grad_apply"));
}

STK_TEST(a_pool_that_has_no_such_kernel_stays_one)
{
    static const stem stems[] = {{.act = stk_relu, .kernel = 2},
                                 {.act = stk_relu6, .kernel = 3},
                                 {.act = stk_relu, .kernel = 3, .skips = true},
                                 {.act = stk_relu, .kernel = 3}};
    for (size_t i = 0; i < COUNT_OF(stems); i++) {
        op_case c = case_of_stem(&stems[i], i + 1 < COUNT_OF(stems) ? 8 : 6);
        expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
        EXPECT_INT_EQ(1, count_after(&c, "max_pool"));
        EXPECT_INT_EQ(1, count_after(&c, "max_pool_grad"));
        EXPECT_INT_EQ(0, count_after(&c, "bn_pool_grad_sums"));
    }
}

STK_TEST(so_does_a_first_convolution_of_many_images)
{
    op_case c = {.build = build_long_product,
                 .inputs = 4,
                 .in = {{.shape = {4, {512, 34, 34, 3}}},
                        {.shape = {4, {64, 3, 3, 3}}},
                        {.shape = {1, {64}}},
                        {.shape = {1, {64}}}}};
    EXPECT_INT_EQ(1, count_after(&c, "bn_finalize"));
    c.in[0].shape.dim[0] = 511;
    EXPECT_INT_EQ(1, count_after(&c, "bn_stats_finalize"));
}

static op_case case_of(const block *b)
{
    return (op_case){.build = build_block,
                     .context = b,
                     .inputs = 7,
                     .in = {{.shape = {4, {2, 4, 5, 3}}},
                            {.shape = {4, {3, 3, 3, 3}}},
                            {.shape = {4, {3, 3, 3, 3}}},
                            {.shape = {1, {3}}, .low = 0.5, .high = 1.5},
                            {.shape = {1, {3}}},
                            {.shape = {1, {3}}, .low = 0.5, .high = 1.5},
                            {.shape = {1, {3}}}}};
}

STK_TEST(a_residual_block_is_two_norms_and_its_gradient_masks_as_it_reads)
{
    block   b = {.act = stk_relu, .residual = true};
    op_case c = case_of(&b);
    expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
    EXPECT_INT_EQ(0, count_after(&c, "relu"));
    EXPECT_INT_EQ(0, count_after(&c, "relu_grad"));
    EXPECT_INT_EQ(2, count_after(&c, "bn_stats_finalize"));
    EXPECT_INT_EQ(0, count_after(&c, "bn_stats"));
    EXPECT_INT_EQ(0, count_after(&c, "bn_finalize"));
    EXPECT_INT_EQ(2, count_after(&c, "bn_apply"));
    EXPECT_INT_EQ(2, count_after(&c, "add")); /* of gradients: the input and a weight used twice */
    EXPECT_INT_EQ(2, count_after(&c, "bn_grad_apply"));
}

STK_TEST(a_normalised_shortcut_is_applied_with_the_other_norm)
{
    block   b = {.act = stk_relu6, .residual = true, .dual = true};
    op_case c = case_of(&b);
    expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
    EXPECT_INT_EQ(2, count_after(&c, "bn_apply"));
    EXPECT_INT_EQ(0, count_after(&c, "clip_grad"));
    EXPECT_INT_EQ(3, count_after(&c, "bn_grad_apply"));
}

STK_TEST(an_activation_that_needs_its_input_is_computed_again_in_the_gradient)
{
    stk_symbol (*const acts[])(stk_graph *, stk_symbol) = {stk_silu, stk_hardswish, stk_gelu};
    static const char *const names[][2] = {
        {"silu", "silu_grad"}, {"hardswish", "hardswish_grad"}, {"gelu", "gelu_grad"}};
    for (size_t i = 0; i < COUNT_OF(acts); i++) {
        block   b = {.act = acts[i]};
        op_case c = case_of(&b);
        expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
        EXPECT_INT_EQ(0, count_after(&c, names[i][0]));
        EXPECT_INT_EQ(0, count_after(&c, names[i][1]));
        b.residual = true; /* the residual's sum cannot be recomputed */
        expect_same_without(&c, STK_GRAPH_PASS_FUSE, 1e-5);
        EXPECT_INT_EQ(1, count_after(&c, names[i][0]));
        EXPECT_INT_EQ(1, count_after(&c, names[i][1]));
    }
}

STK_TEST(a_block_in_nchw_has_no_transposes_inside)
{
    block   b = {.act = stk_relu, .residual = true, .dual = true};
    op_case c = case_of(&b);
    c.layout = STK_LAYOUT_NCHW;
    c.in[0].shape = stk_shape_4d(2, 3, 4, 5);
    expect_same_without(&c, STK_GRAPH_PASS_ALL, 1e-5);
    EXPECT_INT_EQ(2, count_after(&c, "transpose"));
    EXPECT_INT_EQ(2, count_after(&c, "bn_apply"));
}
