/* hardsigmoid: x/6 + 1/2 clamped to [0, 1] */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return x <= -3 ? 0 : x >= 3 ? 1 : x / 6 + 0.5f;
}

static float slope(float x, float y, float a, float b)
{
    (void)x, (void)a, (void)b;
    return y > 0 && y < 1 ? 1 / 6.0f : 0;
}

const stk_activation_row stk_activation_hardsigmoid = {"hardsigmoid", value, slope, true, false};

STK_ACTIVATION_OPS(hardsigmoid, 0);

stk_symbol stk_hardsigmoid(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_hardsigmoid, x,
                          &(stk_activation){&stk_activation_hardsigmoid, 0, 0});
}
