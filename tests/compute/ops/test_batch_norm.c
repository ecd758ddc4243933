/* Batch norm against PyTorch's; fused pieces against separate ones. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/op_support.h"
#include <math.h>

typedef struct kind {
    bool inference, no_gamma, no_beta;
} kind;

static stk_batch_norm running(stk_graph *g, stk_symbol like)
{
    stk_shape            channels = stk_symbol_shape(g, like);
    stk_variable_options zero = {.role = STK_VARIABLE_STATISTIC};
    stk_variable_options one = {.role = STK_VARIABLE_STATISTIC, .init = {STK_INIT_CONSTANT, 1, 0}};
    return (stk_batch_norm){
        .mean = stk_graph_variable(g, "running_mean", STK_DTYPE_F32, channels, &zero),
        .var = stk_graph_variable(g, "running_var", STK_DTYPE_F32, channels, &one),
        .epsilon = 1e-3,
        .momentum = 0.2,
    };
}

/* in: x, gamma, beta, and the statistics for inference. */
static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind    *k = context;
    stk_batch_norm norm = running(g, in[1]);
    norm.inference = k->inference;
    if (k->inference) norm.mean = in[3], norm.var = in[4];
    if (!k->no_gamma) norm.gamma = in[1];
    if (!k->no_beta) norm.beta = in[2];
    out[0] = stk_batch_normalize(g, in[0], &norm);
    return 1;
}

static op_case norm_of(stk_shape x, int64_t channels, const kind *k)
{
    op_input per_channel = {.shape = stk_shape_1d(channels)};
    op_input var = {.shape = stk_shape_1d(channels), .low = 0.5, .high = 2, .fixed = true};
    op_input mean = {.shape = stk_shape_1d(channels), .fixed = true};
    return (op_case){.build = build,
                     .context = k,
                     .inputs = k->inference ? 5 : 3,
                     .in = {{.shape = x}, per_channel, per_channel, mean, var}};
}

STK_TEST(batch_norm_has_the_gradient_of_finite_differences)
{
    const kind kinds[] = {{false, false, false},
                          {false, true, false},
                          {false, false, true},
                          {true, false, false},
                          {true, false, true}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        op_case c = norm_of(stk_shape_4d(2, 3, 5, 3), 3, &kinds[i]);
        EXPECT_GRADIENTS(&c, 2e-2);
        c = norm_of(stk_shape_2d(7, 5), 5, &kinds[i]);
        EXPECT_GRADIENTS(&c, 2e-2);
        c = norm_of(stk_shape_4d(2, 3, 5, 3), 3, &kinds[i]);
        c.layout = STK_LAYOUT_NCHW;
        EXPECT_GRADIENTS(&c, 2e-2);
    }
}

/* bn = torch.nn.BatchNorm2d(2, eps=1e-3, momentum=0.2) with weight wave(0.4) and bias wave(0.3) on
 * x = wave(0.9) [2,2,2,2] as NHWC: y, then dx, dweight, dbias; then running_mean, running_var. */
static const float trained[] = {
    0.66895288f,  1.3949875f,   0.47428307f,  0.013014456f, -0.29407156f,   -0.30920997f,
    0.24974181f,  1.2191832f,   0.77098536f,  0.84689939f,  -0.0096832551f, -0.51232648f,
    -0.17618772f, 0.4775953f,   0.68014121f,  1.3869965f,   0.46018353f,    -0.32053202f,
    -0.57219392f, 0.45963922f,  0.43519273f,  -0.69399476f, -0.38511607f,   0.77329975f,
    0.12626955f,  -0.98992473f, -0.10681266f, 0.97155958f,  -0.070792988f,  -0.98705304f,
    0.11326975f,  0.78700584f,  0.47710142f,  0.20735717f,  0.74436426f,    0.34372908f};
static const float after[] = {0.020103633f, 0.024567341f, 0.91565675f, 0.92332196f};

/* The same after bn.eval(), with running_mean wave(0.6) and running_var wave(0.5). */
static const float evaluated[] = {
    0.41838327f,   0.59731799f,  0.21840224f,   -0.50964582f, -0.57091558f, -0.76774836f,
    -0.012265233f, 0.45649832f,  0.5231995f,    0.15829806f,  -0.27876824f, -0.93044519f,
    -0.44981548f,  -0.13751541f, 0.42987686f,   0.59091723f,  0.557145f,    -0.19971848f,
    -0.52014852f,  0.38617486f,  0.44861242f,   -0.54698813f, -0.34728643f, 0.67147887f,
    0.22289984f,   -0.7513811f,  -0.083711393f, 0.78138918f,  -0.06103529f, -0.75950974f,
    0.20172903f,   0.68719643f,  -0.008314997f, -0.13694385f, 0.74436426f,  0.34372908f};

