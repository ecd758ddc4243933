/* Bytes replaced through a table of 256: what most colour operations come down to. */
#ifndef STK_IMAGE_OPS_LUT_H
#define STK_IMAGE_OPS_LUT_H

#include <stoker/image.h>

enum { STK_LUT_SIZE = 256 };

/* Each of bytes at data becomes table[itself]. */
void stk_lut_apply(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE]);
/* Interleaved triples, a table for each channel. */
void stk_lut_apply_rgb(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE]);
/* Every pixel through the table of its channel: table[0] alone where there is one channel. */
void stk_lut_apply_channels(const stk_pixels *pixels, const uint8_t table[3][STK_LUT_SIZE]);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef void (*stk_lut_fn)(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE]);
typedef void (*stk_lut_rgb_fn)(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE]);
void       stk_lut_plain(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE]);
void       stk_lut_rgb_plain(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE]);
stk_lut_fn stk_lut_avx2(void);
stk_lut_fn stk_lut_avx512(void);
stk_lut_rgb_fn stk_lut_rgb_avx512(void);

#endif
