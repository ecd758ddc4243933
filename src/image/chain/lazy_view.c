/* Moving views. Cropping what was resized only leaves out results; resizing what was resized, and
 * resizing what was flipped or has a border, would sample other pixels than one after the other. */
#include "image/chain/lazy_view.h"

#include <inttypes.h>

enum { SIDE_MAX = 1 << 20 }; /* of a result; far above any image, far below overflow */

void stk_lazy_view_init(stk_lazy_view *view, int32_t width, int32_t height)
{
    *view = (stk_lazy_view){.source_width = width,
                            .source_height = height,
                            .window = {0, 0, width, height},
                            .part = {0, 0, width, height}};
}

static bool is_inside(const stk_rect *window, int32_t width, int32_t height)
{
    return window->x >= 0 && window->y >= 0 && window->width <= width - window->x &&
           window->height <= height - window->y;
}

/* The window as it lies before the flips. */
static stk_rect unflipped(const stk_lazy_view *view, stk_rect window)
{
    if (view->flip_x) window.x = view->part.width - window.x - window.width;
    if (view->flip_y) window.y = view->part.height - window.y - window.height;
    return window;
}

static bool is_whole_source(const stk_lazy_view *view)
{
    return !view->resized && !view->bordered && view->part.width == view->source_width &&
           view->part.height == view->source_height;
}

/* Views without a resize have their whole window as part, so that one representation serves both.
 */
static void crop(stk_lazy_view *view, stk_rect window)
{
    if (view->resized) {
        view->part = (stk_rect){view->part.x + window.x, view->part.y + window.y, window.width,
                                window.height};
        return;
    }
    view->window = (stk_rect){view->window.x + window.x, view->window.y + window.y, window.width,
                              window.height};
    view->part = (stk_rect){0, 0, window.width, window.height};
}

bool stk_lazy_view_compose(stk_lazy_view *view, const stk_geometry *framing)
{
    const stk_rect window = unflipped(view, framing->window);
    const bool     outside = !is_inside(&framing->window, view->part.width, view->part.height);
    const bool     resizes = framing->width > 0 && (framing->width != framing->window.width ||
                                                framing->height != framing->window.height);
    const bool     flipped = view->flip_x || view->flip_y;
    if (outside && (!is_whole_source(view) || flipped)) return false;
    if (resizes && (view->resized || view->bordered || outside || flipped)) return false;
    crop(view, window);
    if (outside) {
        view->bordered = true;
        view->border = framing->border;
        memcpy(view->fill, framing->fill, sizeof view->fill);
    }
    if (resizes) {
        view->resized = true;
        view->width = framing->width;
        view->height = framing->height;
        view->sampling = framing->sampling;
        view->part = (stk_rect){0, 0, framing->width, framing->height};
    }
    view->flip_x ^= framing->flip_x;
    view->flip_y ^= framing->flip_y;
    return true;
}

stk_status stk_geometry_check(const stk_geometry *framing, int32_t width, int32_t height,
                              const char *component, stk_error *err)
{
    const stk_rect *w = &framing->window;
    const bool      sized = framing->width || framing->height;
    if (w->width < 1 || w->height < 1 || w->width > SIDE_MAX || w->height > SIDE_MAX ||
        w->x < -SIDE_MAX || w->y < -SIDE_MAX || w->x > SIDE_MAX || w->y > SIDE_MAX)
        return stk_fail(err, STK_E_INVALID, component, NULL,
                        "a window of %" PRId32 "x%" PRId32 " pixels at (%" PRId32 ", %" PRId32
                        ") of an image of %" PRId32 "x%" PRId32
                        " cannot be taken; sides go from 1 to %d",
                        w->width, w->height, w->x, w->y, width, height, SIDE_MAX);
    if (sized && (framing->width < 1 || framing->height < 1 || framing->width > SIDE_MAX ||
                  framing->height > SIDE_MAX))
        return stk_fail(err, STK_E_INVALID, component, NULL,
                        "an image of %" PRId32 "x%" PRId32 " would become %" PRId32 "x%" PRId32
                        "; sides go from 1 to %d",
                        width, height, framing->width, framing->height, SIDE_MAX);
    return STK_OK;
}
