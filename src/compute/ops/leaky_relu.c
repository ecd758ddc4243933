/* leaky_relu: x, or a x for negative x */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    (void)b;
    return x > 0 ? x : a * x;
}

static float slope(float x, float y, float a, float b)
{
    (void)x, (void)b;
    return y > 0 ? 1 : a;
}

const stk_activation_row stk_activation_leaky_relu = {"leaky_relu", value, slope, true, true};

STK_ACTIVATION_OPS(leaky_relu, STK_OP_ZERO_STAYS);

/* The gradient is computed from the output, which is ambiguous for negative slopes. */
stk_symbol stk_leaky_relu(stk_graph *g, stk_symbol x, double slope_)
{
    if (!(slope_ >= 0))
        return stk_graph_fail(g, STK_E_INVALID, "leaky_relu", NULL,
                              "a slope of %g; it must not be negative", slope_);
    return stk_graph_add1(g, &stk_graph_op_leaky_relu, x,
                          &(stk_activation){&stk_activation_leaky_relu, (float)slope_, 0});
}
