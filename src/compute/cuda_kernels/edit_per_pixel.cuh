/* Computes pixels recursively, for any ops: each pixel requests those that it depends on. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_PER_PIXEL_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_PER_PIXEL_CUH

#include "compute/cuda_kernels/edit_job.cuh"

namespace stk
{

static __device__ __noinline__ stk_edit_pixel window_pixel(int32_t x, int32_t y)
{
    const edit_job    &j = this_job();
    const edit_work   &a = j.args;
    const edit_window &w = j.window;
    const uint8_t     *row = source_row(a, w, y);
    const int64_t      across = w.flip & STK_EDIT_FLIP_X ? a.width - 1 - x : x;
    const int32_t      from = row ? stk_edit_place(w.x + across, a.source_width, w.border) : -1;
    if (from < 0) return stk_edit_colour(w.fill);
    const uint8_t *at = row + (int64_t)from * a.channels;
    stk_edit_pixel p = {};
    for (int c = 0; c < a.channels; c++)
        p.level[c] = at[c];
    return p;
}

/* Function calls instead of inlined code: colour ops are large. */
static __device__ __noinline__ stk_edit_pixel paint_pixel(int from, int to, stk_edit_pixel p,
                                                          int32_t x, int32_t y)
{
    const edit_job &j = this_job();
    for (int i = from; i < to; i++)
        p = stk_edit_paint(&j.edit.step[i], p, j.args.channels, j.mean[i], x, y);
    return p;
}

/* A pixel after the first ops, of which at most WARPS are warps. The bound tells the compiler the
 * depth of recursion. */
template <int WARPS>
__device__ __noinline__ stk_edit_pixel pixel_after(int steps, int32_t x, int32_t y)
{
    const edit_job  &j = this_job();
    const edit_work &a = j.args;
    const int        first = last_warp(j, steps);
    stk_edit_pixel   p;
    if (WARPS == 0 || first == 0) {
        p = window_pixel(x, y);
    } else if constexpr (WARPS > 0) {
        const stk_edit_warp &warp = j.warp[first - 1];
        const stk_edit_look  look = stk_edit_look_at(&warp, a.width, a.height, x, y);
        stk_edit_pixel       corner[4];
        for (int i = 0; i < (warp.bilinear ? 4 : 1) && look.inside; i++)
            corner[i] = pixel_after<WARPS - 1>(first - 1, look.x[i & 1], look.y[i >> 1]);
        p = !look.inside    ? stk_edit_colour(warp.colour)
            : warp.bilinear ? stk_edit_join(corner, &look)
                            : corner[0];
    }
    return paint_pixel(first, steps, p, x, y);
}

} // namespace stk

#endif
