/* Choosing kernels, and the life of the state. */
#include "image/jpeg/jpeg_kernels.h"

const stk_jpeg_kernels stk_jpeg_kernels_plain = {.scan = &stk_scan_kernel_plain,
                                                 .unstuff = stk_unstuff_plain,
                                                 .find_marker = stk_find_marker_plain,
                                                 .idct_8x8 = stk_idct_8x8_plain,
                                                 .idct_4x4 = stk_idct_4x4_plain,
                                                 .upsampler = &stk_upsampler_plain,
                                                 .colour = &stk_jpeg_colour_plain};

const stk_jpeg_kernels stk_jpeg_kernels_avx2 = {.scan = &stk_scan_kernel_bmi2,
                                                .unstuff = stk_unstuff_avx2,
                                                .find_marker = stk_find_marker_avx2,
                                                .idct_8x8 = stk_idct_8x8_avx2,
                                                .idct_4x4 = stk_idct_4x4_avx2,
                                                .upsampler = &stk_upsampler_avx2,
                                                .colour = &stk_jpeg_colour_avx2};

const stk_jpeg_kernels stk_jpeg_kernels_avx512 = {.scan = &stk_scan_kernel_bmi2,
                                                  .unstuff = stk_unstuff_avx2,
                                                  .find_marker = stk_find_marker_avx2,
                                                  .idct_8x8 = stk_idct_8x8_avx512,
                                                  .idct_4x4 = stk_idct_4x4_avx2,
                                                  .upsampler = &stk_upsampler_avx2,
                                                  .colour = &stk_jpeg_colour_avx2};

const stk_jpeg_kernels *stk_jpeg_kernels_best(void)
{
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (avx512) return &stk_jpeg_kernels_avx512;
    return avx2 ? &stk_jpeg_kernels_avx2 : &stk_jpeg_kernels_plain;
}

struct stk_jpeg_decoder *stk_jpeg_decoder_new(stk_ledger *ledger, stk_error *err)
{
    stk_buffer *memory;
    if (stk_buffer_new(&memory, ledger, STK_MEMORY_DECODE, sizeof(struct stk_jpeg_decoder), err))
        return NULL;
    struct stk_jpeg_decoder *jpeg = (struct stk_jpeg_decoder *)stk_buffer_data(memory);
    memset(jpeg, 0, sizeof *jpeg);
    jpeg->kernels = stk_jpeg_kernels_best();
    jpeg->memory = memory;
    return jpeg;
}

void stk_jpeg_decoder_free(struct stk_jpeg_decoder *jpeg)
{
    if (jpeg) stk_buffer_unref(jpeg->memory);
}