static op_case known_norm(const kind *k)
{
    op_case      c = norm_of(stk_shape_4d(2, 2, 2, 2), 2, k);
    const double waves[] = {0.9, 0.4, 0.3, 0.6, 0.5};
    for (int i = 0; i < c.inputs; i++)
        c.in[i].wave = waves[i];
    return c;
}

STK_TEST(batch_norm_is_that_of_pytorch_in_training_and_inference)
{
    op_case training = known_norm(&(kind){.inference = false});
    op_case inference = known_norm(&(kind){.inference = true});
    EXPECT_KNOWN(&training, trained, 2e-6);
    EXPECT_KNOWN(&inference, evaluated, 2e-6);
}

static void expect_near(const float *expected, const float *found, size_t count, float tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(expected[i] - found[i]) <= tolerance))
            fail_msg("number %zu is %.8g, expected %.8g", i, (double)found[i], (double)expected[i]);
}

STK_TEST(running_statistics_are_those_of_pytorch_after_one_step)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    float          x[16], found[4];
    for (int i = 0; i < 16; i++)
        x[i] = sinf(0.9f * (float)(i + 1));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol     in = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, 2, 2, 2));
    stk_batch_norm norm = running(g, stk_fill(g, STK_DTYPE_F32, stk_shape_1d(2), 0));
    stk_graph_output(g, "y", stk_batch_normalize(g, in, &norm));
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    EXPECT_OK(stk_program_feed(program, "x", x, sizeof x, &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_variables_read(variables, 0, found, 2 * sizeof *found, &err));
    EXPECT_OK(stk_variables_read(variables, 1, found + 2, 2 * sizeof *found, &err));
    expect_near(after, found, 4, 1e-6f);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
}

enum { FAR_ROWS = 64, FAR_CHANNELS = 2 };

/* Means of 10000 and -30000 with deviations of 1 and 3: 1 + 1/4 everywhere in exact numbers. */
static int build_far(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    float x[FAR_ROWS * FAR_CHANNELS];
    (void)in, (void)context;
    for (int i = 0; i < FAR_ROWS; i++) {
        x[2 * i] = 10000 + (i % 2 ? 1.0f : -1.0f) + (i % 4 < 2 ? 0.5f : -0.5f);
        x[2 * i + 1] = -30000 + 3 * ((i % 2 ? 1.0f : -1.0f) + (i % 4 < 2 ? 0.5f : -0.5f));
    }
    stk_symbol data =
        stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_2d(FAR_ROWS, FAR_CHANNELS), x);
    stk_batch_norm norm = running(g, stk_fill(g, STK_DTYPE_F32, stk_shape_1d(FAR_CHANNELS), 0));
    out[0] = stk_batch_normalize(g, data, &norm);
    stk_graph_add(g, &stk_graph_op_bn_stats, &data, 1, NULL, out + 1, 2);
    return 3;
}

STK_TEST(a_mean_far_from_zero_leaves_the_deviation_exact)
{
    float        found[FAR_ROWS * FAR_CHANNELS + 4];
    const float *stats = found + FAR_ROWS * FAR_CHANNELS;
    op_results(&(op_case){.build = build_far}, "ref", 1, false, found, COUNT_OF(found));
    expect_near((float[]){10000, -30000, 1.25f, 11.25f}, stats, 4, 0);
    for (int i = 0; i < FAR_ROWS; i++) {
        double exact = ((i % 2 ? 1.0 : -1.0) + (i % 4 < 2 ? 0.5 : -0.5)) / sqrt(1.251);
        EXPECT(fabs((double)found[2 * i] - exact) < 1e-3); /* 10000 has steps of 1/1024 */
    }
}

typedef struct fusion {
    stk_activation act;
    int            residuals; /* 0, 1, or 2 for a residual with its own scale and shift */
    bool           fused;
} fusion;

