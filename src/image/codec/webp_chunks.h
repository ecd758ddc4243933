/* What a WebP file holds, without decoding: the image (of an animation the first one), and
 * EXIF. */
#ifndef STK_IMAGE_CODEC_WEBP_CHUNKS_H
#define STK_IMAGE_CODEC_WEBP_CHUNKS_H

#include <stoker/image.h>

typedef struct stk_webp_image {
    stk_bytes bitstream; /* the chunk of the colours, with its head, as far as it is there */
    stk_rect  rect;      /* on the canvas; of a still image empty: all of it */
} stk_webp_image;

bool stk_webp_is(stk_bytes encoded);
/* Whether as many bytes are there as the head of the file says. */
bool stk_webp_is_complete(stk_bytes encoded);
/* False when there is none: cut off, or nonsense. */
bool stk_webp_find_image(stk_bytes encoded, stk_webp_image *out);
/* Empty where there is none, or the header does not announce it. */
stk_bytes stk_webp_find_exif(stk_bytes encoded);

#endif
