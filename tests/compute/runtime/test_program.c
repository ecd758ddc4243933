/* Compiles and runs a graph on the reference backend. */
#include "harness.h"
#include <math.h>

STK_TEST(tf32_is_refused_where_there_is_none)
{
    stk_device *device;
    stk_error   err;
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_device_open(&device, "ref", &(stk_device_options){.tf32 = true}, &err));
    EXPECT_CONTAINS("use precision fp32", err.message);
}

STK_TEST(a_dense_layer_learns_a_line)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(4, 1));
    stk_symbol t = stk_graph_input(g, "t", STK_DTYPE_F32, stk_shape_2d(4, 1));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_2d(1, 1), NULL);
    stk_symbol b = stk_graph_variable(g, "b", STK_DTYPE_F32, stk_shape_1d(1), NULL);
    stk_symbol y = stk_dense(g, x, w, b);
    stk_symbol e = stk_add(g, y, stk_scale(g, t, -1, 0));
    stk_symbol loss =
        stk_reduce_mean(g, stk_matmul(g, e, e, &(stk_matmul_options){true, false}), 0, false);
    stk_symbol grads[2];
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, (stk_symbol[]){w, b}, 2, grads);
    stk_graph_assign(g, w, stk_add(g, w, stk_scale(g, grads[0], -0.05, 0)));
    stk_graph_assign(g, b, stk_add(g, b, stk_scale(g, grads[1], -0.05, 0)));
    stk_graph_output(g, "loss", loss);
    EXPECT_OK(stk_graph_verify(g, &err));
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    stk_graph_free(g);
    const float xs[4] = {0, 1, 2, 3}, ts[4] = {1, 3, 5, 7};
    EXPECT_OK(stk_program_feed(program, "x", xs, sizeof xs, &err));
    const size_t target = stk_program_find_input(program, "t");
    EXPECT_OK(stk_program_feed_at(program, target, ts, sizeof ts, false, &err));
    EXPECT_STATUS(STK_E_SHAPE, stk_program_feed_at(program, target, ts, 4, false, &err));
    EXPECT_CONTAINS("4 bytes given for float32", err.message);
    EXPECT_STR_EQ("t", err.where);
    EXPECT(stk_program_find_input(program, "loss") == SIZE_MAX);
    EXPECT(stk_program_find_output(program, "loss") == 0);
    EXPECT(stk_program_find_output(program, "t") == SIZE_MAX);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_program_feed_at(program, SIZE_MAX, ts, sizeof ts, false, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_program_feed(program, "z", ts, sizeof ts, &err));
    EXPECT_CONTAINS("no such input", err.message);
    for (int i = 0; i < 400; i++)
        EXPECT_OK(stk_program_run(program, NULL, &err));
    float slope, offset, last;
    EXPECT_OK(stk_variables_read(variables, 0, &slope, sizeof slope, &err));
    EXPECT_OK(stk_variables_read(variables, 1, &offset, sizeof offset, &err));
    EXPECT_OK(stk_program_fetch(program, "loss", &last, sizeof last, &err));
    EXPECT(fabsf(slope - 2) < 1e-3f && fabsf(offset - 1) < 1e-3f && last < 1e-5f);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
}
