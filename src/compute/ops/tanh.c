/* tanh: the hyperbolic tangent */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return tanhf(x);
}

static float slope(float x, float y, float a, float b)
{
    (void)x, (void)a, (void)b;
    return 1 - y * y;
}

const stk_activation_row stk_activation_tanh = {"tanh", value, slope, true, true};

STK_ACTIVATION_OPS(tanh, STK_OP_ZERO_STAYS);

stk_symbol stk_tanh(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_tanh, x, &(stk_activation){&stk_activation_tanh, 0, 0});
}
