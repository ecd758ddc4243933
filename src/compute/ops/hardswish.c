/* hardswish: x hardsigmoid(x) */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
}

static float slope(float x, float y, float a, float b)
{
    (void)y, (void)a, (void)b;
    return x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6;
}

const stk_activation_row stk_activation_hardswish = {"hardswish", value, slope, false, true};

STK_ACTIVATION_OPS(hardswish, STK_OP_ZERO_STAYS);

stk_symbol stk_hardswish(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_hardswish, x,
                          &(stk_activation){&stk_activation_hardswish, 0, 0});
}
