/* The inverse cosine transform, with the bits that libjpeg-turbo's JDCT_ISLOW gives on x86-64: 16
 * bits wrap and saturate where its vector code does. Reduced forms give 4x4, 2x2 or one sample. */
#ifndef STK_IMAGE_JPEG_IDCT_H
#define STK_IMAGE_JPEG_IDCT_H

#include <stddef.h>
#include <stdint.h>

/* A block and where it goes. coefficients and quant are 64 in natural order, aligned to 64; the
 * coefficients are zero afterwards. */
typedef struct stk_idct_job {
    uint8_t       *dst;
    size_t         stride;
    int16_t       *coefficients;
    const int16_t *quant;
} stk_idct_job;

typedef void (*stk_idct_fn)(const stk_idct_job *jobs, int count);

void stk_idct_8x8_plain(const stk_idct_job *jobs, int count);
void stk_idct_4x4_plain(const stk_idct_job *jobs, int count);
void stk_idct_2x2(const stk_idct_job *jobs, int count);
void stk_idct_1x1(const stk_idct_job *jobs, int count);

void stk_idct_8x8_avx2(const stk_idct_job *jobs, int count);
void stk_idct_4x4_avx2(const stk_idct_job *jobs, int count);
void stk_idct_8x8_avx512(const stk_idct_job *jobs, int count);

#endif
