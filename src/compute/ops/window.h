/* Windows along one axis of an image: the elements of a window and the windows of an element.
 * Shared by convolutions and pooling. */
#ifndef STK_COMPUTE_OPS_WINDOW_H
#define STK_COMPUTE_OPS_WINDOW_H

#include "base/checked.h"

typedef struct stk_kernel_window {
    int64_t size, kernel, stride, dilation, before;
    int64_t count; /* number of windows; 0 if none fits */
} stk_kernel_window;

/* Windows of kernel taps with dilation, stride and padding along size elements. Lengths above
 * INT64_MAX fit nowhere. */
static inline stk_kernel_window stk_window_of(int64_t size, int64_t kernel, int stride,
                                              int dilation, int before, int after)
{
    stk_kernel_window w = {size, kernel, stride, dilation, before, 0};
    int64_t           reach, padded;
    if (stk_mul_overflows_i64(kernel - 1, dilation, &reach) ||
        stk_add_overflows_i64(size, (int64_t)before + after, &padded))
        return w;
    if (kernel > 0 && reach < padded) w.count = (padded - reach - 1) / stride + 1;
    return w;
}

/* Element at tap of window, or -1 in the padding. */
static inline int64_t stk_window_element(const stk_kernel_window *w, int64_t window, int64_t tap)
{
    int64_t at = window * w->stride - w->before + tap * w->dilation;
    return at >= 0 && at < w->size ? at : -1;
}

/* Window whose tap is at element, or -1 if there is none. */
static inline int64_t stk_window_of_element(const stk_kernel_window *w, int64_t element,
                                            int64_t tap)
{
    int64_t at = element + w->before - tap * w->dilation;
    return at >= 0 && at % w->stride == 0 && at / w->stride < w->count ? at / w->stride : -1;
}

#endif
