/* Largest batch that fits. */
#include "harness.h"

static const stk_memory_plan small = {.fixed = 1000, .arena = 500 + 8 * 100};
static const stk_memory_plan large = {.fixed = 1000, .arena = 500 + 16 * 100};

STK_TEST(the_largest_batch_fills_the_memory_and_no_more)
{
    stk_error err;
    int64_t   batch;
    EXPECT_OK(stk_memory_largest_batch(&small, 8, &large, 16, 1500 + 6400, &batch, &err));
    EXPECT_INT_EQ(64, batch);
    EXPECT_OK(stk_memory_largest_batch(&small, 8, &large, 16, 1500 + 6499, &batch, &err));
    EXPECT_INT_EQ(64, batch);
    EXPECT_OK(stk_memory_largest_batch(&small, 8, &large, 16, 1500 + 6399, &batch, &err));
    EXPECT_INT_EQ(63, batch);
    EXPECT_OK(stk_memory_largest_batch(&small, 8, &large, 16, UINT64_MAX, &batch, &err));
    EXPECT(batch > INT64_C(100000000000000000));
}

STK_TEST(where_not_one_fits_the_error_says_what_it_takes)
{
    stk_error err;
    int64_t   batch;
    EXPECT_STATUS(STK_E_LIMIT, stk_memory_largest_batch(&small, 8, &large, 16, 1599, &batch, &err));
    EXPECT_CONTAINS("a batch of 1 takes 0.0 MB but there are 0.0 MB", err.message);
    EXPECT_INT_EQ(0, batch);
    EXPECT_OK(stk_memory_largest_batch(&small, 8, &large, 16, 1600, &batch, &err));
    EXPECT_INT_EQ(1, batch);
}

STK_TEST(plans_that_say_nothing_about_growth_are_refused)
{
    stk_error err;
    int64_t   batch;
    EXPECT_STATUS(STK_E_INVALID,
                  stk_memory_largest_batch(&small, 8, &large, 8, 9999, &batch, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_memory_largest_batch(&small, 8, &small, 16, 9999, &batch, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_memory_largest_batch(&small, 0, &large, 16, 9999, &batch, &err));
}

/* A real program: the prediction from batches 4 and 8 is within a percent for 32. */
static stk_memory_plan plan_of(int64_t rows)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    stk_symbol     grad;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(rows, 64));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_2d(64, 64), NULL);
    stk_symbol y =
        stk_relu(g, stk_dense(g, stk_relu(g, stk_dense(g, x, w, STK_NO_SYMBOL)), w, STK_NO_SYMBOL));
    stk_symbol loss = stk_reduce_mean(g, y, 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, &w, 1, &grad);
    stk_graph_output(g, "grad", grad);
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    stk_memory_plan plan = stk_program_memory(program);
    stk_graph_free(g);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    return plan;
}

STK_TEST(the_prediction_is_true_of_a_network)
{
    stk_error       err;
    int64_t         batch;
    stk_memory_plan a = plan_of(256), b = plan_of(512), real = plan_of(2048);
    EXPECT_OK(stk_memory_largest_batch(&a, 256, &b, 512, real.fixed + real.arena, &batch, &err));
    EXPECT(batch >= 2028 && batch <= 2068);
}
