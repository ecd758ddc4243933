#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include <math.h>

STK_TEST(gradient_norm_of_one)
{
    static const int counts[] = {0, 1, 3, 8, 1029, 8192, 20011};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        EXPECT_CUDA((&(cuda_case){
            .op = &stk_graph_op_gradient_norm, .inputs = 1, .in = {{.shape = VECTOR(counts[i])}}}));
}

STK_TEST(gradient_norm_of_several_types_and_formats)
{
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_gradient_norm,
                              .inputs = 6,
                              .have = 4,
                              .in = {{.shape = VECTOR(9000)},
                                     {.shape = NHWC(3, 5, 2, 3)},
                                     {.shape = VECTOR(0)},
                                     {.shape = MATRIX(7, 33), .dtype = STK_DTYPE_F32},
                                     {.shape = VECTOR(17), .dtype = STK_DTYPE_F16},
                                     {.shape = VECTOR(3), .low = 10, .high = 100}}}));
}

STK_TEST(gradient_norm_counts_what_is_not_finite)
{
    float x[1000];
    for (int i = 0; i < 1000; i++)
        x[i] = (float)(i % 7) / 8;
    x[0] = NAN, x[998] = INFINITY, x[500] = -INFINITY, x[999] = NAN;
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_gradient_norm,
                              .inputs = 2,
                              .in = {{.shape = VECTOR(1000), .data = x}, {.shape = VECTOR(10)}}}));
    float large[4] = {1e25f, 1, 1, 1}; /* its square overflows float32 */
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_gradient_norm,
                              .inputs = 1,
                              .only_float32 = true,
                              .in = {{.shape = VECTOR(4), .data = large}}}));
}

enum { TENSORS = 1100 };

STK_TEST(gradient_norm_of_more_than_a_launch_takes)
{
    stk_error      err;
    stk_graph     *g;
    stk_variables *variables;
    stk_program   *program;
    stk_symbol     in[TENSORS];
    float          ones[3] = {1, 2, 3}, found[2] = {0};
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, VECTOR(3));
    stk_symbol none = stk_graph_input(g, "none", STK_DTYPE_F32, VECTOR(0));
    for (int i = 0; i < TENSORS; i++)
        in[i] = i % 10 == 9 ? x : none;
    stk_symbol norm;
    stk_graph_add(g, &stk_graph_op_gradient_norm, in, TENSORS, NULL, &norm, 1);
    stk_graph_output(g, "norm", norm);
    EXPECT_OK(stk_variables_new(&variables, cuda_device(), 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    stk_graph_free(g);
    EXPECT_OK(stk_program_feed(program, "x", ones, sizeof ones, &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "norm", found, sizeof found, &err));
    EXPECT(found[0] == 14.0f * TENSORS / 10 && found[1] == 0);
    stk_program_free(program);
    stk_variables_free(variables);
}
