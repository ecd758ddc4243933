/* Sums over the pixels of each channel. Work is divided into pieces independent of the number of
 * threads: a piece is summed in float32 lanes, pieces in double and in order. So bits do not depend
 * on the number of threads. */
#ifndef STK_COMPUTE_CPU_KERNELS_SUMS_H
#define STK_COMPUTE_CPU_KERNELS_SUMS_H

#include "compute/cpu_kernels/channel_tiling.h"

typedef struct stk_sums {
    stk_channel_tiling tiling;
    int64_t            images, group, groups; /* images per piece */
    int64_t            chunk, chunks;         /* pixels per piece */
    int64_t            tile, tiles;           /* channels at a time, for long rows */
    int64_t            pieces, items;         /* an item is one block or tile of one piece */
    int64_t            padded;                /* channels with padding */
} stk_sums;

/* by_image: a piece is one image and its sums are results. */
stk_sums stk_sums_plan(const stk_tensor_type *type, stk_format format, bool by_image);
/* Bytes of double partial[piece][sum][padded]. */
size_t stk_sums_bytes(const stk_sums *plan, int sums);
/* Pixels of a piece. */
int64_t stk_sums_pixels(const stk_sums *plan, int64_t piece);

/* One item, as rows of width elements from offset on with a stride. Element j of a row belongs to
 * channel first + j % lanes. */
typedef struct stk_sum_item {
    int64_t piece, first, lanes;
    int64_t image, last_image, block;          /* of the rows that come next */
    int64_t begin, pixel, end;                 /* pixel range of each image, and the next pixel */
    int64_t offset, rows, stride, width, tile; /* the current rows */
} stk_sum_item;

stk_sum_item stk_sum_item_at(const stk_sums *plan, int64_t index);
bool         stk_sum_next(const stk_sums *plan, stk_sum_item *item);
/* Expands values[channels] to a row; padding gets 0. */
void stk_sum_values(const stk_sums *plan, const stk_sum_item *item, const float *values,
                    float scratch[STK_TILE_CAPACITY]);
/* The same for values[lanes] of this item only. */
void stk_sum_spread(const stk_sum_item *item, const float *values,
                    float scratch[STK_TILE_CAPACITY]);
/* Folds the lanes of a row of sums and stores them in partial as sum `which` of `sums`. */
void stk_sum_fold(const stk_sums *plan, const stk_sum_item *item, const float *row, double *partial,
                  int which, int sums);

#endif
