/* Losses and metrics: PyTorch's numbers, all kinds of labels, labels out of range. */
#include "compute/ops/op_support.h"
#include <math.h>

enum { ROWS = 3, CLASSES = 4 };

static const float soft[ROWS * CLASSES] = {.1f, .2f, .3f, .4f, .25f, .25f, .5f, 0, 0, 0, 1, 0};

typedef struct kind {
    stk_dtype dtype;        /* of the labels; F32: soft */
    int       number[ROWS]; /* the labels */
    double    smoothing;
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
    const kind *k = context;
    out[0] = stk_softmax_cross_entropy(g, in[0], labels_of(g, k), k->smoothing);
    return 1;
}

STK_TEST(cross_entropy_has_the_gradient_of_finite_differences)
{
    const kind kinds[] = {
        {STK_DTYPE_I32, {2, 0, 3}, 0},    {STK_DTYPE_I64, {2, -1, 0}, 0.1},
        {STK_DTYPE_F32, {0, 0, 0}, 0},    {STK_DTYPE_F32, {0, 0, 0}, 0.2},
        {STK_DTYPE_I64, {-1, -5, -1}, 0}, {STK_DTYPE_I32, {4, 1, 1 << 30}, 0.1},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 1,
                                     .in = {{.shape = stk_shape_2d(ROWS, CLASSES)}}}),
                         1e-2);
}

/* torch.nn.functional.cross_entropy(wave(0.9) [3,4], labels, label_smoothing=s, ignore_index=-1):
 * the loss, then dlogits. Numbers [2,-1,0], or the table of probabilities; s 0 and 0.1. */
static const float numbers_0[] = {
    1.0952417f, 0.15475912f, 0.18723986f,  -0.38742214f, 0.045423184f, 0,           0,
    0,          0,           -0.24215338f, 0.14522707f,  0.060864143f, 0.036062151f};
static const float numbers_1[] = {
    1.1440355f, 0.14236329f, 0.17484404f,  -0.35023469f, 0.033027373f, 0,           0,
    0,          0,           -0.20496595f, 0.13283125f,  0.048468325f, 0.023666337f};
static const float soft_0[] = {1.8843037f,   0.070117258f,  0.058715593f,  -0.026892971f,
                               -0.10193986f, -0.052054673f, -0.045104831f, -0.082610264f,
                               0.17976975f,  0.16911936f,   0.096818052f,  -0.28997883f,
                               0.024041435f};
static const float soft_1[] = {1.8560094f,    0.065158933f, 0.057062823f,  -0.025240202f,
                               -0.096981525f, -0.05205467f, -0.045104828f, -0.074346386f,
                               0.1715059f,    0.16085549f,  0.088554174f,  -0.2651872f,
                               0.01577756f};

STK_TEST(cross_entropy_is_that_of_pytorch)
{
    op_case c = {
        .build = build, .inputs = 1, .in = {{.shape = stk_shape_2d(ROWS, CLASSES), .wave = 0.9}}};
    c.context = &(kind){STK_DTYPE_I64, {2, -1, 0}, 0};
    EXPECT_KNOWN(&c, numbers_0, 1e-6);
    c.context = &(kind){STK_DTYPE_I32, {2, -1, 0}, 0.1};
    EXPECT_KNOWN(&c, numbers_1, 1e-6);
    c.context = &(kind){STK_DTYPE_F32, {0}, 0};
    EXPECT_KNOWN(&c, soft_0, 1e-6);
    c.context = &(kind){STK_DTYPE_F32, {0}, 0.1};
    EXPECT_KNOWN(&c, soft_1, 1e-6);
}

STK_TEST(a_label_past_the_classes_counts_as_none)
{
    op_case c = {
        .build = build, .inputs = 1, .in = {{.shape = stk_shape_2d(ROWS, CLASSES), .wave = 0.9}}};
    c.context = &(kind){STK_DTYPE_I64, {2, CLASSES, 0}, 0};
    EXPECT_KNOWN(&c, numbers_0, 1e-6);
    const float nothing[1 + ROWS * CLASSES] = {0};
    c.context = &(kind){STK_DTYPE_I64, {-1, -1, CLASSES}, 0.1};
    EXPECT_KNOWN(&c, nothing, 0);
}

