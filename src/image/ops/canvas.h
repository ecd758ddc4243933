/* A canvas with memory of its own. */
#ifndef STK_IMAGE_OPS_CANVAS_H
#define STK_IMAGE_OPS_CANVAS_H

#include "image/ops/image_op.h"

/* Holds a canvas over two areas that take turns: one has the pixels, the other is room. Asking for
 * room again before using it gives the same area, its contents undefined. Pixels from elsewhere may
 * be set by stk_canvas_use; they are never freed. One thread's. */
typedef struct stk_canvas_buffers {
    stk_canvas canvas; /* first: canvas.room finds the easel by it */
    stk_blob   areas[2];
} stk_canvas_buffers;

/* Allocates nothing yet. ledger may be NULL and must outlive the easel. */
void stk_canvas_buffers_init(stk_canvas_buffers *buffers, stk_ledger *ledger);
void stk_canvas_buffers_release(stk_canvas_buffers *buffers);

/* The canvas gets dense pixels of this size, contents undefined. */
STK_NODISCARD stk_status stk_canvas_buffers_start(stk_canvas_buffers *buffers, int32_t width,
                                                  int32_t height, int32_t channels, stk_error *err);

#endif
