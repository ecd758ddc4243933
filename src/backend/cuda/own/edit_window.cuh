/* Where the window of an edit lies in its picture. */
#ifndef STK_BACKEND_CUDA_OWN_EDIT_WINDOW_CUH
#define STK_BACKEND_CUDA_OWN_EDIT_WINDOW_CUH

#include "backend/cuda/own/edit_pictures.h"
#include "backend/cuda/own/launch.cuh"
#include "tensor/edit_pixels.h"

namespace stk
{

struct edit_window {
    const uint8_t *source; /* NULL: there is no such row */
    const uint8_t *end;    /* of all pictures */
    int32_t        x, y, flip, border, fill;
};

__device__ __forceinline__ edit_window window_of(const stk_cuda_edit_args &a, const stk_edit *edit)
{
    const int64_t bytes = (int64_t)a.source_height * a.source_width * a.channels;
    const int32_t row = edit->source;
    edit_window   w = {};
    w.source = row >= 0 && row < a.rows ? a.pictures + row * bytes : nullptr;
    w.end = a.pictures + a.rows * bytes;
    w.x = edit->x;
    w.y = edit->y;
    w.flip = edit->flip;
    w.border = edit->border;
    w.fill = edit->fill;
    return w;
}

/* The row of the source that row y of the result shows; NULL: the border's colour. */
__device__ __forceinline__ const uint8_t *source_row(const stk_cuda_edit_args &a,
                                                     const edit_window &w, int32_t y)
{
    const int64_t down = w.flip & STK_EDIT_FLIP_Y ? a.height - 1 - y : y;
    const int32_t from = stk_edit_place(w.y + down, a.source_height, w.border);
    return from < 0 ? nullptr : w.source + (int64_t)from * a.source_width * a.channels;
}

} // namespace stk

#endif
