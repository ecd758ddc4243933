/* clip: x between a and b; relu6 is clip from 0 to 6 */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static float value(float x, float a, float b)
{
    return x < a ? a : x > b ? b : x;
}

static float slope(float x, float y, float a, float b)
{
    (void)x;
    return y > a && y < b ? 1 : 0;
}

const stk_activation_row stk_activation_clip = {"clip", value, slope, true, false};

STK_ACTIVATION_OPS(clip, 0);

stk_symbol stk_clip(stk_graph *g, stk_symbol x, double low, double high)
{
    if (!(low <= high))
        return stk_graph_fail(g, STK_E_INVALID, "clip", NULL, "from %g to %g is empty", low, high);
    return stk_graph_add1(g, &stk_graph_op_clip, x,
                          &(stk_activation){&stk_activation_clip, (float)low, (float)high});
}

stk_symbol stk_relu6(stk_graph *g, stk_symbol x)
{
    return stk_clip(g, x, 0, 6);
}
