/* Maxima of a row of x are shared by both rows of windows that contain it. With a norm, the maximum
 * of x * scale + shift is at the largest x, or at the smallest if scale is negative. Only the
 * winner is scaled. */
#include "compute/cuda_kernels/channel_rows.cuh"
#include "compute/cuda_kernels/max_pool_3x3.cuh"

namespace
{

using stk::pool_plan;
using stk::pool_spot;
using stk::unit;
using stk::UNITS;

constexpr int THREADS = 128, BLOCKS = 5, K = stk::POOL_SIDE;

struct pool_args {
    stk_cuda_pool_args pool;
    pool_plan          plan;
    const float       *scale, *shift;
};

/* Three adjacent elements of a thread's channels. */
struct taps {
    uint32_t at[K][UNITS];
};

/* A maximum and its index. */
struct best {
    uint32_t value[UNITS], index[UNITS];
};

/* Reads of a thread: windows from column left on. */
template <typename T> struct column {
    const T *x; /* of row 0 */
    int      left, width, channels, height;
    unsigned inside; /* a bit per column */

    __device__ __forceinline__ bool has(int row, int kx) const
    {
        return row >= 0 && row < height && (inside >> kx & 1);
    }

    __device__ __forceinline__ void read(int row, bool wanted, const uint32_t (&lowest)[UNITS],
                                         taps &to) const
    {
#pragma unroll
        for (int kx = 0; kx < K; kx++)
            stk::load_units(x + row * width + kx * channels, wanted && has(row, kx), lowest,
                            to.at[kx]);
    }

    /* Fills missing elements with the lowest value, once that is known. */
    __device__ __forceinline__ void fill(int row, const uint32_t (&lowest)[UNITS], taps &to) const
    {
#pragma unroll
        for (int kx = 0; kx < K; kx++)
#pragma unroll
            for (int i = 0; i < UNITS; i++)
                if (!has(row, kx)) to.at[kx][i] = lowest[i];
    }
};

template <typename T>
__device__ __forceinline__ column<T> column_of(const stk_cuda_pool_args &a, const pool_spot &s)
{
    column<T> c;
    c.channels = (int)a.channels, c.width = a.across.size * c.channels, c.height = a.down.size;
    c.left = s.column * 2 - a.across.before;
    c.x =
        (const T *)a.src + s.n * c.height * c.width + c.left * c.channels + s.group * stk::WIDE<T>;
    c.inside = 0;
    for (int kx = 0; kx < K; kx++)
        if (c.left + kx >= 0 && c.left + kx < a.across.size) c.inside |= 1u << kx;
    return c;
}

__device__ __forceinline__ uint32_t choose(uint32_t mask, uint32_t yes, uint32_t no)
{
    return (mask & yes) | (~mask & no);
}

/* The first of equal elements wins. */
template <typename T, bool NORM>
__device__ __forceinline__ best best_of(taps &t, const uint32_t (&sign)[UNITS])
{
    using U = unit<T>;
    best b;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        if (NORM) {
#pragma unroll
            for (int kx = 0; kx < K; kx++)
                t.at[kx][i] = U::times(t.at[kx][i], sign[i]);
        }
        uint32_t most = U::larger(U::larger(t.at[0][i], t.at[1][i]), t.at[2][i]);
        uint32_t first = U::same(t.at[0][i], most), second = U::same(t.at[1][i], most);
        b.value[i] = most;
        b.index[i] = ~first & choose(second, U::ONES, 2 * U::ONES);
    }
    return b;
}

template <typename T> __device__ __forceinline__ best best_of(const best (&rows)[K])
{
    using U = unit<T>;
    best b;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        uint32_t most = U::larger(U::larger(rows[0].value[i], rows[1].value[i]), rows[2].value[i]);
        uint32_t first = U::same(rows[0].value[i], most), second = U::same(rows[1].value[i], most);
        b.value[i] = most;
        b.index[i] = choose(
            first, rows[0].index[i],
            choose(second, rows[1].index[i] + K * U::ONES, rows[2].index[i] + 2 * K * U::ONES));
    }
    return b;
}

