/* Pooling: gradients, PyTorch's numbers, errors; and graphs of the other layout. */
#include "compute/ops/known_values.h"

typedef stk_symbol (*make)(stk_graph *g, stk_symbol x, const stk_pool_options *options);

typedef struct kind {
    make             make;
    stk_shape        x;
    stk_pool_options options;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    out[0] = k->make(g, in[0], &k->options);
    return 1;
}

/* Elements are far apart: where the maximum changes, finite differences are invalid. */
STK_TEST(pools_have_the_gradient_of_finite_differences)
{
    const stk_shape x = stk_shape_4d(2, 5, 6, 3);
    const kind      kinds[] = {
             {stk_max_pool, x, {.kernel = {2, 2}}},
             {stk_max_pool, x, {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}}},
             {stk_max_pool, x, {.kernel = {2, 3}, .stride = {1, 2}, .pad = {1, 0, 0, 2}}},
             {stk_average_pool, x, {.kernel = {2, 2}}},
             {stk_average_pool, x, {.kernel = {3, 2}, .stride = {2, 1}, .pad = {2, 0, 0, 1}}},
             {stk_average_pool,
              x,
              {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}, .count_pad = true}},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 1,
                                     .in = {{.shape = kinds[i].x, .low = -8, .high = 8}}}),
                         1e-2);
}

static int build_known(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    stk_symbol  x = pattern(g, k->x, 7, 11);
    (void)in;
    out[0] = k->make(g, x, &k->options);
    pattern_gradients(g, out[0], 3, 5, &x, 1, out + 1);
    return 2;
}

/* x = p(60, 7, 11).view(1, 2, 5, 6); y = F.max_pool2d(x, 3, stride=2, padding=1)
 * (y * p(18, 3, 5).view(y.shape)).sum().backward(): y, x.grad. Some windows have equal elements. */
STK_TEST(max_pool_with_padding_is_that_of_pytorch)
{
    static const float expected[] = {
        4, 5, 5, 4, 5, 4, 5, 5, 4,  5, 4, 4, 5, 4, 5, 1, 4,  5, /* dx */
        0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,  -2, 0,  0,
        0, 0, 0, 0, 0, 0, 0, 0, 2,  0, 0, 0, 0, 0, 0, 0, -1, 0,  0,  1,
        0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 1, 0, 0, 0, 0, 0, 0,  0,  -1, 0};
    const kind k = {stk_max_pool,
                    stk_shape_4d(1, 2, 5, 6),
                    {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}}};
    EXPECT_VALUES((&(op_case){.build = build_known, .context = &k, .layout = STK_LAYOUT_NCHW}),
                  expected, 1, 0);
}

/* x = p(40, 7, 11).view(1, 2, 5, 4); y = F.avg_pool2d(x, (3, 2), stride=2, padding=1,
 * count_include_pad=False or True); (y * p(18, 3, 5).view(y.shape)).sum().backward(): y, x.grad */
STK_TEST(average_pool_is_that_of_pytorch_with_and_without_the_padding)
{
    static const float without[] = {
        -24, 3,  30, -4, 12, -16, -6, 21,  -18, 6, 0, -6, 4,   -2, -8, 24, -15, 12, /* dx */
        -12, 3,  3,  -6, -4, 3,   3,  -14, 8,   0, 0, -8, 14,  -3, -3, 4,  6,   -3, -3, 12,
        0,   -6, -6, 6,  -4, -2,  -2, 6,   -4,  4, 4, 0,  -16, 7,  7,  -6, -12, 3,  3,  -6};
    static const float with[] = {
        -8, 2,  10, -2, 12, -8, -2, 14, -6, 2, 0, -2, 2,  -2, -4, 8,  -10, 4, /* dx */
        -4, 2,  2,  -2, 0,  2,  2,  -6, 4,  0, 0, -4, 6,  -2, -2, 0,  2,   -2, -2, 4,
        0,  -4, -4, 2,  -2, 0,  0,  2,  -2, 4, 4, 0,  -6, 6,  6,  -2, -4,  2,  2,  -2};
    kind k = {stk_average_pool,
              stk_shape_4d(1, 2, 5, 4),
              {.kernel = {3, 2}, .stride = {2, 2}, .pad = {1, 1, 1, 1}}};
    EXPECT_VALUES((&(op_case){.build = build_known, .context = &k, .layout = STK_LAYOUT_NCHW}),
                  without, 12, 1e-6);
    k.options.count_pad = true;
    EXPECT_VALUES((&(op_case){.build = build_known, .context = &k, .layout = STK_LAYOUT_NCHW}),
                  with, 12, 1e-6);
}

