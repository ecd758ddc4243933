/* gelu: x times the standard normal CDF of x */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return 0.5f * x * (1 + erff(x * 0.70710678f));
}

static float slope(float x, float y, float a, float b)
{
    (void)y, (void)a, (void)b;
    return 0.5f * (1 + erff(x * 0.70710678f)) + x * 0.39894228f * expf(-0.5f * x * x);
}

const stk_activation_row stk_activation_gelu = {"gelu", value, slope, false, true};

STK_ACTIVATION_OPS(gelu, STK_OP_ZERO_STAYS);

stk_symbol stk_gelu(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_gelu, x, &(stk_activation){&stk_activation_gelu, 0, 0});
}
