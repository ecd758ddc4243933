/* Kernels of resampling and output: one table per instruction set, all bit-identical. */
#ifndef STK_IMAGE_RESIZE_RESIZE_KERNELS_H
#define STK_IMAGE_RESIZE_RESIZE_KERNELS_H

#include "image/resize/resize_weights.h"

enum {
    STK_STEP_BITS = 2, /* of fraction, see sum_steps */
    /* Padding of rows of sums: vector code may access as many more samples. */
    STK_RESIZE_ROW_SLACK = 64,
    /* Scales and offsets come as patterns that repeat after 1, 2, 3 or 4 channels. */
    STK_PATTERN = 48
};

typedef union stk_sample32 {
    int32_t integer;
    float   floating;
} stk_sample32;

enum { STK_ROWS_AT_ONCE = 4 };

typedef struct stk_row_group {
    int            count;
    const uint8_t *src[STK_ROWS_AT_ONCE];
    stk_sample32  *dst[STK_ROWS_AT_ONCE];
} stk_row_group;

/* The horizontal pass over one axis: weights in the order in which run reads them. */
typedef struct stk_row_gather stk_row_gather;
struct stk_row_gather {
    const stk_axis *axis;
    int32_t         channels;
    /* Resamples rows (several at once read the weights once), each into count * channels sums.
     * Reads row[begin..end), which may reach past the pixels that count. */
    void (*run)(const stk_row_gather *gather, const stk_row_group *rows);
    size_t   begin, end;
    int32_t  blocks;          /* of lanes computed together */
    int32_t  window, windows; /* taps that one load of source pixels serves; loads a block needs */
    int32_t *base;            /* of each block (or half): the byte its first load begins at */
    uint8_t *table;           /* of each block: which loaded bytes go where, and the weights */
    size_t   scratch_bytes;   /* memory of base and table */
    uint8_t *scratch;
};

/* Sums of one output row: rows[k] are the taps. */
typedef struct stk_sum {
    const stk_sample32 *const *rows;
    const stk_sample32        *weights;
    int32_t                    taps;
    size_t                     count; /* samples */
} stk_sum;

typedef struct stk_pattern {
    float scale[STK_PATTERN], offset[STK_PATTERN];
} stk_pattern;

typedef struct stk_resize_kernels {
    const char *name;
    /* Scratch bytes that arrange needs. */
    size_t (*scratch)(const stk_axis *axis, int32_t channels);
    /* Fills all fields but axis, channels and scratch, which are given. */
    void (*arrange)(stk_row_gather *gather);
    /* (sum + half) >> STK_WEIGHT_BITS, kept in 0..255. */
    void (*sum_integer)(const stk_sum *sum, uint8_t *dst);
    /* OpenCV's two-tap sum: truncates each product to two bits of fraction, rounds the sum. */
    void (*sum_steps)(const stk_sum *sum, uint8_t *dst);
    void (*sum_real)(const stk_sum *sum, float *dst); /* may write STK_RESIZE_ROW_SLACK more */

    /* Deinterleave three channels; pad pixels of three with a zero; reverse the order of pixels. */
    void (*split)(const uint8_t *src, size_t pixels, uint8_t *const dst[3]);
    void (*pad)(const uint8_t *src, size_t pixels, uint8_t *dst);
    void (*mirror[4])(const uint8_t *src, size_t pixels, uint8_t *dst); /* by channels: 1 and 3 */

    /* value * scale + offset, each operation rounded by itself, as F32, F16 or BF16. The pattern
     * begins anew at src. */
    void (*convert)(const uint8_t *src, size_t count, const stk_pattern *pattern, stk_dtype dtype,
                    void *dst);
    /* The same from float values; for U8, which is not scaled, pattern may be NULL. */
    void (*convert_real)(const float *src, size_t count, const stk_pattern *pattern,
                         stk_dtype dtype, void *dst);
} stk_resize_kernels;

/* The best table that this processor supports. */
const stk_resize_kernels *stk_resize_kernels_best(void);
/* Each by itself, for tests and benchmarks. NULL where the processor lacks it. */
const stk_resize_kernels *stk_resize_kernels_plain(void);
const stk_resize_kernels *stk_resize_kernels_avx2(void);
const stk_resize_kernels *stk_resize_kernels_avx512(void);

/* The fallback of other tables. */
void stk_row_gather_arrange_plain(stk_row_gather *gather);

/* The operations on single values, which all tables match. */
uint16_t stk_f16_of(float value);  /* to nearest, halves to even */
uint16_t stk_bf16_of(float value); /* the same */
uint8_t  stk_u8_of(float value);   /* the same, kept in 0..255 */

/* Resizes with these kernels from now on: for tests and benchmarks. */
void stk_resizer_use(stk_resizer *resizer, const stk_resize_kernels *kernels);

#endif
