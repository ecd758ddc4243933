/* Windows without ops inside of their images, 16 bytes at a time. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_COPY_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_COPY_CUH

#include "compute/cuda_kernels/edit_job.cuh"

namespace stk
{

constexpr int COPY_BYTES = 16, COPIES = 3; /* copies of a thread in flight */

__device__ __forceinline__ bool can_copy(const edit_work &a, const edit_job &j)
{
    return j.is_inside && a.width * a.channels % COPY_BYTES == 0;
}

/* 16 bytes of a mirrored row; the first is that of channel in its pixel. RGB needs six pixels,
 * starting with the one that becomes the last. */
template <int C>
__device__ __forceinline__ void load_mirrored(const uint8_t *from, int32_t channel,
                                              uint32_t (&word)[4])
{
    uint32_t m[5] = {};
    if constexpr (C == 3) {
        uint32_t w[5];
        load_bytes<C == 3 ? 18 : 16>(from, w);
        m[0] = __byte_perm(w[3], w[4], 0x0543);
        m[1] = __byte_perm(w[2], w[3], 0x2165);
        m[2] = __byte_perm(w[1], w[2], 0x4327);
        m[3] = __byte_perm(w[0], w[1], 0x0543);
        m[4] = __byte_perm(w[0], 0, 0x4421);
    } else {
        uint32_t w[4];
        load_bytes<C == 3 ? 18 : 16>(from, w);
#pragma unroll
        for (int i = 0; i < 4; i++)
            m[i] = __byte_perm(w[3 - i], 0, 0x0123);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        word[i] = __funnelshift_r(m[i], m[i + 1], 8 * (unsigned)channel);
}

/* COPY_BYTES of the window's row y from column on. */
template <int C, bool MIRRORED>
__device__ __forceinline__ pack<uint32_t, 4> load_copy(const edit_job &j, int32_t y, int32_t column)
{
    const uint8_t    *row = j.origin + y * j.down;
    pack<uint32_t, 4> word;
    if (MIRRORED)
        load_mirrored<C>(row - (column + COPY_BYTES - 1) / C * C, column % C, word.at);
    else
        load_bytes<COPY_BYTES>(row + column, word.at);
    return word;
}

template <int C, bool MIRRORED>
__device__ __forceinline__ void copy_some(const edit_work &a, const edit_job &j, int32_t begin,
                                          int32_t end, uint8_t *out)
{
    const int32_t across = a.width * a.channels / COPY_BYTES;
    for (int32_t i = begin + (int)threadIdx.x; i < end; i += COPIES * EDIT_THREADS) {
        pack<uint32_t, 4> word[COPIES];
#pragma unroll
        for (int k = 0; k < COPIES; k++) {
            const int32_t at = min(i + k * EDIT_THREADS, end - 1), y = at / across;
            word[k] = load_copy<C, MIRRORED>(j, y, (at - y * across) * COPY_BYTES);
        }
#pragma unroll
        for (int k = 0; k < COPIES; k++)
            if (i + k * EDIT_THREADS < end)
                ((pack<uint32_t, 4> *)out)[i + k * EDIT_THREADS] = word[k];
    }
}

/* One of a.parts of the image at out. */
__device__ __forceinline__ void copy_part(const edit_work &a, const edit_job &j, int32_t part,
                                          uint8_t *out)
{
    const int32_t all = a.width * a.channels / COPY_BYTES * a.height;
    const int32_t share = (all + a.parts - 1) / a.parts, begin = part * share;
    const int32_t end = min(begin + share, all);
    if (j.right > 0)
        copy_some<1, false>(a, j, begin, end, out);
    else if (a.channels == 3)
        copy_some<3, true>(a, j, begin, end, out);
    else
        copy_some<1, true>(a, j, begin, end, out);
}

} // namespace stk

#endif
