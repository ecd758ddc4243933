/* Byte lookup tables, the core of most colour operations. */
#ifndef STK_IMAGE_OPS_LUT_H
#define STK_IMAGE_OPS_LUT_H

#include <stoker/image.h>

enum { STK_LUT_SIZE = 256 };

/* Replaces each byte by its table entry. */
void stk_lut_apply(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE]);
/* The same for interleaved triples, one table per channel. */
void stk_lut_apply_rgb(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE]);
/* Maps each channel by its table; grey uses table[0]. */
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
