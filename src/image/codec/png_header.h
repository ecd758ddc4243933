/* The header and metadata of a PNG. */
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

/* Reads the header of bytes that stk_png_is accepts. Checks its checksum and the combination of
 * depth and kind; invalid ones are STK_E_FORMAT, a truncated or damaged header STK_E_DATALOSS. */
STK_NODISCARD stk_status stk_png_read_header(stk_bytes encoded, stk_png_header *out,
                                             stk_error *err);

/* The first eXIf chunk with a valid checksum, before or after the pixels; empty if none. */
stk_bytes stk_png_find_exif(stk_bytes encoded);

/* Channels of a stored pixel; an index counts as one. */
int stk_png_channels(int kind);

#endif