/* in: x, scale, shift, residual, residual_scale, residual_shift */
static int build_fusion(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const fusion      *f = context;
    stk_bn_apply_attrs plain = {.act = {0}}, fused = {.act = f->act};
    static const int   inputs[] = {3, 4, 6};
    if (f->fused) {
        stk_graph_add(g, &stk_graph_op_bn_apply, in, inputs[f->residuals], &fused, out, 1);
        return 1;
    }
    stk_symbol y = stk_graph_add3(g, &stk_graph_op_bn_apply, in[0], in[1], in[2], &plain);
    stk_symbol r = in[3];
    if (f->residuals == 2)
        r = stk_graph_add3(g, &stk_graph_op_bn_apply, in[3], in[4], in[5], &plain);
    if (f->residuals) y = stk_add(g, y, r);
    out[0] = stk_graph_add1(g, stk_graph_op_find(f->act.row->name), y, &f->act);
    return 1;
}

static const stk_activation activations[] = {{&stk_activation_relu, 0, 0},
                                             {&stk_activation_clip, 0, 0.5f},
                                             {&stk_activation_silu, 0, 0},
                                             {&stk_activation_hardswish, 0, 0}};

STK_TEST(bn_apply_fused_is_bn_apply_then_add_then_activation)
{
    enum { COUNT = 2 * 3 * 5 };
    op_input big = {.shape = stk_shape_3d(2, 3, 5)}, small = {.shape = stk_shape_1d(5)};
    for (size_t a = 0; a < COUNT_OF(activations); a++)
        for (int residuals = 0; residuals <= 2; residuals++) {
            fusion f = {activations[a], residuals, true},
                   apart = {activations[a], residuals, false};
            op_case c = {.build = build_fusion,
                         .context = &f,
                         .inputs = 6,
                         .in = {big, small, small, big, small, small}};
            float   fused[COUNT], one_by_one[COUNT];
            op_results(&c, "ref", 2, false, fused, COUNT);
            c.context = &apart;
            op_results(&c, "ref", 2, false, one_by_one, COUNT);
            expect_near(one_by_one, fused, COUNT, 1e-6f);
        }
}

typedef struct masking {
    stk_activation act;
    stk_bn_mask    mask;
    bool           fused;
} masking;

/* in: dy, x, mean, invstd, gamma, scale, shift. out: dgamma, dbeta, dx, dz. */
static int build_masking(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const masking     *m = context;
    stk_bn_apply_attrs plain = {.act = {0}};
    stk_symbol         z = stk_graph_add3(g, &stk_graph_op_bn_apply, in[1], in[5], in[6], &plain);
    stk_symbol y = stk_graph_add1(g, stk_graph_op_find(m->act.row->name), z, &m->act), dz = in[0];
    int        masks = m->fused ? (int)m->mask : 0;
    if (!m->fused)
        dz = stk_graph_add2(g, stk_activation_grad_op(stk_graph_op_find(m->act.row->name)), in[0],
                            m->act.row->from_output ? y : z, &m->act);
    stk_bn_grad_attrs attrs = {.mask = m->fused ? m->mask : STK_BN_MASK_NONE};
    if (m->fused) attrs.act = m->act;
    stk_symbol first = m->mask == STK_BN_MASK_OUTPUT ? y : in[5];
    stk_graph_add(g, &stk_graph_op_bn_grad_sums,
                  (stk_symbol[]){dz, in[1], in[2], in[3], first, in[6]}, 4 + masks, &attrs, out, 2);
    stk_graph_add(g, &stk_graph_op_bn_grad_apply,
                  (stk_symbol[]){dz, in[1], in[2], in[3], in[4], out[0], out[1], first, in[6]},
                  7 + masks, &attrs, out + 2, 2);
    return 4;
}

STK_TEST(gradients_with_a_mask_are_those_after_the_gradient_of_the_activation)
{
    enum { COUNT = 2 * 5 + 2 * 2 * 3 * 5 };
    op_input big = {.shape = stk_shape_3d(2, 3, 5)}, small = {.shape = stk_shape_1d(5)};
    for (size_t a = 0; a < COUNT_OF(activations); a++)
        for (int mask = STK_BN_MASK_OUTPUT; mask <= STK_BN_MASK_INPUT; mask++) {
            masking m = {activations[a], (stk_bn_mask)mask, true}, apart = m;
            op_case c = {.build = build_masking,
                         .context = &m,
                         .inputs = 7,
                         .in = {big, big, small, small, small, small, small}};
            float   fused[COUNT], one_by_one[COUNT];
            if (mask == STK_BN_MASK_OUTPUT && !m.act.row->from_output) continue;
            apart.fused = false;
            EXPECT_INT_EQ(COUNT, op_results(&c, "ref", 2, false, fused, COUNT));
            c.context = &apart;
            op_results(&c, "ref", 2, false, one_by_one, COUNT);
            expect_near(one_by_one, fused, COUNT, 2e-6f);
        }
}

