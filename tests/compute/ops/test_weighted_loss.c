/* Class-weighted and focal losses: PyTorch's numbers, all kinds of labels. */
#include "compute/ops/op_support.h"
#include <math.h>

enum { ROWS = 3, CLASSES = 4 };

static const float soft[ROWS * CLASSES] = {.1f, .2f, .3f, .4f, .25f, .25f, .5f, 0, 0, 0, 1, 0};
static const float uneven[CLASSES] = {0.5f, 2, 1, 3};

typedef struct kind {
    stk_dtype    dtype;        /* of the labels; F32: soft */
    int          number[ROWS]; /* the labels */
    double       smoothing, gamma;
    const float *weights; /* NULL: none */
} kind;

static stk_symbol labels_of(stk_graph *g, const kind *k)
{
    int32_t narrow[ROWS];
    int64_t wide[ROWS];
    for (int i = 0; i < ROWS; i++)
        wide[i] = narrow[i] = k->number[i];
    if (k->dtype == STK_DTYPE_F32)
        return stk_graph_constant(g, "labels", k->dtype, stk_shape_2d(ROWS, CLASSES), soft);
    return stk_graph_constant(g, "labels", k->dtype, stk_shape_1d(ROWS),
                              k->dtype == STK_DTYPE_I32 ? (void *)narrow : (void *)wide);
}

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind                  *k = context;
    stk_weighted_entropy_options o = {.smoothing = k->smoothing, .gamma = k->gamma};
    if (k->weights)
        o.weights =
            stk_graph_constant(g, "weights", STK_DTYPE_F32, stk_shape_1d(CLASSES), k->weights);
    out[0] = stk_weighted_cross_entropy(g, in[0], labels_of(g, k), &o);
    return 1;
}

static const kind kinds[] = {
    {STK_DTYPE_I32, {2, 0, 3}, 0, 0, uneven},
    {STK_DTYPE_I64, {2, -1, 0}, 0.1, 0, uneven},
    {STK_DTYPE_F32, {0}, 0, 0, uneven},
    {STK_DTYPE_F32, {0}, 0.2, 0, uneven},
    {STK_DTYPE_I64, {2, 0, 3}, 0, 2, NULL},
    {STK_DTYPE_I64, {2, -1, 0}, 0.1, 0.5, uneven},
    {STK_DTYPE_F32, {0}, 0.1, 1.5, uneven},
    {STK_DTYPE_I64, {-1, -5, -1}, 0, 2, uneven},
    {STK_DTYPE_I32, {4, 1, 1 << 30}, 0.1, 3, NULL},
    {STK_DTYPE_F32, {0}, 0, 1, NULL},
};

STK_TEST(weighted_cross_entropy_has_the_gradient_of_finite_differences)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 1,
                                     .in = {{.shape = stk_shape_2d(ROWS, CLASSES)}}}),
                         1e-2);
}

/* scripts/golden/print_losses.py: the loss, then dlogits. */
static const float weighted_0[] = {
    1.2369329f, 0.20634549f, 0.24965315f,  -0.51656288f, 0.060564246f, 0,           0,
    0,          0,           -0.16143558f, 0.096818055f, 0.040576095f, 0.024041435f};
static const float weighted_1[] = {
    1.5127792f, 0.2109782f,   0.23220097f, -0.45794538f, 0.014766264f, 0, 0, 0,
    0,          -0.09859208f, 0.08554662f, 0.033177967f, -0.020132489f};
static const float weighted_soft_0[] = {1.9504247f,   0.13594538f,  0.081857568f,  0.030748609f,
                                        -0.24855152f, -0.00508881f, -0.090590306f, -0.053209965f,
                                        0.14888907f,  0.12450506f,  0.071277096f,  -0.21348137f,
                                        0.017699217f};
static const float weighted_soft_1[] = {1.9561602f,   0.13165166f,    0.076437387f,  0.03023613f,
                                        -0.23832516f, -0.0039630183f, -0.089208697f, -0.044083169f,
                                        0.13725485f,  0.12924471f,    0.063564249f,  -0.19336287f,
                                        0.0005539147f};
static const float focal_2[] = {
    0.54401231f, 0.17487387f, 0.21157628f, -0.4377772f,  0.051327044f, 0,           0,
    0,           0,           -0.1388545f, 0.083275461f, 0.034900443f, 0.020678597f};
static const float focal_half_weighted[] = {
    1.3140458f, 0.22571789f,   0.24979226f,  -0.49135014f, 0.015840065f, 0, 0, 0,
    0,          -0.087129779f, 0.080523652f, 0.030607129f, -0.024001009f};
static const float focal_soft[] = {1.5610666f,   0.15280696f,    0.10977758f,  0.033158978f,
                                   -0.29574348f, -0.0068475127f, -0.10838492f, -0.055355305f,
                                   0.17058772f,  0.14733779f,    0.08434846f,  -0.25263126f,
                                   0.02094504f};

