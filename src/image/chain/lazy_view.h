/* A view: which part of an image is wanted, at what size and which way round. Framing operations
 * move it; nothing is touched until it is carried out. */
#ifndef STK_IMAGE_CHAIN_LAZY_VIEW_H
#define STK_IMAGE_CHAIN_LAZY_VIEW_H

#include "image/ops/image_op.h"

typedef struct stk_lazy_view {
    int32_t      source_width, source_height;
    stk_rect     window;   /* of the source */
    bool         bordered; /* window reaches outside; then it is not resized */
    stk_border   border;
    uint8_t      fill[3];
    bool         resized;
    int32_t      width, height; /* of the whole resized window */
    stk_sampling sampling;
    stk_rect     part; /* of the window, or of the resized window: what is wanted of it */
    bool         flip_x, flip_y;
} stk_lazy_view;

void stk_lazy_view_init(stk_lazy_view *view, int32_t width, int32_t height);

/* The size of what is seen. */
static inline int32_t stk_lazy_view_width(const stk_lazy_view *view)
{
    return view->part.width;
}

static inline int32_t stk_lazy_view_height(const stk_lazy_view *view)
{
    return view->part.height;
}

/* Moves the view by framing. False, and nothing moved, where carrying out both at once would not
 * give the same pixels: then the view is to be carried out first. framing must be valid. */
bool stk_lazy_view_compose(stk_lazy_view *view, const stk_geometry *framing);

/* That a framing an operation gave can be carried out at all; stage is the operation. */
STK_NODISCARD stk_status stk_geometry_check(const stk_geometry *framing, int32_t width,
                                            int32_t height, const char *stage, stk_error *err);

#endif
