#include "compute/cuda/conv_support.h"

static const convolution convolutions[] = {
    {2, 7, 9, 3, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 0},
    {1, 6, 5, 5, 7, {3, 2}, {2, 1}, {1, 2}, {2, 0, 1, 3}, 1, 0},
    {2, 5, 5, 8, 16, {1, 1}, {2, 2}, {1, 1}, {0}, 1, 0},
    {1, 8, 7, 6, 9, {3, 3}, {1, 2}, {2, 1}, {1, 2, 0, 1}, 3, 0},
    {1, 4, 6, 4, 12, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, 4, 0},
    {1, 1, 1, 3, 1, {1, 1}, {1, 1}, {1, 1}, {0}, 1, 0},
    {0, 4, 4, 2, 2, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 0},
};

STK_TEST(convolutions_of_every_kind)
{
    for (size_t i = 0; i < COUNT_OF(convolutions); i++) {
        expect_forward(&convolutions[i], (stk_activation){0}, false, STK_FORMAT_PLAIN);
        expect_forward(&convolutions[i], (stk_activation){&stk_activation_relu, 0, 0}, true,
                       STK_FORMAT_PLAIN);
        expect_gradients(&convolutions[i], STK_FORMAT_PLAIN);
    }
}

STK_TEST(convolutions_of_padded_images)
{
    enum { PAD4 = 2, PAD8 = 4 };
    expect_forward(&convolutions[0], (stk_activation){0}, true, PAD4);
    expect_forward(&convolutions[0], (stk_activation){0}, true, PAD8);
    expect_gradients(&convolutions[0], PAD8);
}

STK_TEST(activations_after_a_convolution)
{
    static const stk_activation acts[] = {
        {&stk_activation_clip, -0.2f, 0.3f}, {&stk_activation_leaky_relu, 0.1f, 0},
        {&stk_activation_gelu, 0, 0},        {&stk_activation_silu, 0, 0},
        {&stk_activation_sigmoid, 0, 0},     {&stk_activation_tanh, 0, 0},
        {&stk_activation_hardswish, 0, 0},   {&stk_activation_hardsigmoid, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(acts); i++)
        expect_forward(&convolutions[2], acts[i], true, STK_FORMAT_PLAIN);
}
