#include "compute/cuda/conv_support.h"

#define DEPTHWISE(n, h, w, c, k, s, top, bottom, left, right)                                      \
    {                                                                                              \
        n, h, w, c, c, {k, k}, {s, s}, {1, 1}, {top, bottom, left, right}, c, 0                    \
    }

/* More rows than a thread goes down, odd sides, one and many channel groups; padding on one side
 * only, and none. */
static const convolution depthwise[] = {
    DEPTHWISE(2, 9, 11, 16, 3, 1, 1, 1, 1, 1), DEPTHWISE(1, 17, 7, 6, 3, 1, 2, 0, 0, 2),
    DEPTHWISE(2, 5, 6, 70, 3, 2, 1, 1, 1, 1),  DEPTHWISE(1, 33, 4, 4, 3, 2, 0, 1, 0, 1),
    DEPTHWISE(1, 16, 5, 4, 5, 1, 2, 2, 2, 2),  DEPTHWISE(1, 9, 10, 6, 5, 2, 0, 4, 3, 1),
    DEPTHWISE(1, 8, 8, 5, 3, 1, 1, 1, 1, 1),   DEPTHWISE(2, 1, 1, 4, 3, 1, 1, 1, 1, 1),
    DEPTHWISE(1, 6, 6, 2, 3, 1, 0, 0, 0, 0),   DEPTHWISE(0, 6, 6, 2, 3, 2, 1, 1, 1, 1),
};

/* More items and steps per block than are in flight; adjacent blocks with words beyond the pixel;
 * strips; words copied one by one. */
static const convolution cut[] = {
    DEPTHWISE(9, 7, 7, 136, 3, 1, 1, 1, 1, 1),  DEPTHWISE(12, 6, 5, 200, 3, 2, 1, 1, 1, 1),
    DEPTHWISE(7, 3, 9, 270, 3, 1, 1, 1, 1, 1),  DEPTHWISE(1, 5, 131, 16, 3, 1, 1, 1, 1, 1),
    DEPTHWISE(1, 4, 150, 16, 3, 2, 0, 1, 0, 1), DEPTHWISE(2, 5, 70, 24, 5, 2, 2, 2, 1, 2),
};

STK_TEST(depthwise_convolutions)
{
    for (size_t i = 0; i < COUNT_OF(depthwise); i++) {
        expect_forward(&depthwise[i], (stk_activation){&stk_activation_clip, 0, 6}, true,
                       STK_FORMAT_PLAIN);
        expect_gradients(&depthwise[i], STK_FORMAT_PLAIN);
    }
}

STK_TEST(depthwise_convolutions_in_many_blocks)
{
    for (size_t i = 0; i < COUNT_OF(cut); i++) {
        expect_forward(&cut[i], (stk_activation){0}, true, STK_FORMAT_PLAIN);
        expect_gradients(&cut[i], STK_FORMAT_PLAIN);
    }
}

STK_TEST(a_depthwise_convolution_without_bias)
{
    expect_forward(&depthwise[2], (stk_activation){0}, false, STK_FORMAT_PLAIN);
}

STK_TEST(other_activations_after_a_depthwise_convolution)
{
    expect_forward(&depthwise[0], (stk_activation){&stk_activation_sigmoid, 0, 0}, true,
                   STK_FORMAT_PLAIN);
}
