/* silu: x sigmoid(x) */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return x / (1 + expf(-x));
}

static float slope(float x, float y, float a, float b)
{
    (void)y, (void)a, (void)b;
    float s = 1 / (1 + expf(-x));
    return s * (1 + x * (1 - s));
}

const stk_activation_row stk_activation_silu = {"silu", value, slope, false, true};

STK_ACTIVATION_OPS(silu, STK_OP_ZERO_STAYS);

stk_symbol stk_silu(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_silu, x, &(stk_activation){&stk_activation_silu, 0, 0});
}