static stk_graph *graph_with(stk_symbol *x, stk_symbol *channels)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    *x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, 3, 3, 4));
    *channels = stk_graph_input(g, "c", STK_DTYPE_F32, stk_shape_1d(4));
    return g;
}

STK_TEST(batch_norm_without_or_with_wrong_statistics_is_refused)
{
    stk_error  err;
    stk_symbol x, c;
    stk_graph *g = graph_with(&x, &c);
    stk_batch_normalize(g, x, &(stk_batch_norm){.gamma = c});
    EXPECT_STATUS(STK_E_INVALID, stk_graph_check(g, &err));
    EXPECT_CONTAINS("no running statistics", err.message);
    stk_graph_free(g);

    g = graph_with(&x, &c);
    stk_symbol three = stk_graph_input(g, "three", STK_DTYPE_F32, stk_shape_1d(3));
    stk_batch_normalize(g, x, &(stk_batch_norm){.mean = c, .var = three, .inference = true});
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 3 has shape [3] but must have [4]", err.message);
    stk_graph_free(g);

    g = graph_with(&x, &c);
    stk_batch_normalize(g, x, &(stk_batch_norm){.mean = c, .var = c, .momentum = 1.5});
    EXPECT_STATUS(STK_E_INVALID, stk_graph_check(g, &err));
    EXPECT_CONTAINS("momentum 1.5", err.message);
    stk_graph_free(g);
}

STK_TEST(gradients_through_fused_or_mixed_pieces_are_refused)
{
    stk_error          err;
    stk_symbol         x, c, y, gradient;
    stk_graph         *g = graph_with(&x, &c);
    stk_bn_apply_attrs relu = {.act = {&stk_activation_relu, 0, 0}}, plain = {.act = {0}};
    y = stk_graph_add3(g, &stk_graph_op_bn_apply, x, c, c, &relu);
    stk_graph_gradients(g, stk_reduce_sum(g, y, 0, false), STK_NO_SYMBOL, &x, 1, &gradient);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_graph_check(g, &err));
    EXPECT_CONTAINS("before fusing", err.message);
    stk_graph_free(g);

    g = graph_with(&x, &c);
    stk_symbol            stats[2], final[5], other = stk_relu(g, x);
    stk_bn_finalize_attrs attrs = {.epsilon = 1e-5f, .momentum = 0.1f, .count = 18};
    stk_graph_add(g, &stk_graph_op_bn_stats, &other, 1, NULL, stats, 2);
    stk_graph_add(g, &stk_graph_op_bn_finalize, (stk_symbol[]){stats[0], stats[1], c, c, c, c}, 6,
                  &attrs, final, 5);
    y = stk_graph_add3(g, &stk_graph_op_bn_apply, x, final[0], final[1], &plain);
    stk_graph_gradients(g, stk_reduce_sum(g, y, 0, false), STK_NO_SYMBOL, &x, 1, &gradient);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_graph_check(g, &err));
    EXPECT_CONTAINS("not those of its input", err.message);
    stk_graph_free(g);
}

STK_TEST(values_per_channel_stay_float32_when_images_are_halves)
{
    stk_error          err;
    stk_symbol         x, c;
    stk_graph         *g = graph_with(&x, &c);
    stk_bn_apply_attrs plain = {.act = {0}};
    stk_symbol         half = stk_graph_input(g, "h", STK_DTYPE_BF16, stk_shape_4d(2, 3, 3, 4));
    stk_symbol         y = stk_graph_add3(g, &stk_graph_op_bn_apply, half, c, c, &plain), stats[2];
    stk_graph_add(g, &stk_graph_op_bn_stats, &half, 1, NULL, stats, 2);
    EXPECT_INT_EQ(STK_DTYPE_BF16, stk_symbol_dtype(g, y));
    EXPECT_INT_EQ(STK_DTYPE_F32, stk_symbol_dtype(g, stats[1]));
    stk_symbol wrong = stk_graph_input(g, "w", STK_DTYPE_BF16, stk_shape_1d(4));
    stk_graph_add3(g, &stk_graph_op_bn_apply, half, wrong, c, &plain);
    EXPECT_STATUS(STK_E_TYPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 1 is bfloat16", err.message);
    stk_graph_free(g);
}
