/* Position of an edit's window in its image. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_WINDOW_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_WINDOW_CUH

#include "compute/cuda_kernels/edit_images.h"
#include "compute/cuda_kernels/launch.cuh"
#include "edit/edit_pixels.h"

namespace stk
{

struct edit_window {
    const uint8_t *source; /* NULL: the row does not exist */
    int32_t        x, y, flip, border, fill;
};

__device__ __forceinline__ edit_window window_of(const stk_cuda_edit_args &a, const stk_edit *edit)
{
    const int64_t bytes = (int64_t)a.source_height * a.source_width * a.channels;
    const int32_t row = edit->source;
    edit_window   w = {};
    w.source = row >= 0 && row < a.rows ? a.images + row * bytes : nullptr;
    w.x = edit->x;
    w.y = edit->y;
    w.flip = edit->flip;
    w.border = edit->border;
    w.fill = edit->fill;
    return w;
}

/* The source row for row y of the result; NULL: the border's colour. */
__device__ __forceinline__ const uint8_t *source_row(const stk_cuda_edit_args &a,
                                                     const edit_window &w, int32_t y)
{
    const int64_t down = w.flip & STK_EDIT_FLIP_Y ? a.height - 1 - y : y;
    const int32_t from = stk_edit_place(w.y + down, a.source_height, w.border);
    return from < 0 ? nullptr : w.source + (int64_t)from * a.source_width * a.channels;
}

/* Words covering all bytes from an address within the first word. */
template <int BYTES> struct edit_bytes {
    uint32_t word[(BYTES + 3) / 4 + 1];
    unsigned past; /* bytes of the first word before the address */
};

/* Reads only words that contain requested bytes. */
template <int BYTES> __device__ __forceinline__ edit_bytes<BYTES> fetch_bytes(const uint8_t *from)
{
    constexpr int     WORDS = (BYTES + 3) / 4;
    const uint32_t   *aligned = (const uint32_t *)((uintptr_t)from & ~(uintptr_t)3);
    edit_bytes<BYTES> b;
    b.past = (unsigned)((uintptr_t)from & 3);
#pragma unroll
    for (int i = 0; i <= WORDS; i++)
        b.word[i] = i < WORDS || b.past > 4 * WORDS - BYTES ? __ldg(aligned + i) : 0;
    return b;
}

template <int BYTES>
__device__ __forceinline__ void align_bytes(const edit_bytes<BYTES> &b,
                                            uint32_t (&word)[(BYTES + 3) / 4])
{
#pragma unroll
    for (int i = 0; i < (BYTES + 3) / 4; i++)
        word[i] = __funnelshift_r(b.word[i], b.word[i + 1], 8 * b.past);
}

template <int BYTES>
__device__ __forceinline__ void load_bytes(const uint8_t *from, uint32_t (&word)[(BYTES + 3) / 4])
{
    align_bytes<BYTES>(fetch_bytes<BYTES>(from), word);
}

} // namespace stk

#endif
