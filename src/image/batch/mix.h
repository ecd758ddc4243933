/* Batches whose images are mixed with one another: MixUp (Zhang and others, 2017) and CutMix (Yun
 * and others, 2019), in place. Row i goes with row rows - 1 - i, and each of the two gets the
 * other's part: so a pair is read and written once, without copies. The middle row of an odd number
 * goes with itself and stays. Shuffled batches make it a random pairing. */
#ifndef STK_IMAGE_BATCH_MIX_H
#define STK_IMAGE_BATCH_MIX_H

#include "base/philox.h"
#include "edit/edit.h"

#include <stoker/image.h>
#include <stoker/tensor.h>

/* Dense rows in borrowed memory. */
typedef struct stk_mix_rows {
    void     *data;
    stk_dtype dtype; /* images: U8 or F32; labels: F32, one-hot or mixed already */
    int64_t   rows;
    int64_t   row_elements;
} stk_mix_rows;

/* Each row becomes lambda of itself and 1 - lambda of its partner; uint8 is rounded to the nearest
 * level with lambda in 15 bits. lambda is 0 to 1. labels may be NULL. Errors change nothing. */
STK_NODISCARD stk_status stk_mixup(const stk_mix_rows *images, const stk_mix_rows *labels,
                                   double lambda, stk_error *err);

typedef struct stk_mix_image {
    int32_t width, height, channels;
    bool    planar; /* channels first */
} stk_mix_image;

/* The box of CutMix: a fraction 1 - lambda of the image around a random point, clipped. lambda is 0
 * to 1. */
stk_rect stk_cutmix_box(stk_random *random, int32_t width, int32_t height, double lambda);

/* Partners exchange the pixels of box (inside the image); labels are mixed by the kept fraction of
 * the image. labels may be NULL. Errors change nothing. */
STK_NODISCARD stk_status stk_cutmix(const stk_mix_rows *images, const stk_mix_image *image,
                                    stk_rect box, const stk_mix_rows *labels, stk_error *err);

/* The parameters of a mixed batch, for CPU and devices. */
typedef struct stk_mix {
    bool     cut;    /* CutMix, by box; else MixUp */
    double   lambda; /* fraction that a label (for MixUp, also an image) keeps */
    stk_rect box;
} stk_mix;

/* alpha is above 0; the size is that of the images, and counts for CutMix only. */
stk_mix stk_mix_draw(stk_random *random, bool cut, double alpha, int32_t width, int32_t height);
/* For a device: stores partner, fraction and box in the batch's edits; results are bit-identical.
 */
void stk_mix_edit(const stk_mix *mix, stk_edit *edits, int64_t rows);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it.
 * a and b become each other's mixture: share of 1 << 15 is kept. */
enum { STK_MIX_BITS = 15 };
typedef void (*stk_mix_u8_fn)(uint8_t *a, uint8_t *b, size_t count, int fraction);
typedef void (*stk_mix_f32_fn)(float *a, float *b, size_t count, float lambda);
void           stk_mix_u8_plain(uint8_t *a, uint8_t *b, size_t count, int fraction);
void           stk_mix_f32_plain(float *a, float *b, size_t count, float lambda);
stk_mix_u8_fn  stk_mix_u8_avx2(void);
stk_mix_f32_fn stk_mix_f32_avx2(void);

#endif
