/* Reductions and broadcasts of the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

static const int64_t channels[] = {1, 3, 8, 17, 24, 96};

static void expect_reduced(stk_shape shape, unsigned axes, bool keep)
{
    stk_reduce_attrs attrs = {axes, keep};
    expect_cpu(&(cpu_case){.op = &stk_graph_op_reduce_sum,
                           .attrs = &attrs,
                           .inputs = 1,
                           .in = {{shape, 0, -1, 2, NULL}},
                           .tolerance = 2e-6});
    expect_cpu(&(cpu_case){.op = &stk_graph_op_reduce_mean,
                           .attrs = &attrs,
                           .inputs = 1,
                           .in = {{shape, 0, -1, 2, NULL}},
                           .tolerance = 2e-6});
}

STK_TEST(images_are_reduced_in_every_format)
{
    for (size_t c = 0; c < COUNT_OF(channels); c++)
        for (int keep = 0; keep < 2; keep++) {
            expect_reduced(NHWC(3, 5, 7, channels[c]), 7, keep);
            expect_reduced(NHWC(3, 5, 7, channels[c]), 6, keep);
            expect_reduced(NHWC(3, 5, 7, channels[c]), 15, keep);
        }
    expect_reduced(NHWC(2, 70, 70, 17), 7, false);
    expect_reduced(NHWC(1, 1, 1, 17), 7, false);
}

STK_TEST(rows_columns_and_what_lies_between_are_reduced)
{
    static const int64_t sizes[] = {1, 2, 33, 700, 1100};
    for (size_t a = 0; a < COUNT_OF(sizes); a++)
        for (size_t b = 0; b < COUNT_OF(sizes); b++) {
            expect_reduced(stk_shape_2d(sizes[a], sizes[b]), 1, false);
            expect_reduced(stk_shape_2d(sizes[a], sizes[b]), 2, true);
        }
    for (unsigned axes = 1; axes < 8; axes++)
        if (axes != 5) expect_reduced((stk_shape){.rank = 3, .dim = {5, 6, 7}}, axes, false);
}

static void expect_repeated(stk_shape from, stk_shape to)
{
    stk_shape_attrs attrs = {to};
    expect_cpu(&(cpu_case){
        .op = &stk_graph_op_broadcast, .attrs = &attrs, .inputs = 1, .in = {{.shape = from}}});
}

STK_TEST(broadcasts_are_exact)
{
    for (size_t c = 0; c < COUNT_OF(channels); c++) {
        int64_t   k = channels[c];
        stk_shape whole = NHWC(3, 5, 7, k);
        expect_repeated(stk_shape_1d(k), whole);
        expect_repeated(NHWC(3, 1, 1, k), whole);
        expect_repeated(NHWC(3, 5, 1, k), whole);
        expect_repeated(NHWC(3, 5, 7, 1), whole);
        expect_repeated(NHWC(1, 5, 7, 1), whole);
        expect_repeated(stk_shape_scalar(), whole);
    }
    expect_repeated(stk_shape_2d(700, 1), stk_shape_2d(700, 33));
}
