/* layer_norm against PyTorch's. */
#include "compute/ops/op_support.h"
#include <math.h>

typedef struct kind {
    bool   no_gamma, no_beta;
    double epsilon;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    out[0] = stk_layer_normalize(g, in[0], k->no_gamma ? STK_NO_SYMBOL : in[1],
                                 k->no_beta ? STK_NO_SYMBOL : in[2], k->epsilon);
    return 1;
}

STK_TEST(layer_norm_has_the_gradient_of_finite_differences)
{
    const kind      kinds[] = {{false, false, 0}, {true, false, 1e-3}, {true, true, 1e-3}};
    const stk_shape shapes[] = {stk_shape_1d(7), stk_shape_2d(5, 7), stk_shape_3d(2, 3, 7)};
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++)
            EXPECT_GRADIENTS((&(op_case){.build = build,
                                         .context = &kinds[k],
                                         .inputs = 3,
                                         .in = {{.shape = shapes[s]},
                                                {.shape = stk_shape_1d(7)},
                                                {.shape = stk_shape_1d(7)}}}),
                             2e-2);
}

/* torch.nn.functional.layer_norm(x, (5,), gamma, beta, eps=1e-3) with x = wave(0.9) [3,5],
 * gamma = wave(0.4), beta = wave(0.3): y, then dx, dgamma, dbeta. */
static const float known[] = {
    0.62451637f,  1.353848f,   1.1261607f,   0.13444981f, -0.38000059f, -0.36514741f, 0.25698295f,
    1.5460715f,   2.0328555f,  1.1846128f,   0.18257934f, -0.23225884f, 0.067989163f, 1.4121069f,
    2.5325129f,   0.74939942f, 0.10165687f,  -1.1401472f, 0.1510603f,   0.13803066f,  0.54096919f,
    -0.37029973f, 1.0006047f,  0.20950732f,  -1.3807818f, -0.11990163f, 0.93690383f,  -0.28019282f,
    -1.4031363f,  0.86632693f, 2.0683846f,   -1.1266862f, 0.44593924f,  -0.42407107f, -0.80132854f,
    0.14279132f,  0.12611508f, -0.17528951f, -0.0809443f, 0.19614801f};

STK_TEST(layer_norm_is_that_of_pytorch)
{
    EXPECT_KNOWN((&(op_case){.build = build,
                             .context = &(kind){.epsilon = 1e-3},
                             .inputs = 3,
                             .in = {{.shape = stk_shape_2d(3, 5), .wave = 0.9},
                                    {.shape = stk_shape_1d(5), .wave = 0.4},
                                    {.shape = stk_shape_1d(5), .wave = 0.3}}}),
                 known, 5e-6);
}

static int build_far(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float x[] = {9999, 10001, 9999, 10001};
    (void)in, (void)context;
    out[0] = stk_layer_normalize(g, stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_1d(4), x),
                                 STK_NO_SYMBOL, STK_NO_SYMBOL, 1e-12);
    return 1;
}

STK_TEST(a_row_far_from_zero_is_normalised_exactly)
{
    const float far[] = {-1, 1, -1, 1};
    EXPECT_KNOWN((&(op_case){.build = build_far}), far, 1e-6);
}

STK_TEST(layer_norm_names_the_shape_it_wants)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_layer_normalize(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(3, 5)),
                        stk_graph_input(g, "gamma", STK_DTYPE_F32, stk_shape_1d(3)), STK_NO_SYMBOL,
                        0);
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 1 has shape [3] but must have [5]", err.message);
    stk_graph_free(g);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_layer_normalize(g, stk_fill(g, STK_DTYPE_F32, stk_shape_1d(2), 0), STK_NO_SYMBOL,
                        STK_NO_SYMBOL, -1);
    EXPECT_STATUS(STK_E_INVALID, stk_graph_check(g, &err));
    EXPECT_CONTAINS("epsilon is -1", err.message);
    stk_graph_free(g);
}
