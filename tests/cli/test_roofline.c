/* Where an operation is under the roofs, and of which kind it is. */
#include "../../tools/stoker/format.c"
#include "../../tools/stoker/op_kinds.c"
#include "../../tools/stoker/roofline.c"
#include "../../tools/stoker/table.c"
#include "../../tools/stoker/terminal.c"
#include "../../tools/stoker/text.c"

#include "compute/ops/graph_ops.h"
#include "harness.h"

/* 100 FLOP and 10 bytes a nanosecond, 2 us to start. */
static const stk_machine_peaks machine = {1e11, 1e10, -1, -1, -1, 2000};

#define EXPECT_ROOF(expected, flops, bytes, ns)                                                    \
    do {                                                                                           \
        char               text_[CLI_FORMAT_CAPACITY];                                             \
        const cli_roofline roof_ = cli_roofline_of(&machine, flops, bytes, ns);                    \
        EXPECT_STR_EQ(expected, cli_roofline_format(text_, &roof_));                               \
    } while (0)

STK_TEST(the_slower_of_arithmetic_and_memory_is_the_roof)
{
    EXPECT_ROOF("math 50 %", 1e6, 1e4, 20000);
    EXPECT_ROOF("memory 80 %", 1e6, 1.6e5, 20000);
    EXPECT_ROOF("memory 200 %", 0, 4e5, 20000); /* out of a cache */
    EXPECT_ROOF("math <1 %", 1e6, 0, 1e7);
    EXPECT(fabs(cli_roofline_of(&machine, 1e6, 1e4, 20000).floor_ns - 10000) < 1e-6);
}

STK_TEST(what_takes_a_few_starts_is_under_no_roof)
{
    static const stk_machine_peaks cores = {1e11, 1e10, -1, -1, -1, 60};
    EXPECT_ROOF("launch", 1e4, 10, 8000);
    EXPECT_ROOF("launch", 0, 0, 8000);
    EXPECT_ROOF("math 50 %", 4e5, 10, 8000); /* its work takes longer than a start */
    EXPECT_ROOF("math 1 %", 1e4, 10, 9000);
    EXPECT_ROOF("", 0, 0, 9000);
    EXPECT_INT_EQ(CLI_ROOFLINE_LAUNCH, cli_roofline_of(&cores, 1e4, 10, 4000).kind);
    EXPECT_INT_EQ(CLI_ROOFLINE_MATH, cli_roofline_of(&cores, 1e4, 10, 5000).kind);
}

STK_TEST(without_roofs_nothing_is_said)
{
    static const stk_machine_peaks none = {-1, -1, -1, -1, -1, -1};
    static const stk_machine_peaks half = {1e11, -1, -1, -1, -1, 1000};
    EXPECT_INT_EQ(CLI_ROOFLINE_UNKNOWN, cli_roofline_of(&none, 1e6, 1e4, 20000).kind);
    EXPECT_INT_EQ(CLI_ROOFLINE_UNKNOWN, cli_roofline_of(&half, 1e6, 1e4, 20000).kind);
    EXPECT_INT_EQ(CLI_ROOFLINE_UNKNOWN, cli_roofline_of(&machine, 1e6, 1e4, 0).kind);
}

STK_TEST(roofs_are_told_in_one_line)
{
    static const stk_machine_peaks gpu = {7.44e14, 4.1e12, -1, -1, -1, 2140};
    static const stk_machine_peaks cores = {2.36e11, 4.4e10, -1, -1, -1, -1};
    char                           text[160];
    EXPECT_STR_EQ("744 TFLOP/s in fp16, 4,100 GB/s, 2.1 us to start an operation",
                  cli_peaks_format(text, sizeof text, &gpu, "fp16"));
    EXPECT_STR_EQ("236 GFLOP/s, 44 GB/s", cli_peaks_format(text, sizeof text, &cores, ""));
    EXPECT_STR_EQ("236 GFL", cli_peaks_format(text, 8, &cores, ""));
}

STK_TEST(every_operation_is_of_a_kind)
{
    const stk_graph_op *op;
    for (size_t i = 0; (op = stk_graph_op_at(i)); i++)
        if (strcmp(cli_op_kind_of(op->name), "other") == 0) fail_msg("%s has no kind", op->name);
    EXPECT_STR_EQ("convolutions, by weight", cli_op_kind_of("conv2d_grad_weight"));
    EXPECT_STR_EQ("norms, backward", cli_op_kind_of("layer_norm_grad"));
    EXPECT_STR_EQ("pools", cli_op_kind_of("max_pool_grad"));
    EXPECT_STR_EQ("other", cli_op_kind_of("softmax_cross"));
    EXPECT_STR_EQ("other", cli_op_kind_of("_grad"));
}
