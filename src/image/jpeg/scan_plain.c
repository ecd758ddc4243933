/* The kernel for any processor. */
#include "image/jpeg/scan_blocks.h"

static bool take(stk_jpeg_scan *scan, int16_t (*coefficients)[BLOCK], int count)
{
    return take_blocks(scan, coefficients, count);
}

static bool skip(stk_jpeg_scan *scan, int16_t *differences, int count)
{
    return skip_blocks(scan, differences, count);
}

const stk_scan_kernel stk_scan_kernel_plain = {.take = take, .skip = skip};
