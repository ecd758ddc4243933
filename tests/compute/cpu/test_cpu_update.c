/* Updates of parameters on the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

static const stk_shape shapes[] = {
    {.rank = 0},
    {.rank = 1, .dim = {17}},
    {.rank = 2, .dim = {129, 257}},
    {.rank = 4, .dim = {8, 3, 3, 17}}, /* also blocked: padding must stay zero */
};

static cpu_input four(const float *values)
{
    return (cpu_input){.shape = stk_shape_1d(4), .data = values};
}

static void expect_update(const stk_graph_op *op, const stk_shape *shape, int nesterov,
                          const float *guard)
{
    static const float  hyper[STK_HYPER_COUNT] = {0.05f, 0.9f};
    stk_optimizer_attrs attrs = {.rate = 1.5,
                                 .weight_decay = 0.01,
                                 .beta1 = 0.9,
                                 .beta2 = 0.999,
                                 .epsilon = 1e-8,
                                 .trust = 0.001,
                                 .nesterov = nesterov,
                                 .adapt = 1};
    bool                two = op->outputs == 3;
    cpu_case            c = {.op = op,
                             .attrs = &attrs,
                             .inputs = two ? 6 : 5,
                             .in = {{.shape = *shape}, {.shape = *shape}, {.shape = *shape}}};
    cpu_input           square = {*shape, 0, 0, 1, NULL};
    if (two) c.in[3] = square;
    c.in[c.inputs - 2] = four(hyper);
    c.in[c.inputs - 1] = four(guard);
    expect_cpu(&c);
}

STK_TEST(updates_agree_with_the_reference_or_leave_everything)
{
    static const stk_graph_op *const ops[] = {&stk_graph_op_sgd, &stk_graph_op_lars,
                                              &stk_graph_op_adamw, &stk_graph_op_lamb};
    static const float guards[][STK_GUARD_COUNT] = {{0.5f, 0, 3}, {1, 0, 1}, {0.5f, 1, 3}};
    for (size_t o = 0; o < COUNT_OF(ops); o++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++)
            for (size_t g = 0; g < COUNT_OF(guards); g++)
                for (int nesterov = 0; nesterov < 2; nesterov++)
                    expect_update(ops[o], &shapes[s], nesterov, guards[g]);
}

STK_TEST(averages_start_with_the_parameter)
{
    static const float guards[][STK_GUARD_COUNT] = {{1, 0, 1}, {1, 0, 2}, {1, 1, 2}};
    stk_ema_attrs      attrs = {0.9};
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t g = 0; g < COUNT_OF(guards); g++)
            expect_cpu(
                &(cpu_case){.op = &stk_graph_op_ema,
                            .attrs = &attrs,
                            .inputs = 3,
                            .in = {{.shape = shapes[s]}, {.shape = shapes[s]}, four(guards[g])}});
}

STK_TEST(gradients_accumulate)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        expect_cpu(&(cpu_case){.op = &stk_graph_op_accumulate,
                               .inputs = 2,
                               .in = {{.shape = shapes[s]}, {.shape = shapes[s]}}});
}

STK_TEST(the_norm_counts_what_is_not_finite)
{
    float bad[5] = {1, NAN, 2, -INFINITY, 3};
    expect_cpu(&(cpu_case){.op = &stk_graph_op_gradient_norm,
                           .inputs = 5,
                           .in = {{.shape = shapes[0]},
                                  {.shape = shapes[1]},
                                  {.shape = shapes[2]},
                                  {.shape = shapes[3]},
                                  {.shape = stk_shape_1d(5), .data = bad}},
                           .tolerance = 2e-6});
}