static int build_large(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float   x[] = {5000, -5000};
    const int32_t label = 1;
    (void)in, (void)context;
    out[0] = stk_softmax_cross_entropy(
        g, stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_2d(1, 2), x),
        stk_graph_constant(g, "labels", STK_DTYPE_I32, stk_shape_1d(1), &label), 0);
    return 1;
}

STK_TEST(a_loss_of_ten_thousand_is_finite)
{
    const float loss[] = {10000};
    EXPECT_KNOWN((&(op_case){.build = build_large}), loss, 0);
}

static int build_mse(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_mean_squared_error(g, in[0], in[1]);
    return 1;
}

/* torch.nn.functional.mse_loss(wave(0.9), wave(0.4)) of [2,3]: the loss, then both gradients. */
static const float squared[] = {1.3687916f,    0.13020843f,  0.084784552f, -0.16681759f,
                                -0.47669134f,  -0.62370014f, -0.47871882f, -0.13020843f,
                                -0.084784552f, 0.16681759f,  0.47669134f,  0.62370014f,
                                0.47871882f};

STK_TEST(mean_squared_error_is_that_of_pytorch)
{
    op_case c = {.build = build_mse,
                 .inputs = 2,
                 .in = {{.shape = stk_shape_2d(2, 3), .wave = 0.9},
                        {.shape = stk_shape_2d(2, 3), .wave = 0.4}}};
    EXPECT_KNOWN(&c, squared, 1e-6);
    EXPECT_GRADIENTS(&c, 1e-2);
}

static const float scores[ROWS * CLASSES] = {1, 2, 3, 4, 7, 7, 5, 7, 0, NAN, 2, 1};

/* Correct among the first 1, 2 and 3, and the number of labels. */
static int build_metrics(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    stk_symbol logits =
        stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_2d(ROWS, CLASSES), scores);
    stk_symbol labels = labels_of(g, context);
    (void)in;
    for (int k = 1; k <= 3; k++)
        out[k - 1] = stk_top_k_correct(g, logits, labels, k);
    out[3] = stk_count_labels(g, labels);
    return 4;
}

STK_TEST(correct_rows_are_counted_with_ties_and_numbers_that_are_none)
{
    static const struct {
        kind  labels;
        float counts[4];
    } rows[] = {
        {{STK_DTYPE_I32, {3, 0, 2}, 0}, {2, 3, 3, 3}},  /* NaN ranks before 2 */
        {{STK_DTYPE_I64, {2, 1, 1}, 0}, {0, 2, 2, 3}},  /* the second of equal ones; NaN itself */
        {{STK_DTYPE_I64, {0, 3, -1}, 0}, {0, 0, 1, 2}}, /* the third; the last */
        {{STK_DTYPE_I32, {9, -1, -1}, 0}, {0, 0, 0, 1}},
        {{STK_DTYPE_F32, {0}, 0}, {1, 2, 2, 3}}, /* 3, 2, 2 are the most probable */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        float found[4];
        op_results(&(op_case){.build = build_metrics, .context = &rows[i].labels}, "ref", 1, false,
                   found, 4);
        for (int k = 0; k < 4; k++)
            if (found[k] != rows[i].counts[k])
                fail_msg("row %zu, count %d: %g instead of %g", i, k, (double)found[k],
                         (double)rows[i].counts[k]);
    }
}

static void expect_refusal(stk_status status, const char *part, stk_dtype dtype, stk_shape labels,
                           double smoothing, int k)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(ROWS, CLASSES));
    stk_symbol t = stk_graph_input(g, "t", dtype, labels);
    if (k < 0) stk_softmax_cross_entropy(g, x, t, smoothing);
    if (k >= 0) stk_top_k_correct(g, x, t, k);
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_graph_free(g);
}

STK_TEST(labels_that_do_not_fit_are_refused_with_both_values)
{
    expect_refusal(STK_E_SHAPE, "[4] but must have [3]", STK_DTYPE_I32, stk_shape_1d(4), 0, -1);
    expect_refusal(STK_E_SHAPE, "[3] but must have [3,4]", STK_DTYPE_F32, stk_shape_1d(3), 0, -1);
    expect_refusal(STK_E_TYPE, "labels are uint8", STK_DTYPE_U8, stk_shape_1d(3), 0, -1);
    expect_refusal(STK_E_INVALID, "smoothing of 2", STK_DTYPE_I32, stk_shape_1d(3), 2, -1);
    expect_refusal(STK_E_INVALID, "k is 5; with 4 classes", STK_DTYPE_I32, stk_shape_1d(3), 0, 5);
}
