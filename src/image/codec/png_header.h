/* What stands in a PNG beside its pixels. */
#ifndef STK_IMAGE_CODEC_PNG_HEADER_H
#define STK_IMAGE_CODEC_PNG_HEADER_H

#include <stoker/image.h>

enum {
    STK_PNG_GREY = 0,
    STK_PNG_COLOURS = 2,
    STK_PNG_PALETTE = 3,
    STK_PNG_GREY_ALPHA = 4,
    STK_PNG_COLOURS_ALPHA = 6
};

typedef struct stk_png_header {
    int32_t width, height;
    int     depth; /* bits of a channel, or of an index into the palette */
    int     kind;  /* one of the above */
    bool    interlaced;
} stk_png_header;

bool stk_png_is(stk_bytes encoded);

/* Of bytes that stk_png_is. The checksum and the combination of depth and kind are checked; what is
 * wrong is STK_E_FORMAT, or STK_E_DATALOSS when the bytes end in the header or it is damaged. */
STK_NODISCARD stk_status stk_png_read_header(stk_bytes encoded, stk_png_header *out,
                                             stk_error *err);

/* The first eXIf chunk with a right checksum, before or behind the pixels; empty where there is
 * none. */
stk_bytes stk_png_find_exif(stk_bytes encoded);

/* Channels of a stored pixel: an index is one. */
int stk_png_channels(int kind);

#endif
