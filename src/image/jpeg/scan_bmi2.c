/* The kernel with shifts that need no fixed register. */
#include "image/jpeg/scan_blocks.h"

#define BMI2 __attribute__((target("avx2,bmi,bmi2,movbe")))

BMI2 static bool take(stk_jpeg_scan *scan, int16_t (*coefficients)[BLOCK], int count)
{
    return take_blocks(scan, coefficients, count);
}

BMI2 static bool skip(stk_jpeg_scan *scan, int16_t *differences, int count)
{
    return skip_blocks(scan, differences, count);
}

const stk_scan_kernel stk_scan_kernel_bmi2 = {.take = take, .skip = skip};