/* Recomputes maxima of windows with non-finite elements, where padding resembles minus infinity.
 * Elementwise as the op's definition: the last NaN, or the first of the largest. */
template <typename T>
__device__ __noinline__ void find_places(const column<T> &c, int row, const uint32_t *sign, best &b)
{
    constexpr int N = stk::WIDE<T>;
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        T        by[N];
        unsigned shift = k % unit<T>::ELEMENTS * 16, index = 0;
        float    most = 0;
        bool     found = false;
        memcpy((void *)by, sign, sizeof by);
#pragma unroll 1
        for (int tap = 0; tap < K * K; tap++) {
            int y = row + tap / K;
            if (!c.has(y, tap % K)) continue;
            float here = stk::to_float(c.x[y * c.width + tap % K * c.channels + k]);
            here *= stk::to_float(by[k]);
            if (found && !(here > most) && here == here) continue;
            found = true, most = here, index = (unsigned)tap;
        }
        uint32_t &to = b.index[k / unit<T>::ELEMENTS];
        to = (to & ~((unit<T>::ELEMENTS == 2 ? 0xffffu : ~0u) << shift)) | index << shift;
    }
}

__device__ __forceinline__ void store_indices(const uint32_t (&index)[UNITS], uint8_t *to, __half)
{
    uint2 bytes = {__byte_perm(index[0], index[1], 0x6420),
                   __byte_perm(index[2], index[3], 0x6420)};
    *reinterpret_cast<uint2 *>(to) = bytes;
}
__device__ __forceinline__ void store_indices(const uint32_t (&index)[UNITS], uint8_t *to,
                                              __nv_bfloat16)
{
    store_indices(index, to, __half());
}
__device__ __forceinline__ void store_indices(const uint32_t (&index)[UNITS], uint8_t *to, float)
{
    *reinterpret_cast<uint32_t *>(to) = index[0] | index[1] << 8 | index[2] << 16 | index[3] << 24;
}

template <typename T> struct norm {
    float    scale[stk::WIDE<T>], shift[stk::WIDE<T>];
    uint32_t sign[UNITS], lowest[UNITS]; /* lowest * sign is minus infinity */

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < UNITS; i++)
            sign[i] = unit<T>::ONE, lowest[i] = unit<T>::LOWEST;
    }

    __device__ __forceinline__ void load(const pool_args &a, int channel)
    {
        T signs[stk::WIDE<T>];
        stk::load_values(a.scale, channel, scale);
        stk::load_values(a.shift, channel, shift);
#pragma unroll
        for (int k = 0; k < stk::WIDE<T>; k++) {
            stk::from_float(scale[k] < 0 ? -1.0f : 1.0f, signs[k]);
            scale[k] = fabsf(scale[k]);
        }
        memcpy(sign, (const void *)signs, sizeof sign);
#pragma unroll
        for (int i = 0; i < UNITS; i++)
            lowest[i] = unit<T>::times(unit<T>::LOWEST, sign[i]);
    }

    __device__ __forceinline__ void store(const best &b, T *to) const
    {
        stk::line<T, stk::WIDE<T>> line = {};
        float                      v[stk::WIDE<T>];
        line.words = {b.value[0], b.value[1], b.value[2], b.value[3]};
        stk::unpack(line, v);
#pragma unroll
        for (int k = 0; k < stk::WIDE<T>; k++) {
            v[k] = fmaf(v[k], scale[k], shift[k]);
            v[k] = v[k] > 0 ? v[k] : 0;
        }
        stk::store_line(v, to);
    }
};

template <typename T, bool NORM>
__device__ __forceinline__ void write(const pool_args &a, const column<T> &c, int row,
                                      const norm<T> &n, best &b, int64_t to)
{
    uint32_t odd = 0;
#pragma unroll
    for (int i = 0; i < UNITS; i++)
        odd |= unit<T>::not_finite(b.value[i]);
    if (odd) { /* copies, since objects whose address is taken are not in registers */
        column<T> at = c;
        uint32_t  sign[UNITS] = {n.sign[0], n.sign[1], n.sign[2], n.sign[3]};
        best      found = b;
        find_places(at, row, sign, found);
        b = found;
    }
    if (NORM)
        n.store(b, (T *)a.pool.dst + to);
    else
        *reinterpret_cast<uint4 *>((T *)a.pool.dst + to) = {b.value[0], b.value[1], b.value[2],
                                                            b.value[3]};
    if (a.pool.indices) store_indices(b.index, a.pool.indices + to, T());
}

