#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stdio.h>

/* Less than an access, past a block's first round, past a chunk. */
static const int counts[] = {3, 1029, 8199};

static const float hyper[STK_HYPER_COUNT] = {0.1f, 0.9f};
static const float guards[][STK_GUARD_COUNT] = {
    {0.5f, 0, 1, 2}, {0.25f, 0, 17, 2}, {0.5f, 1, 3, 2} /* guards that skip the update */};

static void expect_update(const stk_graph_op *op, const void *attrs, stk_shape shape,
                          const float *guard, stk_format have)
{
    int       slots = op->inputs_min - 4;
    cuda_case c = {.op = op,
                   .attrs = attrs,
                   .inputs = op->inputs_min,
                   .have = have,
                   .in = {{.shape = shape, .dtype = STK_DTYPE_F32}, {.shape = shape}}};
    for (int i = 0; i < slots; i++)
        c.in[2 + i] = (cuda_input){
            .shape = shape, .dtype = STK_DTYPE_F32, .low = i == 1 ? 0.001 : -1, .high = 1};
    c.in[2 + slots] =
        (cuda_input){.shape = VECTOR(STK_HYPER_COUNT), .dtype = STK_DTYPE_F32, .data = hyper};
    c.in[3 + slots] =
        (cuda_input){.shape = VECTOR(STK_GUARD_COUNT), .dtype = STK_DTYPE_F32, .data = guard};
    EXPECT_CUDA(&c);
}

static void expect_updates(const stk_graph_op *op, const stk_optimizer_attrs *attrs)
{
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        expect_update(op, attrs, VECTOR(counts[i]), guards[i % 2], STK_FORMAT_PLAIN);
    expect_update(op, attrs, VECTOR(1029), guards[2], STK_FORMAT_PLAIN);
    expect_update(op, attrs, VECTOR(0), guards[0], STK_FORMAT_PLAIN);
    /* weights of a convolution, channels last and padded */
    expect_update(op, attrs, NHWC(5, 3, 3, 3), guards[0], 1 | 4);
}

STK_TEST(sgd_steps)
{
    expect_updates(&stk_graph_op_sgd, &(stk_optimizer_attrs){.rate = 1, .weight_decay = 0.01});
    expect_update(&stk_graph_op_sgd, &(stk_optimizer_attrs){.rate = 2, .nesterov = 1}, VECTOR(37),
                  guards[0], STK_FORMAT_PLAIN);
}

STK_TEST(lars_steps)
{
    stk_optimizer_attrs attrs = {
        .rate = 1, .weight_decay = 0.01, .trust = 0.02, .epsilon = 1e-6, .adapt = 1};
    expect_updates(&stk_graph_op_lars, &attrs);
    attrs.adapt = 0;
    expect_update(&stk_graph_op_lars, &attrs, VECTOR(37), guards[0], STK_FORMAT_PLAIN);
}

STK_TEST(adamw_steps)
{
    stk_optimizer_attrs attrs = {
        .rate = 1, .weight_decay = 0.01, .beta1 = 0.8, .beta2 = 0.999, .epsilon = 1e-6};
    expect_updates(&stk_graph_op_adamw, &attrs);
    attrs.beta1 = 0; /* the momentum of hyper */
    expect_update(&stk_graph_op_adamw, &attrs, VECTOR(37), guards[0], STK_FORMAT_PLAIN);
}

STK_TEST(lamb_steps)
{
    stk_optimizer_attrs attrs = {.rate = 1,
                                 .weight_decay = 0.01,
                                 .beta1 = 0.4, /* the other half of lerp */
                                 .beta2 = 0.99,
                                 .epsilon = 1e-6,
                                 .adapt = 1};
    expect_updates(&stk_graph_op_lamb, &attrs);
}

STK_TEST(ema_moves)
{
    static const double decays[] = {0.999, 0.25};
    for (size_t i = 0; i < COUNT_OF(counts) * COUNT_OF(guards); i++) {
        const stk_shape shape = VECTOR(counts[i % COUNT_OF(counts)]);
        EXPECT_CUDA((&(cuda_case){
            .op = &stk_graph_op_ema,
            .attrs = &(stk_ema_attrs){decays[i % 2]},
            .inputs = 3,
            .only_float32 = true,
            .in = {{.shape = shape},
                   {.shape = shape},
                   {.shape = VECTOR(STK_GUARD_COUNT), .data = guards[i / COUNT_OF(counts)]}}}));
    }
}

STK_TEST(rates_end_where_their_parameter_stops_to_learn)
{
    static const float late[STK_HYPER_COUNT] = {0.1f, 0.9f, 0.5f};
    for (int i = 0; i < 2; i++) {
        const stk_optimizer_attrs attrs = {
            .rate = 2, .weight_decay = 0.1, .freeze_after = 0.4 + 0.2 * i};
        const stk_shape shape = VECTOR(1029);
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_sgd,
                                  .attrs = &attrs,
                                  .inputs = 5,
                                  .only_float32 = true,
                                  .in = {{.shape = shape},
                                         {.shape = shape},
                                         {.shape = shape},
                                         {.shape = VECTOR(STK_HYPER_COUNT), .data = late},
                                         {.shape = VECTOR(STK_GUARD_COUNT), .data = guards[0]}}}));
    }
}