STK_TEST(weighted_cross_entropy_is_that_of_pytorch)
{
    op_case c = {
        .build = build, .inputs = 1, .in = {{.shape = stk_shape_2d(ROWS, CLASSES), .wave = 0.9}}};
    c.context = &(kind){STK_DTYPE_I64, {2, -1, 0}, 0, 0, uneven};
    EXPECT_KNOWN(&c, weighted_0, 1e-6);
    c.context = &(kind){STK_DTYPE_I32, {2, -1, 0}, 0.1, 0, uneven};
    EXPECT_KNOWN(&c, weighted_1, 1e-6);
    c.context = &(kind){STK_DTYPE_F32, {0}, 0, 0, uneven};
    EXPECT_KNOWN(&c, weighted_soft_0, 1e-6);
    c.context = &(kind){STK_DTYPE_F32, {0}, 0.1, 0, uneven};
    EXPECT_KNOWN(&c, weighted_soft_1, 1e-6);
}

STK_TEST(the_focal_loss_is_its_formula_in_pytorch)
{
    op_case c = {
        .build = build, .inputs = 1, .in = {{.shape = stk_shape_2d(ROWS, CLASSES), .wave = 0.9}}};
    c.context = &(kind){STK_DTYPE_I64, {2, -1, 0}, 0, 2, NULL};
    EXPECT_KNOWN(&c, focal_2, 1e-6);
    c.context = &(kind){STK_DTYPE_I64, {2, -1, 0}, 0.1, 0.5, uneven};
    EXPECT_KNOWN(&c, focal_half_weighted, 1e-6);
    c.context = &(kind){STK_DTYPE_F32, {0}, 0, 1.5, uneven};
    EXPECT_KNOWN(&c, focal_soft, 1e-6);
}

/* Without weights and gamma it equals the plain loss bit for bit. */
static int build_both(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    build(g, in, out, context);
    out[1] = stk_softmax_cross_entropy(g, in[0], labels_of(g, k), k->smoothing);
    return 2;
}

STK_TEST(without_weights_and_gamma_it_is_the_plain_loss)
{
    static const kind plain[] = {{STK_DTYPE_I64, {2, -1, 0}, 0, 0, NULL},
                                 {STK_DTYPE_I32, {1, 3, 0}, 0.3, 0, NULL},
                                 {STK_DTYPE_F32, {0}, 0.1, 0, NULL}};
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        const op_case c = {.build = build_both,
                           .context = &plain[i],
                           .inputs = 1,
                           .in = {{.shape = stk_shape_2d(ROWS, CLASSES)}}};
        float         both[2];
        EXPECT_INT_EQ(2, op_results(&c, "ref", 1, false, both, 2));
        assert_float_equal(both[1], both[0], 1e-7);
    }
}

/* Probabilities of exactly 0 and 1: neither an infinite slope nor 0 times infinity. */
static int build_sure(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const int32_t right = *(const int *)context;
    const float   x[] = {500, -500, 0};
    (void)in;
    stk_symbol logits = stk_graph_variable(g, "x", STK_DTYPE_F32, stk_shape_2d(1, 3), NULL);
    stk_symbol moved =
        stk_add(g, logits, stk_graph_constant(g, "c", STK_DTYPE_F32, stk_shape_2d(1, 3), x));
    stk_symbol loss = stk_weighted_cross_entropy(
        g, moved, stk_graph_constant(g, "labels", STK_DTYPE_I32, stk_shape_1d(1), &right),
        &(stk_weighted_entropy_options){.gamma = 0.5});
    out[0] = loss;
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, &logits, 1, &out[1]);
    return 2;
}

STK_TEST(a_sure_answer_has_a_finite_slope)
{
    static const char *const backends[] = {"ref", "cpu"};
    for (size_t b = 0; b < COUNT_OF(backends); b++)
        for (int right = 0; right < 2; right++) {
            const op_case c = {.build = build_sure, .context = &right};
            float         got[4];
            EXPECT_INT_EQ(4, op_results(&c, backends[b], 1, false, got, 4));
            assert_float_equal(right ? 1000 : 0, got[0], 1e-3);
            assert_float_equal(right ? 1 : 0, got[1], 1e-6);
            assert_float_equal(right ? -1 : 0, got[2], 1e-6);
            assert_float_equal(0, got[3], 1e-6);
        }
}

static void expect_refused(stk_status status, const char *part, stk_shape weights, stk_dtype dtype,
                           double smoothing, double gamma)
{
    stk_graph *g;
    stk_error  err;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(ROWS, CLASSES));
    stk_symbol labels = stk_graph_input(g, "labels", STK_DTYPE_I64, stk_shape_1d(ROWS));
    stk_symbol w = stk_graph_input(g, "weights", dtype, weights);
    stk_weighted_cross_entropy(g, x, labels, &(stk_weighted_entropy_options){w, smoothing, gamma});
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_graph_free(g);
}

STK_TEST(weights_of_other_classes_and_odd_numbers_are_refused)
{
    const stk_shape right = stk_shape_1d(CLASSES);
    expect_refused(STK_E_SHAPE, "a weight for each class", stk_shape_1d(CLASSES + 1), STK_DTYPE_F32,
                   0, 0);
    expect_refused(STK_E_TYPE, "weights are int64", right, STK_DTYPE_I64, 0, 0);
    expect_refused(STK_E_INVALID, "a smoothing of 2", right, STK_DTYPE_F32, 2, 0);
    expect_refused(STK_E_INVALID, "a gamma of -1", right, STK_DTYPE_F32, 0, -1);
}
