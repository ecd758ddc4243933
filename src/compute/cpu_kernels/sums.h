/* Sums over the pixels of each channel, in pieces that do not depend on the number of threads: each
 * piece is added up in float32 by many lanes, pieces are added in double and in order. So the bits
 * are the same on any number of threads. */
#ifndef STK_COMPUTE_CPU_KERNELS_SUMS_H
#define STK_COMPUTE_CPU_KERNELS_SUMS_H

#include "compute/cpu_kernels/channel_tiling.h"

typedef struct stk_sums {
    stk_channel_tiling tiling;
    int64_t            images, group, groups; /* images that are one piece */
    int64_t            chunk, chunks;         /* pixels that are one piece */
    int64_t            tile, tiles;           /* channels at a time, of rows that are long */
    int64_t            pieces, items;         /* an item is one block or tile of one piece */
    int64_t            padded;                /* channels with padding */
} stk_sums;

/* With by_image a piece is one image: its sums are the results. */
stk_sums stk_sums_plan(const stk_tensor_type *type, stk_format format, bool by_image);
/* Of double partial[piece][sum][padded]. */
size_t stk_sums_bytes(const stk_sums *plan, int sums);
/* Pixels of a piece. */
int64_t stk_sums_pixels(const stk_sums *plan, int64_t piece);

/* One item, as blocks of rows: rows of width elements, stride apart, from offset on. Element j of a
 * row is of channel first + j % lanes. */
typedef struct stk_sum_item {
    int64_t piece, first, lanes;
    int64_t image, last_image, block;          /* of the part that comes next */
    int64_t begin, pixel, end;                 /* pixels of each image; the next; the last */
    int64_t offset, rows, stride, width, tile; /* the rows that came last */
} stk_sum_item;

stk_sum_item stk_sum_item_at(const stk_sums *plan, int64_t index);
bool         stk_sum_next(const stk_sums *plan, stk_sum_item *item);
/* values[channels] written out for a row, 0 where there is padding. */
void stk_sum_values(const stk_sums *plan, const stk_sum_item *item, const float *values,
                    float scratch[STK_TILE_CAPACITY]);
/* The same for values[lanes] of this item alone. */
void stk_sum_spread(const stk_sum_item *item, const float *values,
                    float scratch[STK_TILE_CAPACITY]);
/* Adds up the lanes of a row of sums and puts them into partial, as sum `which` of `sums`. */
void stk_sum_fold(const stk_sums *plan, const stk_sum_item *item, const float *row, double *partial,
                  int which, int sums);

#endif
