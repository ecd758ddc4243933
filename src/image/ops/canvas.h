/* A canvas with two buffers. */
#ifndef STK_IMAGE_OPS_CANVAS_H
#define STK_IMAGE_OPS_CANVAS_H

#include "image/ops/image_op.h"

/* Two buffers that swap roles: one has the pixels, the other is reserved for the next result.
 * Reserving again before use returns the same buffer, contents undefined. stk_canvas_use may set
 * external pixels; they are never freed. For one thread. */
typedef struct stk_canvas_buffers {
    stk_canvas canvas; /* first: canvas.reserve casts from it */
    stk_blob   areas[2];
} stk_canvas_buffers;

/* Allocates nothing yet. ledger may be NULL and must outlive the buffers. */
void stk_canvas_buffers_init(stk_canvas_buffers *buffers, stk_ledger *ledger);
void stk_canvas_buffers_release(stk_canvas_buffers *buffers);

/* Makes the canvas dense pixels of this size, contents undefined. */
STK_NODISCARD stk_status stk_canvas_buffers_start(stk_canvas_buffers *buffers, int32_t width,
                                                  int32_t height, int32_t channels, stk_error *err);

#endif