static int build_nan(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float x[4] = {NAN, 3, NAN, 5};
    (void)in, (void)context;
    out[0] = stk_max_pool(g, stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_4d(1, 1, 4, 1), x),
                          &(stk_pool_options){.kernel = {1, 2}});
    return 1;
}

STK_TEST(max_pool_does_not_hide_a_nan)
{
    float y[2];
    EXPECT_INT_EQ(2, op_results(&(op_case){.build = build_nan}, "ref", 1, false, y, 2));
    EXPECT(isnan(y[0]) && isnan(y[1]));
}

/* Converts between [N,H,W,C] and the graph's layout. */
static stk_symbol change(stk_graph *g, stk_symbol x, bool in)
{
    if (stk_graph_layout(g) != STK_LAYOUT_NCHW) return x;
    return stk_transpose(g, x, in ? (int[]){0, 3, 1, 2} : (int[]){0, 2, 3, 1});
}

static int build_small_model(stk_graph *g, const stk_symbol *in, stk_symbol *out,
                             const void *context)
{
    (void)context;
    stk_symbol x =
        stk_conv2d(g, change(g, in[0], true), in[1], in[2],
                   &(stk_conv2d_options){.stride = {2, 1}, .pad = {1, 0, 2, 1}, .groups = 2});
    x = stk_max_pool(g, x, &(stk_pool_options){.kernel = {2, 3}, .pad = {1, 0, 0, 1}});
    x = stk_average_pool(g, x, &(stk_pool_options){.kernel = {2, 2}, .stride = {1, 1}});
    out[0] = change(g, x, false);
    out[1] = stk_global_average_pool(g, x);
    return 2;
}

STK_TEST(a_graph_in_nchw_gives_the_transposed_results_and_gradients)
{
    enum { CAPACITY = 1024 };
    float   results[2][CAPACITY];
    size_t  count[2];
    op_case c = {.build = build_small_model,
                 .inputs = 3,
                 .in = {{.shape = stk_shape_4d(2, 9, 8, 4)},
                        {.shape = stk_shape_4d(6, 2, 3, 2)},
                        {.shape = stk_shape_1d(6)}}};
    for (int i = 0; i < 2; i++) {
        c.layout = i ? STK_LAYOUT_NCHW : STK_LAYOUT_NHWC;
        count[i] = op_results(&c, "ref", 4, true, results[i], CAPACITY);
    }
    EXPECT(count[0] <= CAPACITY);
    EXPECT_INT_EQ(count[0], count[1]);
    EXPECT_MEM_EQ(results[0], results[1], count[0] * sizeof *results[0]);
}

typedef struct refusal {
    make             make;
    stk_shape        x;
    stk_pool_options options;
    stk_status       status;
    const char      *message;
} refusal;

STK_TEST(what_cannot_be_pooled_is_refused_with_both_values)
{
    const stk_shape x = stk_shape_4d(1, 5, 20, 4);
    const refusal   refusals[] = {
          {stk_max_pool, stk_shape_2d(5, 4), {.kernel = {2, 2}}, STK_E_SHAPE, "shape [5,4]"},
          {stk_max_pool, x, {.kernel = {2, 0}}, STK_E_INVALID, "kernel 2,0"},
          {stk_max_pool, x, {.kernel = {2, 2}, .stride = {-1, 1}}, STK_E_INVALID, "stride -1,1"},
          {stk_max_pool, x, {.kernel = {6, 2}}, STK_E_SHAPE, "6x2 does not fit into 5x20"},
          {stk_max_pool, x, {.kernel = {3, 2}, .pad = {0, 0, 2, 0}}, STK_E_INVALID, "0,0,2,0 with"},
          {stk_max_pool,
           stk_shape_4d(1, 20, 20, 1),
           {.kernel = {17, 16}},
           STK_E_LIMIT,
           "17x16 has more than 256"},
          {stk_average_pool, x, {.kernel = {3, 2}, .pad = {-1, 0, 0, 0}}, STK_E_INVALID, "-1,0,0,0"},
    };
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        stk_error      err;
        stk_graph     *g;
        const refusal *r = &refusals[i];
        EXPECT_OK(stk_graph_new(&g, NULL, &err));
        r->make(g, stk_graph_input(g, "x", STK_DTYPE_F32, r->x), &r->options);
        EXPECT_STATUS(r->status, stk_graph_check(g, &err));
        EXPECT_CONTAINS(r->message, err.message);
        stk_graph_free(g);
    }
}

STK_TEST(an_average_over_what_is_no_image_is_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_global_average_pool(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(3, 4)));
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("x has shape [3,4]", err.message);
    stk_graph_free(g);
}
