/* The bare loop's resampling: bilinear with antialias, of pixels of four bytes, separable, AVX2. */
#ifndef BARE_RESIZE_H
#define BARE_RESIZE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BARE_SIDE = 224,
    BARE_PIXEL = 4,       /* bytes of a source pixel: R, G, B, anything */
    BARE_SLACK = 64,      /* bytes that may be read past a source row and written past a result */
    BARE_MOST_TAPS = 1024 /* source pixels behind one result pixel */
};

/* Which source pixels make each result pixel of one axis. taps is a multiple of 4; those past the
 * filter's end have weight 0. */
typedef struct bare_axis {
    int32_t  first[BARE_SIDE];
    int16_t *weights; /* BARE_SIDE times taps; sums to 1 << 14 */
    int      taps;
    int      scratch;
} bare_axis;

/* From the box begin .. begin + length of a line of limit pixels. False without memory. */
bool bare_axis_set(bare_axis *axis, double begin, double length, int limit);
void bare_axis_release(bare_axis *axis);

/* One row of pixels to BARE_SIDE pixels of four bytes, mirrored where flip says so. */
void bare_resize_row(const bare_axis *axis, const uint8_t *src, uint8_t *dst, bool flip);
/* Rows of BARE_SIDE pixels to BARE_SIDE rows of three bytes a pixel, densely. */
void bare_resize_columns(const bare_axis *axis, const uint8_t *src, int rows, uint8_t *dst);

#endif
