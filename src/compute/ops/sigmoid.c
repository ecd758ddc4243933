/* sigmoid: 1 / (1 + e^-x) */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)a, (void)b;
    return 1 / (1 + expf(-x));
}

static float slope(float x, float y, float a, float b)
{
    (void)x, (void)a, (void)b;
    return y * (1 - y);
}

const stk_activation_row stk_activation_sigmoid = {"sigmoid", value, slope, true, false};

STK_ACTIVATION_OPS(sigmoid, 0);

stk_symbol stk_sigmoid(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_sigmoid, x,
                          &(stk_activation){&stk_activation_sigmoid, 0, 0});
}