STK_TEST(lookahead_moves)
{
    static const float shares[] = {0, 0.25f, 0.75f, 1};
    for (size_t i = 0; i < COUNT_OF(counts) * COUNT_OF(shares); i++) {
        const float now[STK_HYPER_COUNT] = {[STK_HYPER_LOOKAHEAD] = shares[i / COUNT_OF(counts)]};
        const stk_shape shape = VECTOR(counts[i % COUNT_OF(counts)]);
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_lookahead,
                                  .inputs = 3,
                                  .only_float32 = true,
                                  .in = {{.shape = shape},
                                         {.shape = shape},
                                         {.shape = VECTOR(STK_HYPER_COUNT), .data = now}}}));
    }
}

STK_TEST(accumulate_adds)
{
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_accumulate,
                                  .inputs = 2,
                                  .in = {{.shape = VECTOR(counts[i]), .dtype = STK_DTYPE_F32},
                                         {.shape = VECTOR(counts[i])}}}));
}

enum { STEPS = 2 };

static stk_shape shape_of(int i)
{
    return VECTOR(1 + i * 7 % 61 + (i % 100 == 0 ? 9000 : 0));
}

static stk_symbol remember(stk_graph *g, const char *prefix, int i)
{
    stk_variable_options options = {.init = {STK_INIT_UNIFORM, 0.1, 1}};
    char                 name[32];
    snprintf(name, sizeof name, "%s%d", prefix, i);
    return stk_graph_variable(g, name, STK_DTYPE_F32, shape_of(i), &options);
}

/* w' by op from its gradient, the average of the previous step, so that every step depends on the
 * one before. */
static void add_parameter(stk_graph *g, const stk_graph_op *op, int i, stk_symbol h,
                          stk_symbol guard)
{
    stk_optimizer_attrs attrs = {.rate = 1,
                                 .weight_decay = i % 11 * 0.01,
                                 .beta1 = 0.9,
                                 .beta2 = 0.99,
                                 .epsilon = 1e-3,
                                 .trust = 0.02,
                                 .adapt = i % 2};
    stk_symbol          w = remember(g, "w", i), mean = remember(g, "e", i);
    stk_symbol          in[6] = {w, mean}, out[3];
    int                 slots = op->inputs_min - 4;
    for (int s = 0; s < slots; s++)
        in[2 + s] = remember(g, s ? "v" : "m", i);
    in[2 + slots] = h, in[3 + slots] = guard;
    stk_graph_add(g, op, in, slots + 4, &attrs, out, slots + 1);
    stk_graph_assign(g, w, out[0]);
    for (int s = 0; s < slots; s++)
        stk_graph_assign(g, in[2 + s], out[1 + s]);
    stk_graph_assign(
        g, mean, stk_graph_add3(g, &stk_graph_op_ema, mean, out[0], guard, &(stk_ema_attrs){0.9}));
}

static stk_graph *many_updates(const stk_graph_op *op, int tensors)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol h = stk_graph_input(g, "hyper", STK_DTYPE_F32, VECTOR(STK_HYPER_COUNT));
    stk_symbol guard = stk_graph_input(g, "guard", STK_DTYPE_F32, VECTOR(STK_GUARD_COUNT));
    for (int i = 0; i < tensors; i++)
        add_parameter(g, op, i, h, guard);
    EXPECT_OK(stk_graph_verify(g, &err));
    return g;
}

/* One number that distinguishes all variables: a sum of squares weighted by index. */
static double run_updates(stk_device *device, const stk_graph *g)
{
    stk_error      err;
    stk_variables *variables;
    stk_program   *program;
    float          values[9100];
    double         sum = 0;
    EXPECT_OK(stk_variables_new(&variables, device, 3, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    EXPECT_OK(stk_program_feed(program, "hyper", hyper, sizeof hyper, &err));
    EXPECT_OK(stk_program_feed(program, "guard", guards[1], sizeof guards[1], &err));
    for (int i = 0; i < STEPS; i++)
        EXPECT_OK(stk_program_run(program, NULL, &err));
    for (size_t v = 0; v < stk_variables_count(variables); v++) {
        stk_variable_info info = stk_variables_at(variables, v);
        int64_t           count = info.shape.dim[0];
        EXPECT_OK(stk_variables_read(variables, v, values, (size_t)count * sizeof(float), &err));
        for (int64_t i = 0; i < count; i++)
            sum += (double)values[i] * (double)values[i] * (double)(i % 13 + (int64_t)v % 7);
    }
    stk_program_free(program);
    stk_variables_free(variables);
    return sum;
}

STK_TEST(many_tensors_in_place_step_as_one_by_one)
{
    static const struct {
        const stk_graph_op *op;
        int                 tensors;
    } rows[] = {{&stk_graph_op_sgd, 245}, {&stk_graph_op_lamb, 20}}; /* 240 per launch */
    stk_device *ref;
    stk_error   err;
    EXPECT_OK(stk_device_open(&ref, "ref", NULL, &err));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        stk_graph *g = many_updates(rows[i].op, rows[i].tensors);
        double     expected = run_updates(ref, g), found = run_updates(cuda_device(), g);
        if (!(fabs(found - expected) <= 1e-6 * expected))
            fail_msg("%s: %.17g, by the reference %.17g", rows[i].op->name, found, expected);
        stk_graph_free(g);
    }
    stk_device_free(ref);
}
