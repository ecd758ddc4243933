/* relu: max(x, 0) */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return x > 0 ? x : 0;
}

static float slope(float x, float y, float a, float b)
{
    (void)x, (void)a, (void)b;
    return y > 0 ? 1 : 0;
}

const stk_activation_row stk_activation_relu = {"relu", value, slope, true, true};

STK_ACTIVATION_OPS(relu, STK_OP_ZERO_STAYS);

stk_symbol stk_relu(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_relu, x, &(stk_activation){&stk_activation_relu, 0, 0});
}
