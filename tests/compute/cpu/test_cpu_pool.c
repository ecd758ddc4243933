/* Pooling of the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"

static const stk_pool_attrs pools[] = {
    {.kernel = {2, 2}, .stride = {2, 2}},
    {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}},
    {.kernel = {3, 3}, .stride = {1, 1}, .pad = {1, 1, 1, 1}, .count_pad = 1},
    {.kernel = {3, 2}, .stride = {1, 3}, .pad = {0, 2, 1, 0}},
    {.kernel = {2, 2}, .stride = {3, 3}},
    {.kernel = {5, 7}, .stride = {5, 7}},
};
static const int64_t channels[] = {1, 3, 8, 17, 24, 64};

static void expect_pool(const stk_pool_attrs *pool, stk_shape x)
{
    stk_pool_attrs  back = *pool;
    stk_tensor_type in = {STK_DTYPE_F32, x}, out[2];
    stk_op_instance instance = {"case", pool, 1, 2, &in, out};
    stk_error       err;
    EXPECT_OK(stk_graph_op_max_pool.infer(&instance, out, &err));
    back.size[0] = (int)x.dim[1], back.size[1] = (int)x.dim[2];
    /* Few distinct values, so that windows contain equal ones. */
    stk_random random = stk_random_for(3, 1, 4, 1);
    size_t     count = cpu_count(&x);
    float     *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)stk_random_below(&random, 5) - 2;
    cpu_input few = {.shape = x, .data = values};
    double    places = (double)(pool->kernel[0] * pool->kernel[1]);
    for (int outputs = 1; outputs <= 2; outputs++)
        expect_cpu(&(cpu_case){.op = &stk_graph_op_max_pool,
                               .attrs = pool,
                               .inputs = 1,
                               .outputs = outputs,
                               .in = {few}});
    expect_cpu(&(cpu_case){
        .op = &stk_graph_op_average_pool, .attrs = pool, .inputs = 1, .in = {{.shape = x}}});
    expect_cpu(&(cpu_case){
        .op = &stk_graph_op_max_pool_grad,
        .attrs = &back,
        .inputs = 2,
        .in = {{.shape = out[0].shape}, {out[0].shape, STK_DTYPE_U8, 0, places, NULL}}});
    expect_cpu(&(cpu_case){.op = &stk_graph_op_average_pool_grad,
                           .attrs = &back,
                           .inputs = 1,
                           .in = {{.shape = out[0].shape}}});
    free(values);
}

STK_TEST(pools_agree_with_the_reference_in_every_format)
{
    for (size_t p = 0; p < COUNT_OF(pools); p++)
        for (size_t c = 0; c < COUNT_OF(channels); c++)
            expect_pool(&pools[p], NHWC(2, 9, 11, channels[c]));
}

STK_TEST(pools_of_images_that_take_all_threads)
{
    expect_pool(&pools[1], NHWC(3, 40, 37, 24));
}

STK_TEST(what_is_not_a_number_is_larger_than_all)
{
    float x[2 * 2 * 17];
    for (int i = 0; i < 2 * 2 * 17; i++)
        x[i] = i % 5 == 0 ? NAN : i % 7 == 0 ? -INFINITY : (float)i;
    expect_cpu(&(cpu_case){.op = &stk_graph_op_max_pool,
                           .attrs = &pools[0],
                           .inputs = 1,
                           .in = {{.shape = NHWC(1, 2, 2, 17), .data = x}}});
}
