/* Gradient of max_pool with 3x3 windows and stride 2. A thread has two columns of dx and goes down
 * two rows at a time. Positions in dx count its padding, starting at an even one. The first column
 * is under the third tap of one window and the first of the next; the second column is under the
 * latter's second tap. The same holds for rows. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MAX_POOL_3X3_GRAD_CUH
#define STK_COMPUTE_CUDA_KERNELS_MAX_POOL_3X3_GRAD_CUH

#include "compute/cuda_kernels/channel_rows.cuh"
#include "compute/cuda_kernels/max_pool_3x3.cuh"

namespace stk
{

/* One byte per channel of a thread. */
__device__ __forceinline__ void load_places(const uint8_t *from, bool there, uint32_t fill,
                                            uint32_t (&to)[2])
{
#ifdef __CUDACC__
    asm volatile("{.reg .pred p;\n"
                 "setp.ne.s32 p, %3, 0;\n"
                 "mov.u32 %0, %4; mov.u32 %1, %4;\n"
                 "@p ld.global.v2.u32 {%0, %1}, [%2];}"
                 : "=&r"(to[0]), "=&r"(to[1])
                 : "l"(from), "r"((int)there), "r"(fill));
#else
    to[0] = to[1] = fill;
    if (there) memcpy(to, from, sizeof to);
#endif
}
__device__ __forceinline__ void load_places(const uint8_t *from, bool there, uint32_t fill,
                                            uint32_t (&to)[1])
{
    to[0] = there ? *reinterpret_cast<const uint32_t *>(from) : fill;
}

/* The indices of a unit's elements, the first of which is byte `first`. */
template <typename T> __device__ __forceinline__ uint32_t place_unit(uint32_t bytes, int first, T)
{
    return __byte_perm(bytes, 0, first == 0 ? 0x4140 : 0x4342);
}
__device__ __forceinline__ uint32_t place_unit(uint32_t bytes, int first, float)
{
    return bytes >> 8 * first & 0xff;
}

template <typename T>
__device__ __forceinline__ void add_unit(uint32_t word, bool first, float *to, T)
{
    float2 two = floats_of(word, T());
    to[0] = first ? two.x : to[0] + two.x;
    to[1] = first ? two.y : to[1] + two.y;
}
__device__ __forceinline__ void add_unit(uint32_t word, bool first, float *to, float)
{
    to[0] = first ? __uint_as_float(word) : to[0] + __uint_as_float(word);
}

/* The two windows of a row over the thread's columns. */
template <typename T> struct window_pair {
    uint32_t dy[2][UNITS], index[2][WIDE<T> / 4];

    /* Makes the compiler unpack again: keeping unpacked values would double the registers. */
    __device__ __forceinline__ void forget()
    {
#ifdef __CUDACC__
#pragma unroll
        for (int j = 0; j < 2; j++) {
#pragma unroll
            for (int i = 0; i < UNITS; i++)
                asm volatile("" : "+r"(dy[j][i]));
#pragma unroll
            for (int i = 0; i < WIDE<T> / 4; i++)
                asm volatile("" : "+r"(index[j][i]));
        }
#endif
    }

    /* Adds the gradient of unit i of window j if its maximum was at tap; assigns if first. */
    __device__ __forceinline__ void add(int j, int i, unsigned tap, bool first, float *to) const
    {
        using U = unit<T>;
        uint32_t at = place_unit(index[j][i * U::ELEMENTS / 4], i * U::ELEMENTS % 4, T());
        uint32_t here = dy[j][i] & U::same_small(at, tap * U::ONES);
        add_unit(here, first, to, T());
    }
};

