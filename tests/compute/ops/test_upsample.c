/* upsample: gradients, PyTorch's numbers, errors. */
#include "compute/ops/known_values.h"

typedef struct kind {
    int               factor;
    stk_upsample_kind kind;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    out[0] = stk_upsample(g, in[0], k->factor, k->kind);
    return 1;
}

STK_TEST(upsampling_has_the_gradient_of_finite_differences)
{
    const kind kinds[] = {{1, STK_UPSAMPLE_BILINEAR},
                          {2, STK_UPSAMPLE_NEAREST},
                          {2, STK_UPSAMPLE_BILINEAR},
                          {3, STK_UPSAMPLE_BILINEAR}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 1,
                                     .in = {{.shape = stk_shape_4d(2, 3, 1, 3)}}}),
                         1e-2);
}

static int build_known(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    stk_symbol  x = pattern(g, stk_shape_4d(1, 2, 2, 3), 7, 11);
    (void)in;
    out[0] = stk_upsample(g, x, k->factor, k->kind);
    pattern_gradients(g, out[0], 3, 5, &x, 1, out + 1);
    return 2;
}

/* x = p(12, 7, 11).view(1, 2, 2, 3)
 * y = F.interpolate(x, scale_factor=3, mode='bilinear', align_corners=False)
 * (y * p(108, 3, 5).view(y.shape)).sum().backward(): y, x.grad, in ninths */
STK_TEST(bilinear_upsampling_is_that_of_pytorch)
{
    static const float expected[] = {
        -45, -45, -24, -3,  18,  6,   -6,  -18, -18, -45, -45, -24, -3,  18,  6,   -6,
        -18, -18, -15, -15, -5,  5,   15,  3,   -9,  -21, -21, 15,  15,  14,  13,  12,
        0,   -12, -24, -24, 45,  45,  33,  21,  9,   -3,  -15, -27, -27, 45,  45,  33,
        21,  9,   -3,  -15, -27, -27, 36,  36,  24,  12,  0,   -12, -24, -36, -36, 36,
        36,  24,  12,  0,   -12, -24, -36, -36, 33,  33,  21,  9,   -3,  -15, -27, -39,
        -39, 30,  30,  18,  6,   -6,  -18, -30, -42, -42, 27,  27,  15,  3,   -9,  -21,
        -33, -45, -45, 27,  27,  15,  3,   -9,  -21, -33, -45, -45, /* dx */
        -17, 10,  -8,  8,   -10, 17,  0,   7,   -16, -15, 2,   4};
    const kind k = {3, STK_UPSAMPLE_BILINEAR};
    EXPECT_VALUES((&(op_case){.build = build_known, .context = &k, .layout = STK_LAYOUT_NCHW}),
                  expected, 9, 1e-6);
}

/* The same with F.interpolate(x, scale_factor=2, mode='nearest') and p(48, 3, 5). */
STK_TEST(upsampling_by_the_nearest_is_that_of_pytorch)
{
    static const float expected[] = {-5, -5, 2,  2, -2, -2, -5, -5, 2, 2, -2, -2, 5,  5,  1, 1, -3,
                                     -3, 5,  5,  1, 1,  -3, -3, 4,  4, 0, 0,  -4, -4, 4,  4, 0, 0,
                                     -4, -4, 3,  3, -1, -1, -5, -5, 3, 3, -1, -1, -5, -5, /* dx */
                                     -1, 3,  -3, 3, -3, 1,  -3, 1,  0, 1, 0,  -1};
    const kind         k = {2, STK_UPSAMPLE_NEAREST};
    EXPECT_VALUES((&(op_case){.build = build_known, .context = &k, .layout = STK_LAYOUT_NCHW}),
                  expected, 1, 0);
}

STK_TEST(upsampling_by_nothing_and_of_rows_is_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_upsample(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(1, 2, 2, 3)), 0,
                 STK_UPSAMPLE_NEAREST);
    EXPECT_STATUS(STK_E_INVALID, stk_graph_check(g, &err));
    EXPECT_CONTAINS("factor 0 is below 1", err.message);
    stk_graph_free(g);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_upsample(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(2, 3)), 2,
                 STK_UPSAMPLE_NEAREST);
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("shape [2,3]", err.message);
    stk_graph_free(g);
}
