/* Steps are not carried out one after the other on whole pictures: each pixel of the result asks
 * for those that it is made of. So nothing is kept between steps but the means that contrast needs;
 * for their sake a block has a picture to itself. */
#include "backend/cuda/own/edit_window.cuh"
#include "tensor/edit_warp.h"

namespace
{

constexpr int THREADS = 512, GROUP = 4; /* pixels of a thread at once */

/* A picture with steps, as the threads of a block share it. */
struct job {
    stk_edit         edit;
    stk::edit_window window;
    int32_t          mean[STK_EDIT_STEPS];
    stk_edit_warp    warp[STK_EDIT_STEPS];
};

__device__ __forceinline__ int count_steps(const stk_edit &edit)
{
    int steps = 0;
    while (steps < STK_EDIT_STEPS && edit.step[steps].kind != STK_EDIT_END)
        steps++;
    return steps;
}

__device__ __forceinline__ void begin(const stk_cuda_edit_args &a, int64_t picture, job &j)
{
    const int at = (int)threadIdx.x;
    if (at < STK_EDIT_WORDS) ((int32_t *)&j.edit)[at] = ((const int32_t *)(a.edits + picture))[at];
    if (at < STK_EDIT_STEPS) j.mean[at] = 0;
    __syncthreads();
    if (at == 0) j.window = stk::window_of(a, &j.edit);
    if (at < STK_EDIT_STEPS && j.edit.step[at].kind == STK_EDIT_WARP)
        j.warp[at] = stk_edit_warp_of(&j.edit.step[at], a.width, a.height);
    __syncthreads();
}

__device__ __forceinline__ stk_edit_pixel window_pixel(const stk_cuda_edit_args &a, const job &j,
                                                       int32_t x, int32_t y)
{
    const stk::edit_window &w = j.window;
    const uint8_t          *row = stk::source_row(a, w, y);
    const int64_t           across = w.flip & STK_EDIT_FLIP_X ? a.width - 1 - x : x;
    const int32_t from = row ? stk_edit_place(w.x + across, a.source_width, w.border) : -1;
    if (from < 0) return stk_edit_colour(w.fill);
    const uint8_t *at = row + (int64_t)from * a.channels;
    stk_edit_pixel p = {};
    p.level[0] = at[0];
    if (a.channels == 3) p.level[1] = at[1], p.level[2] = at[2];
    return p;
}

/* Calls, not copies of the code: colours are the most of it. */
__device__ __noinline__ stk_edit_pixel paint(const job &j, int channels, int from, int to,
                                             stk_edit_pixel p, int32_t x, int32_t y)
{
    for (int i = from; i < to; i++)
        p = stk_edit_paint(&j.edit.step[i], p, channels, j.mean[i], x, y);
    return p;
}

__device__ __forceinline__ int last_warp(const job &j, int steps)
{
    while (steps > 0 && j.edit.step[steps - 1].kind != STK_EDIT_WARP)
        steps--;
    return steps;
}

/* A pixel as it is after the first steps, of which WARPS at most look elsewhere: a bound for the
 * compiler, which has to know how deep calls go. */
template <int WARPS>
__device__ __noinline__ stk_edit_pixel pixel_after(const stk_cuda_edit_args &a, const job &j,
                                                   int steps, int32_t x, int32_t y)
{
    const int      first = last_warp(j, steps);
    stk_edit_pixel p;
    if (WARPS == 0 || first == 0) {
        p = window_pixel(a, j, x, y);
    } else if constexpr (WARPS > 0) {
        const stk_edit_warp &warp = j.warp[first - 1];
        const stk_edit_look  look = stk_edit_look_at(&warp, a.width, a.height, x, y);
        stk_edit_pixel       corner[4];
        for (int i = 0; i < (warp.bilinear ? 4 : 1) && look.inside; i++)
            corner[i] = pixel_after<WARPS - 1>(a, j, first - 1, look.x[i & 1], look.y[i >> 1]);
        p = !look.inside    ? stk_edit_colour(warp.colour)
            : warp.bilinear ? stk_edit_join(corner, &look)
                            : corner[0];
    }
    return paint(j, a.channels, first, steps, p, x, y);
}

/* Pixels from first on, or the last one where they are past the end. Where no step looks elsewhere,
 * all are loaded before the first is painted, and painted together. */
template <bool ELSEWHERE>
__device__ __forceinline__ void group_after(const stk_cuda_edit_args &a, const job &j, int steps,
                                            int32_t first, stk_edit_pixel (&p)[GROUP])
{
    const int32_t pixels = a.height * a.width;
    int32_t       x[GROUP], y[GROUP];
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        const int32_t at = first + i < pixels ? first + i : pixels - 1;
        y[i] = at / a.width;
        x[i] = at - y[i] * a.width;
        if constexpr (ELSEWHERE)
            p[i] = pixel_after<STK_EDIT_STEPS>(a, j, steps, x[i], y[i]);
        else
            p[i] = window_pixel(a, j, x[i], y[i]);
    }
    for (int step = 0; step < steps && !ELSEWHERE; step++)
#pragma unroll
        for (int i = 0; i < GROUP; i++)
            p[i] = stk_edit_paint(&j.edit.step[step], p[i], a.channels, j.mean[step], x[i], y[i]);
}

