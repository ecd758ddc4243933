/* Where the first frame of a GIF lies, and what its indices mean. */
#ifndef STK_IMAGE_CODEC_GIF_FRAME_H
#define STK_IMAGE_CODEC_GIF_FRAME_H

#include "image/codec/palette.h"

#include <stoker/image.h>

typedef struct stk_gif_frame {
    int32_t     width, height; /* of the canvas, which the frame is part of */
    stk_rect    rect;          /* of the frame on it */
    bool        interlaced;
    bool        more;    /* another frame follows */
    uint8_t     outside; /* the index of what the frame does not cover */
    int         colours;
    stk_palette palette;
    size_t      begin; /* of the frame's codes: their size, then blocks */
} stk_gif_frame;

bool stk_gif_is(stk_bytes encoded);

/* Of bytes that stk_gif_is. STK_E_DATALOSS where they end before the frame's codes, STK_E_FORMAT
 * where something else than a frame stands. */
STK_NODISCARD stk_status stk_gif_find_frame(stk_bytes encoded, stk_gif_frame *out, stk_error *err);

#endif