/* Position of a thread. */
template <typename T> struct pool_grad_iter {
    const T       *dy; /* of the image, at the thread's channels */
    const uint8_t *indices;
    int            oy, ox;         /* the second window over the first position */
    int            row, left, end; /* of dx */
    int            channels;
    int64_t        dx; /* offset of the image in x and dx, at the thread's channels */

    __device__ __forceinline__ void begin(const stk_cuda_pool_args &a, const pool_plan &p,
                                          const pool_spot &s)
    {
        int64_t image = s.n * a.down.count * a.across.count * a.channels + s.group * WIDE<T>;
        channels = (int)a.channels;
        oy = s.segment * p.rows + a.down.before / 2, ox = s.column + a.across.before / 2;
        row = oy * 2 - a.down.before, left = ox * 2 - a.across.before;
        end = min(row + 2 * p.rows, a.down.size);
        dy = (const T *)a.src + image;
        indices = a.from + image;
        dx = s.n * a.down.size * a.across.size * channels + s.group * WIDE<T>;
    }

    __device__ __forceinline__ void read(const stk_cuda_pool_args &a, int y, bool wanted,
                                         window_pair<T> &to) const
    {
        constexpr uint32_t NOTHING[UNITS] = {}, NOWHERE = 0x09090909u;
        wanted = wanted && y >= 0 && y < a.down.count;
#pragma unroll
        for (int j = 0; j < 2; j++) {
            int  x = ox - 1 + j, at = (y * a.across.count + x) * channels;
            bool there = wanted && x >= 0 && x < a.across.count;
            load_units(dy + at, there, NOTHING, to.dy[j]);
            load_places(indices + at, there, NOWHERE, to.index[j]);
        }
    }

    /* Whether a position is inside the image and the thread's range. */
    __device__ __forceinline__ bool has(const stk_cuda_pool_args &a, int i, int j) const
    {
        int y = row + i, x = left + j;
        return y >= 0 && y < end && x >= 0 && x < a.across.size;
    }

    __device__ __forceinline__ int64_t at(const stk_cuda_pool_args &a, int i, int j) const
    {
        return dx + (int64_t)(((row + i) * a.across.size + left + j) * channels);
    }
};

/* dx at column J of row I of two, from windows `above` and `now`. */
template <int I, int J, typename T>
__device__ __forceinline__ void pool_grad_at(const window_pair<T> &above, const window_pair<T> &now,
                                             float (&to)[WIDE<T>])
{
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        float *dx = &to[i * unit<T>::ELEMENTS];
        if (I == 0 && J == 0) above.add(0, i, 8, true, dx), above.add(1, i, 6, false, dx);
        if (I == 0 && J == 1) above.add(1, i, 7, true, dx);
        if (J == 0) now.add(0, i, I == 0 ? 2 : 5, I == 1, dx);
        now.add(1, i, 3 * I + J, I == 1 && J == 1, dx);
    }
}

/* Goes down the rows. work.place<I, J>(w, dz) receives dz of column J of row I of the two from
 * w.row on. Buffers are reused as soon as possible, since registers limit the loads in flight. */
template <typename T, typename WORK>
__device__ __forceinline__ void pool_grad_down(const stk_cuda_pool_args &a, pool_grad_iter<T> &w,
                                               WORK &work)
{
    window_pair<T> above, now;
    float          dz[WIDE<T>];
    w.read(a, w.oy - 1, true, above);
    w.read(a, w.oy, true, now);
    for (; w.row < w.end; w.row += 2, w.oy++) {
        pool_grad_at<0, 0>(above, now, dz);
        work.template index<0, 0>(w, dz);
        above.forget(), now.forget();
        pool_grad_at<0, 1>(above, now, dz);
        w.read(a, w.oy + 1, w.row + 2 < w.end, above);
        work.template index<0, 1>(w, dz);
        now.forget();
        pool_grad_at<1, 0>(now, now, dz);
        work.template index<1, 0>(w, dz);
        now.forget();
        pool_grad_at<1, 1>(now, now, dz);
        work.template index<1, 1>(w, dz);
        now.forget();
        window_pair<T> next = above;
        above = now, now = next;
    }
}

inline int pool_grad_side(const stk_cuda_window &w)
{
    return (w.size + w.before % 2 + 1) / 2;
}

} // namespace stk

#endif
