/* Rows of activations, for widths.h. */
#include "compute/cpu_kernels/act_vec.h"

#define ROWS(id, KIND)                                                                             \
    TARGET static void FN(id##_value)(const float *x, float *y, int64_t count, float a_, float b_) \
    {                                                                                              \
        V a = FN(all)(a_), b = FN(all)(b_);                                                        \
        OVER(count, FN(store)(y + i, n, FN(act)(KIND, FN(load)(x + i, n), a, b)));                 \
    }                                                                                              \
    TARGET static void FN(id##_slope)(const float *dy, const float *seen, float *dx,               \
                                      int64_t count, float a_, float b_)                           \
    {                                                                                              \
        V a = FN(all)(a_), b = FN(all)(b_);                                                        \
        OVER(count,                                                                                \
             FN(store)(dx + i, n,                                                                  \
                       FN(act_back)(KIND, FN(load)(dy + i, n), FN(load)(seen + i, n), a, b)));     \
    }

ROWS(none, STK_ACT_NONE)
ROWS(relu, STK_ACT_RELU)
ROWS(clip, STK_ACT_CLIP)
ROWS(leaky_relu, STK_ACT_LEAKY_RELU)
ROWS(gelu, STK_ACT_GELU)
ROWS(silu, STK_ACT_SILU)
ROWS(sigmoid, STK_ACT_SIGMOID)
ROWS(tanh, STK_ACT_TANH)
ROWS(hardswish, STK_ACT_HARDSWISH)
ROWS(hardsigmoid, STK_ACT_HARDSIGMOID)

#undef ROWS

static const value_loop FN(values)[STK_ACT_KINDS] = {
    FN(none_value), FN(relu_value),    FN(clip_value), FN(leaky_relu_value), FN(gelu_value),
    FN(silu_value), FN(sigmoid_value), FN(tanh_value), FN(hardswish_value),  FN(hardsigmoid_value)};

static const slope_loop FN(slopes)[STK_ACT_KINDS] = {
    FN(none_slope), FN(relu_slope),    FN(clip_slope), FN(leaky_relu_slope), FN(gelu_slope),
    FN(silu_slope), FN(sigmoid_slope), FN(tanh_slope), FN(hardswish_slope),  FN(hardsigmoid_slope)};