/* A row of windows reads two rows of x; the third is the next row's first. */
template <typename T, bool NORM>
__global__ void __launch_bounds__(THREADS, BLOCKS) largest(const __grid_constant__ pool_args a)
{
    int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    stk::wait_for_earlier();
    if (item >= a.plan.items) return;
    pool_spot s = stk::pool_spot_of(a.plan, item);
    column<T> c = column_of<T>(a.pool, s);
    int       oy = s.segment * a.plan.rows, end = min(oy + a.plan.rows, a.pool.down.count);
    int       row = oy * 2 - a.pool.down.before, step = a.pool.across.count * c.channels;
    int64_t   to = (s.n * a.pool.down.count + oy) * step + s.column * c.channels;
    norm<T>   n;
    taps      raw[K];
    best      rows[K];
    n.begin();
#pragma unroll
    for (int i = 0; i < K; i++)
        c.read(row + i, true, n.lowest, raw[i]);
    if (NORM) {
        n.load(a, s.group * stk::WIDE<T>);
#pragma unroll
        for (int i = 0; i < K; i++)
            c.fill(row + i, n.lowest, raw[i]);
    }
    to += s.group * stk::WIDE<T>;
    rows[0] = best_of<T, NORM>(raw[0], n.sign);
    for (; oy < end; oy++, row += 2, to += step) {
        rows[1] = best_of<T, NORM>(raw[1], n.sign);
        rows[2] = best_of<T, NORM>(raw[2], n.sign);
#pragma unroll
        for (int i = 1; i < K; i++)
            c.read(row + i + 2, oy + 1 < end, n.lowest, raw[i]);
        best b = best_of<T>(rows);
        write<T, NORM>(a, c, row, n, b, to);
        rows[0] = rows[2];
    }
}

template <typename T> cudaError_t start(const pool_args *args, cudaStream_t stream)
{
    auto   *kernel = args->scale ? largest<T, true> : largest<T, false>;
    int64_t blocks = (args->plan.items + THREADS - 1) / THREADS;
    return STK_CUDA_LAUNCH_EARLY(kernel, (int)blocks, THREADS, 0, stream, *args);
}

cudaError_t begin(const stk_cuda_pool_args *pool, const float *scale, const float *shift,
                  cudaStream_t stream)
{
    pool_args args = {*pool, stk::pool_plan_of(pool, pool->across.count, pool->down.count, THREADS),
                      scale, shift};
    return STK_CUDA_FLOATS(pool->dtype, start, &args, stream);
}

} // namespace

/* Whether indices of an image with its margin fit 31 bits. */
int stk_cuda_max_pool_3x3_can(const stk_cuda_pool_args *args)
{
    constexpr int64_t AROUND = 8, THE_MOST = INT32_MAX;
    int64_t           pixels = (args->down.size + AROUND) * (args->across.size + AROUND);
    return args->down.kernel == K && args->across.kernel == K && args->down.stride == 2 &&
           args->across.stride == 2 &&
           args->channels % (args->dtype == STK_DTYPE_F32 ? 4 : 8) == 0 &&
           pixels <= THE_MOST / args->channels && args->batch <= THE_MOST * THREADS / pixels;
}

cudaError_t stk_cuda_max_pool_3x3_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    return begin(args, nullptr, nullptr, stream);
}

cudaError_t stk_cuda_bn_pool_launch(const stk_cuda_pool_args *args, const float *scale,
                                    const float *shift, cudaStream_t stream)
{
    if (args->batch == 0 || args->channels == 0) return cudaSuccess;
    return begin(args, scale, shift, stream);
}
