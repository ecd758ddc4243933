/* Row-wise kernels of the CPU backend: softmax, its loss, layer norm. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

static const int64_t widths[] = {1, 2, 7, 16, 17, 33, 1000};
static const int64_t rows[] = {1, 3, 130};

STK_TEST(softmax_agrees_with_the_reference)
{
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            stk_shape shape = stk_shape_2d(rows[r], widths[w]);
            expect_cpu(&(cpu_case){.op = &stk_graph_op_softmax,
                                   .inputs = 1,
                                   .in = {{shape, 0, -40, 90, NULL}},
                                   .plain = true});
            expect_cpu(&(cpu_case){.op = &stk_graph_op_softmax_grad,
                                   .inputs = 2,
                                   .in = {{.shape = shape}, {shape, 0, 0, 1, NULL}},
                                   .tolerance = 4e-6,
                                   .plain = true});
        }
}

static void expect_loss(stk_shape logits, cpu_input labels, double smoothing)
{
    stk_cross_entropy_attrs attrs = {smoothing};
    expect_cpu(&(cpu_case){.op = &stk_graph_op_softmax_cross_entropy,
                           .attrs = &attrs,
                           .inputs = 2,
                           .in = {{logits, 0, -20, 60, NULL}, labels},
                           .scale_min = 1,
                           .plain = true});
    expect_cpu(&(cpu_case){.op = &stk_graph_op_softmax_cross_entropy_grad,
                           .attrs = &attrs,
                           .inputs = 3,
                           .in = {{logits, 0, -20, 60, NULL}, labels, {.shape = {0}}},
                           .tolerance = 2e-6,
                           .scale_min = 1,
                           .plain = true});
}

static void expect_weighted(stk_shape logits, cpu_input labels, double smoothing, double gamma,
                            bool weights)
{
    stk_weighted_entropy_attrs attrs = {smoothing, gamma};
    cpu_input                  w = {stk_shape_1d(logits.dim[1]), 0, 0, 3, NULL};
    expect_cpu(&(cpu_case){.op = &stk_graph_op_weighted_cross_entropy,
                           .attrs = &attrs,
                           .inputs = weights ? 3 : 2,
                           .in = {{logits, 0, -20, 60, NULL}, labels, w},
                           .scale_min = 1,
                           .plain = true});
    expect_cpu(&(cpu_case){.op = &stk_graph_op_weighted_cross_entropy_grad,
                           .attrs = &attrs,
                           .inputs = weights ? 4 : 3,
                           .in = {{logits, 0, -20, 60, NULL}, labels, {.shape = {0}}, w},
                           .tolerance = 2e-6,
                           .scale_min = 1,
                           .plain = true});
}

STK_TEST(weighted_losses_agree_with_the_reference)
{
    static const double smoothings[] = {0, 0.1}, gammas[] = {0, 0.5, 2};
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t s = 0; s < COUNT_OF(smoothings); s++)
            for (size_t g = 0; g < COUNT_OF(gammas); g++) {
                int64_t   n = rows[(w + s + g) % COUNT_OF(rows)];
                stk_shape logits = stk_shape_2d(n, widths[w]), one = stk_shape_1d(n);
                double    k = (double)widths[w];
                expect_weighted(logits, (cpu_input){one, STK_DTYPE_I32, -2, k + 2, NULL},
                                smoothings[s], gammas[g], true);
                expect_weighted(logits, (cpu_input){one, STK_DTYPE_I64, 0, k, NULL}, smoothings[s],
                                gammas[g], false);
                expect_weighted(logits, (cpu_input){logits, STK_DTYPE_F32, 0, 1, NULL},
                                smoothings[s], gammas[g], true);
            }
}

STK_TEST(losses_agree_with_the_reference_for_numbers_and_probabilities)
{
    static const double smoothings[] = {0, 0.1, 1};
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t r = 0; r < COUNT_OF(rows); r++)
            for (size_t s = 0; s < COUNT_OF(smoothings); s++) {
                stk_shape logits = stk_shape_2d(rows[r], widths[w]), one = stk_shape_1d(rows[r]);
                double    k = (double)widths[w];
                /* From -2 to K + 1: out of range on both sides. */
                expect_loss(logits, (cpu_input){one, STK_DTYPE_I32, -2, k + 2, NULL},
                            smoothings[s]);
                expect_loss(logits, (cpu_input){one, STK_DTYPE_I64, 0, k, NULL}, smoothings[s]);
                expect_loss(logits, (cpu_input){logits, STK_DTYPE_F32, 0, 1, NULL}, smoothings[s]);
            }
}

STK_TEST(a_loss_over_no_row_is_zero)
{
    expect_loss(stk_shape_2d(5, 10), (cpu_input){stk_shape_1d(5), STK_DTYPE_I32, -3, -1, NULL},
                0.1);
}

STK_TEST(layer_norm_agrees_with_the_reference)
{
    stk_layer_norm_attrs attrs = {1e-5};
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            stk_shape shape = stk_shape_2d(rows[r], widths[w]), one = stk_shape_1d(widths[w]);
            stk_shape per_row = stk_shape_1d(rows[r]);
            expect_cpu(&(cpu_case){.op = &stk_graph_op_layer_norm,
                                   .attrs = &attrs,
                                   .inputs = 3,
                                   .in = {{shape, 0, -1, 2, NULL}, {.shape = one}, {.shape = one}},
                                   .tolerance = 4e-6,
                                   .plain = true});
            expect_cpu(&(cpu_case){.op = &stk_graph_op_layer_norm_grad,
                                   .attrs = &attrs,
                                   .inputs = 5,
                                   .in = {{.shape = shape},
                                          {.shape = shape},
                                          {.shape = one},
                                          {.shape = per_row},
                                          {per_row, 0, 0.5, 2, NULL}},
                                   .tolerance = 4e-6,
                                   .plain = true});
        }
}