/* The sum over a block, in thread 0. */
__device__ __forceinline__ unsigned long long block_sum(unsigned long long x)
{
    __shared__ unsigned long long parts[THREADS / stk::WARP];
#pragma unroll
    for (int d = stk::WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    if (threadIdx.x % stk::WARP == 0) parts[threadIdx.x / stk::WARP] = x;
    __syncthreads();
    x = 0;
    for (int i = 0; i < THREADS / stk::WARP && threadIdx.x == 0; i++)
        x += parts[i];
    return x;
}

/* A group's bytes, as words where every group begins at one. */
template <int C>
__device__ __forceinline__ void store_group(const stk_edit_pixel (&p)[GROUP], int32_t left,
                                            bool words, uint8_t *out)
{
    uint8_t bytes[GROUP * C];
#pragma unroll
    for (int i = 0; i < GROUP * C; i++)
        bytes[i] = (uint8_t)p[i / C].level[i % C];
#pragma unroll
    for (int i = 0; i < GROUP * C; i += 4)
        if (words) *(uchar4 *)(out + i) = {bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]};
#pragma unroll
    for (int i = 0; i < GROUP * C; i++)
        if (!words && i < left * C) out[i] = bytes[i];
}

/* All pixels after some steps: written to out, or, where that is NULL, summed as greys. */
template <bool ELSEWHERE>
__device__ __forceinline__ unsigned long long sweep(const stk_cuda_edit_args &a, const job &j,
                                                    int steps, uint8_t *out)
{
    const int32_t      pixels = a.height * a.width;
    const bool         words = pixels % GROUP == 0, coloured = a.channels == 3;
    unsigned long long sum = 0;
    for (int32_t first = (int)threadIdx.x * GROUP; first < pixels; first += THREADS * GROUP) {
        stk_edit_pixel p[GROUP];
        group_after<ELSEWHERE>(a, j, steps, first, p);
        if (out && coloured) store_group<3>(p, pixels - first, words, out + (int64_t)first * 3);
        if (out && !coloured) store_group<1>(p, pixels - first, words, out + first);
#pragma unroll
        for (int i = 0; i < GROUP; i++)
            if (!out && first + i < pixels)
                sum += (unsigned)(coloured ? stk_edit_grey(p[i]) : p[i].level[0]);
    }
    return sum;
}

/* By itself, so that its calls cost nothing where there are none. */
__device__ __noinline__ unsigned long long sweep_warped(const stk_cuda_edit_args &a, const job &j,
                                                        int steps, uint8_t *out)
{
    return sweep<true>(a, j, steps, out);
}

/* Two blocks a multiprocessor. Means come in order: what one is of depends on those before. */
__global__ void __launch_bounds__(THREADS, 2) take_steps(stk_cuda_edit_args a)
{
    __shared__ job j;
    const int64_t  picture = blockIdx.x, pixels = (int64_t)a.height * a.width;
    if (a.edits[picture].step[0].kind == STK_EDIT_END) return;
    begin(a, picture, j);
    if (!j.window.source) return;
    const int steps = count_steps(j.edit);
    for (int i = 0; i <= steps; i++) {
        if (i < steps && j.edit.step[i].kind != STK_EDIT_CONTRAST) continue;
        uint8_t           *out = i < steps ? nullptr : a.out + picture * pixels * a.channels;
        unsigned long long sum =
            last_warp(j, i) ? sweep_warped(a, j, i, out) : sweep<false>(a, j, i, out);
        if (i == steps) return;
        sum = block_sum(sum);
        if (threadIdx.x == 0) j.mean[i] = stk_edit_mean(sum, (uint64_t)pixels);
        __syncthreads();
    }
}

} // namespace

cudaError_t stk_cuda_edit_steps_launch(const stk_cuda_edit_args *args, cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    if (args->batch > INT32_MAX) return cudaErrorInvalidValue;
    return STK_CUDA_LAUNCH(take_steps, (int)args->batch, THREADS, 0, stream, *args);
}
