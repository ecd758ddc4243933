/* The chunks of a WebP file, without decoding: the image (the first of an animation) and EXIF. */
#ifndef STK_IMAGE_CODEC_WEBP_CHUNKS_H
#define STK_IMAGE_CODEC_WEBP_CHUNKS_H

#include <stoker/image.h>

typedef struct stk_webp_image {
    stk_bytes bitstream; /* the colour chunk with its header, possibly truncated */
    stk_rect  rect;      /* on the canvas; empty for a still image: all of it */
} stk_webp_image;

bool stk_webp_is(stk_bytes encoded);
/* Whether the file has as many bytes as its header says. */
bool stk_webp_is_complete(stk_bytes encoded);
/* False if there is none: truncated or invalid. */
bool stk_webp_find_image(stk_bytes encoded, stk_webp_image *out);
/* Empty if missing or not announced in the header. */
stk_bytes stk_webp_find_exif(stk_bytes encoded);

#endif
