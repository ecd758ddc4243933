/* Initial values of layers' weights. */
#include "compute/models/layer.h"
#include <math.h>

typedef struct fans {
    double in, out;
} fans;

static fans count_fans(const stk_shape *shape)
{
    double area = 1;
    for (int i = 2; i < shape->rank; i++)
        area *= (double)shape->dim[i];
    return (fans){(double)shape->dim[1] * area, (double)shape->dim[0] * area};
}

static stk_init uniform(double bound)
{
    return (stk_init){STK_INIT_UNIFORM, -bound, bound};
}

/* Extra rows of Dirac are normal, PyTorch's are uniform; the variance is equal. */
static stk_init begin(stk_layer_init init, fans f)
{
    switch (init) {
    case STK_LAYER_FAN_OUT:
        return (stk_init){STK_INIT_NORMAL, 0, sqrt(2 / f.out)};
    case STK_LAYER_FAN_IN:
        return (stk_init){STK_INIT_TRUNCATED_NORMAL, 0, sqrt(1 / f.in)};
    case STK_LAYER_XAVIER:
        return uniform(sqrt(6 / (f.in + f.out)));
    case STK_LAYER_UNIFORM_OUT:
        return uniform(1 / sqrt(f.out));
    case STK_LAYER_NORMAL:
        return (stk_init){STK_INIT_NORMAL, 0, 0.01};
    case STK_LAYER_ZERO:
        return (stk_init){STK_INIT_CONSTANT, 0, 0};
    case STK_LAYER_DIRAC:
        return (stk_init){STK_INIT_DIRAC, 0, sqrt(1 / (3 * f.in))};
    default:
        return uniform(1 / sqrt(f.in));
    }
}

stk_symbol stk_layer_parameter(stk_graph *g, const char *name, stk_shape shape, stk_init init)
{
    return stk_graph_variable(g, name, STK_DTYPE_F32, shape, &(stk_variable_options){.init = init});
}

stk_symbol stk_layer_weight(stk_graph *g, stk_shape shape, stk_layer_init init, bool frozen)
{
    return stk_graph_variable(
        g, "weight", STK_DTYPE_F32, shape,
        &(stk_variable_options){.init = begin(init, count_fans(&shape)), .frozen = frozen});
}

stk_symbol stk_layer_bias(stk_graph *g, stk_shape weight, stk_layer_init init, double freeze_after)
{
    stk_init first = init == STK_LAYER_DEFAULT ? uniform(1 / sqrt(count_fans(&weight).in))
                                               : (stk_init){STK_INIT_CONSTANT, 0, 0};
    return stk_graph_variable(g, "bias", STK_DTYPE_F32, stk_shape_1d(weight.dim[0]),
                              &(stk_variable_options){.init = first, .freeze_after = freeze_after});
}
