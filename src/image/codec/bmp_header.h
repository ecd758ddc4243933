/* The header of a BMP: sizes, pixel packing, palette. */
#ifndef STK_IMAGE_CODEC_BMP_HEADER_H
#define STK_IMAGE_CODEC_BMP_HEADER_H

#include "image/codec/palette.h"

#include <stoker/image.h>

enum { STK_BMP_PLAIN, STK_BMP_RLE8, STK_BMP_RLE4, STK_BMP_FIELDS };

/* One channel of a pixel of 16 or 32 bits. */
typedef struct stk_bmp_field {
    uint32_t max;   /* its max value; 0: no such channel */
    int      shift; /* right shift in bits */
} stk_bmp_field;

typedef struct stk_bmp_header {
    int32_t       width, height;
    bool          top_down;  /* rows go from top to bottom */
    int           bits;      /* of a pixel: 1, 2, 4, 8, 16, 24 or 32 */
    int           packing;   /* one of the above */
    size_t        begin;     /* offset of the pixels */
    size_t        stride;    /* of a row without run-length encoding */
    int           colours;   /* in the palette */
    stk_bmp_field fields[4]; /* red, green, blue, alpha: of 16 and 32 bits */
    stk_palette   palette;   /* up to 8 bits */
} stk_bmp_header;

bool stk_bmp_is(stk_bytes encoded);

/* Reads the header of bytes that stk_bmp_is accepts. Truncated: STK_E_DATALOSS; invalid:
 * STK_E_FORMAT; JPEG or PNG inside, and other rarities: STK_E_UNSUPPORTED. */
STK_NODISCARD stk_status stk_bmp_read_header(stk_bytes encoded, stk_bmp_header *out,
                                             stk_error *err);

#endif
