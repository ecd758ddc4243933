#include "compute/runtime/kernel_name.h"
#include "harness.h"

#include <string.h>

STK_TEST(names_of_kernels_are_short)
{
    static const char *const rows[][2] = {
        {"sm90_xmma_fprop_implicit_gemm_f16f16_nhwc", "sm90_xmma_fprop_implicit_gemm_f16f16_nhwc"},
        {"void cudnn::ops::nchwToNhwcKernel<__half, float>(cudnn::ops::params<float>, int)",
         "cudnn::ops::nchwToNhwcKernel"},
        {"(anonymous namespace)::relu(float const*, long)", "relu"},
        {"void (anonymous namespace)::apply<(int)8, a<b>::c>(int)", "apply"},
        {"stk::vec<float, 4> stk::load<float>(void)", "stk::load"},
        {"", ""},
        {"x<", "x"},
    };
    char out[STK_KERNEL_NAME];
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        EXPECT_STR_EQ(rows[i][1], stk_kernel_name_shorten(rows[i][0], out));
}

STK_TEST(a_long_name_of_a_kernel_is_cut)
{
    char name[300], out[STK_KERNEL_NAME];
    memset(name, 'k', sizeof name - 1);
    name[sizeof name - 1] = 0;
    EXPECT_INT_EQ(STK_KERNEL_NAME - 1, strlen(stk_kernel_name_shorten(name, out)));
}
