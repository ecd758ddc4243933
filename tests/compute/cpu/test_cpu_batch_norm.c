/* The pieces of batch norm on the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

static const stk_shape shapes[] = {
    {.rank = 4, .dim = {3, 5, 7, 1}},    {.rank = 4, .dim = {2, 6, 6, 3}},
    {.rank = 4, .dim = {3, 5, 7, 8}},    {.rank = 4, .dim = {5, 3, 3, 17}},
    {.rank = 4, .dim = {1, 70, 70, 24}}, {.rank = 4, .dim = {2, 4, 3, 96}},
    {.rank = 2, .dim = {300, 33}},       {.rank = 2, .dim = {5, 1100}},
};

static const stk_activation acts[] = {
    {NULL, 0, 0},
    {&stk_activation_relu, 0, 0},
    {&stk_activation_clip, 0, 6},
    {&stk_activation_hardswish, 0, 0},
    {&stk_activation_silu, 0, 0},
    {&stk_activation_sigmoid, 0, 0},
};

static cpu_input channels_of(const stk_shape *shape, double low, double high)
{
    return (cpu_input){stk_shape_1d(shape->dim[shape->rank - 1]), STK_DTYPE_F32, low, high, NULL};
}

STK_TEST(statistics_agree_with_two_passes_in_double)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        expect_cpu(&(cpu_case){
            .op = &stk_graph_op_bn_stats, .inputs = 1, .in = {{shapes[s], 0, -3, 5, NULL}}});
}

/* The mean is 1e4 deviations from zero: a plain sum of squares would lose all digits of the
 * variance. */
STK_TEST(statistics_are_right_where_the_mean_is_far_larger_than_the_deviation)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        expect_cpu(&(cpu_case){.op = &stk_graph_op_bn_stats,
                               .inputs = 1,
                               .in = {{shapes[s], 0, 9999, 10001, NULL}},
                               .tolerance = 1e-5});
}

STK_TEST(a_norm_is_applied_with_activation_and_residuals)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t a = 0; a < COUNT_OF(acts); a++)
            for (int inputs = 3; inputs <= 6; inputs += inputs == 3 ? 1 : 2) {
                stk_bn_apply_attrs attrs = {.act = acts[a]};
                cpu_input          per = channels_of(&shapes[s], -2, 2);
                expect_cpu(&(cpu_case){.op = &stk_graph_op_bn_apply,
                                       .attrs = &attrs,
                                       .inputs = inputs,
                                       .outputs = 1,
                                       .in = {{shapes[s], 0, -3, 3, NULL},
                                              per,
                                              per,
                                              {shapes[s], 0, -3, 3, NULL},
                                              per,
                                              per}});
            }
}

static void expect_gradients_of(const stk_shape *shape, stk_bn_mask mask, const stk_activation *act)
{
    stk_bn_grad_attrs attrs = {.mask = mask};
    cpu_input         per = channels_of(shape, -1, 1), positive = channels_of(shape, 0.5, 2);
    cpu_input         whole = {*shape, 0, -2, 2, NULL};
    cpu_input m0 = mask == STK_BN_MASK_OUTPUT ? (cpu_input){*shape, 0, -1, 7, NULL} : positive;
    if (mask) attrs.act = *act;
    expect_cpu(&(cpu_case){.op = &stk_graph_op_bn_grad_sums,
                           .attrs = &attrs,
                           .inputs = 4 + (int)mask,
                           .in = {whole, whole, per, positive, m0, per},
                           .tolerance = 2e-6});
    for (int outputs = 1; outputs <= 2; outputs++)
        expect_cpu(&(cpu_case){.op = &stk_graph_op_bn_grad_apply,
                               .attrs = &attrs,
                               .inputs = 7 + (int)mask,
                               .outputs = outputs,
                               .in = {whole, whole, per, positive, per, per, per, m0, per}});
}

STK_TEST(gradients_go_through_a_norm_with_every_mask)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        expect_gradients_of(&shapes[s], STK_BN_MASK_NONE, NULL);
        for (size_t a = 1; a < COUNT_OF(acts); a++) {
            if (acts[a].row->from_output)
                expect_gradients_of(&shapes[s], STK_BN_MASK_OUTPUT, &acts[a]);
            expect_gradients_of(&shapes[s], STK_BN_MASK_INPUT, &acts[a]);
        }
    }
}

/* More than 8 MB, so that results use non-temporal stores. */
STK_TEST(large_results_are_streamed_and_the_same)
{
    stk_shape          shape = NHWC(2, 210, 211, 26);
    stk_bn_apply_attrs attrs = {.act = acts[1]};
    cpu_input          per = channels_of(&shape, -2, 2);
    expect_cpu(&(cpu_case){.op = &stk_graph_op_bn_apply,
                           .attrs = &attrs,
                           .inputs = 4,
                           .outputs = 1,
                           .in = {{shape, 0, -3, 3, NULL}, per, per, {shape, 0, -3, 3, NULL}}});
    expect_gradients_of(&shape, STK_BN_MASK_OUTPUT, &acts[1]);
}
