/* A lazy view: composed geometry (crop, resize, flip) of an image, applied to its pixels once. */
#ifndef STK_IMAGE_CHAIN_LAZY_VIEW_H
#define STK_IMAGE_CHAIN_LAZY_VIEW_H

#include "image/ops/image_op.h"

typedef struct stk_lazy_view {
    int32_t      source_width, source_height;
    stk_rect     window;   /* of the source */
    bool         bordered; /* window reaches outside of the image; implies no resize */
    stk_border   border;
    uint8_t      fill[3];
    bool         resized;
    int32_t      width, height; /* of the resized window */
    stk_sampling sampling;
    stk_rect     part; /* the visible part of the (resized) window */
    bool         flip_x, flip_y;
} stk_lazy_view;

void stk_lazy_view_init(stk_lazy_view *view, int32_t width, int32_t height);

/* The size of the result. */
static inline int32_t stk_lazy_view_width(const stk_lazy_view *view)
{
    return view->part.width;
}

static inline int32_t stk_lazy_view_height(const stk_lazy_view *view)
{
    return view->part.height;
}

/* Composes the view with geometry. False, and unchanged, if one pass would give other pixels: then
 * apply the view first. geometry must be valid. */
bool stk_lazy_view_compose(stk_lazy_view *view, const stk_geometry *framing);

/* Checks that an operation's geometry is applicable; component is the operation. */
STK_NODISCARD stk_status stk_geometry_check(const stk_geometry *framing, int32_t width,
                                            int32_t height, const char *component, stk_error *err);

#endif
