#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>

static const float states[][STK_STATE_COUNT] = {
    {65536, 3, 5, 1}, {1, 0, 0, 0}, {0x1p-24f, 1999, 7, 2}, {0x1p127f, 1999, 7, 2}};
static const float           norms[][2] = {{4, 0}, {1e6f, 0}, {0, 0}, {4, 2}, {INFINITY, 0}};
static const stk_guard_attrs attrs[] = {
    {.multiply = 1},
    {.multiply = 4, .max_norm = 0.5},
    {.multiply = 2, .growth = 2, .backoff = 0.5, .interval = 2000},
    {.multiply = 2, .max_norm = 1e-3, .growth = 2, .backoff = 0.5, .interval = 4},
};

STK_TEST(guard_decides_as_the_reference)
{
    size_t cases = COUNT_OF(states) * COUNT_OF(norms) * COUNT_OF(attrs);
    for (size_t i = 0; i < cases; i++)
        EXPECT_CUDA((&(cuda_case){
            .op = &stk_graph_op_grad_guard,
            .attrs = &attrs[i % COUNT_OF(attrs)],
            .inputs = 2,
            .only_float32 = true,
            .in = {{.shape = VECTOR(STK_STATE_COUNT),
                    .data = states[i / COUNT_OF(attrs) % COUNT_OF(states)]},
                   {.shape = VECTOR(2), .data = norms[i / COUNT_OF(attrs) / COUNT_OF(states)]}}}));
}

STK_TEST(guard_without_a_norm)
{
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_grad_guard,
                              .attrs = &attrs[0],
                              .inputs = 1,
                              .only_float32 = true,
                              .in = {{.shape = VECTOR(STK_STATE_COUNT), .data = states[0]}}}));
}

STK_TEST(loss_scale_is_of_the_state)
{
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_loss_scale,
                              .inputs = 1,
                              .only_float32 = true,
                              .in = {{.shape = VECTOR(STK_STATE_COUNT), .data = states[0]}}}));
}
