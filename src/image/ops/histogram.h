/* Histograms of levels. */
#ifndef STK_IMAGE_OPS_HISTOGRAM_H
#define STK_IMAGE_OPS_HISTOGRAM_H

#include <stoker/image.h>

typedef struct stk_histogram {
    uint32_t count[3][256]; /* per channel */
} stk_histogram;

/* Computes the histogram; rows are dense. */
void stk_histogram_of(const stk_pixels *pixels, stk_histogram *out);

#endif
