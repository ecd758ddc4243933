/* The first frame of a GIF: its rectangle and palette. */
#ifndef STK_IMAGE_CODEC_GIF_FRAME_H
#define STK_IMAGE_CODEC_GIF_FRAME_H

#include "image/codec/palette.h"

#include <stoker/image.h>

typedef struct stk_gif_frame {
    int32_t     width, height; /* of the canvas */
    stk_rect    rect;          /* of the frame on the canvas */
    bool        interlaced;
    bool        more;    /* another frame follows */
    uint8_t     outside; /* index of uncovered pixels */
    int         colours;
    stk_palette palette;
    size_t      begin; /* offset of the frame's codes: code size, then blocks */
} stk_gif_frame;

bool stk_gif_is(stk_bytes encoded);

/* Finds the first frame in bytes that stk_gif_is accepts. STK_E_DATALOSS if they end before its
 * codes, STK_E_FORMAT if something else follows. */
STK_NODISCARD stk_status stk_gif_find_frame(stk_bytes encoded, stk_gif_frame *out, stk_error *err);

#endif
