/* Forward: tiles of 16 results and some channels. A warp keeps the weights of its channels in
 * registers, so only x is read from shared memory. A lane has adjacent channels of a result and
 * stores them directly. */
#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/stem.cuh"

namespace
{

using namespace stk;

/* EIGHTS times 8 channels, ordered so that each lane has 2 EIGHTS adjacent ones. */
template <typename T, int K, int S, int EIGHTS> struct kernel_of {
    static constexpr int DEEP = stem_shape<K, S>::UNITS / 2, EACH = 2 * EIGHTS;

    uint32_t w[K][DEEP][EIGHTS][2];

    __device__ __forceinline__ void read(const stem_args &a, const stem_plan &p, int channel)
    {
        constexpr int   WORDS = STEM_PIXEL / 2;
        int             lane = (int)threadIdx.x % WARP, line = lane / 4, column = lane % 4;
        int             height = a.down.kernel, width = a.across.kernel;
        const uint32_t *from = (const uint32_t *)a.w;
        unsigned        each = (unsigned)(height * width * WORDS), c = line / 2 * EACH + line % 2;
#pragma unroll
        for (int i = 0; i < K * DEEP * 2; i++) {
            int      y = i / 2 / DEEP, d = i / 2 % DEEP, half = i % 2;
            int      x = d * 4 + half * 2 + column / 2 - p.lead;
            bool     there = y < height && x >= 0 && x < width;
            unsigned at = (channel + c) * each + (y * width + x) * WORDS + column % 2;
#pragma unroll
            for (int j = 0; j < EIGHTS; j++)
                w[y][d][j][half] = there ? from[at + j * 2 * each] : 0;
        }
    }

    /* x: address in the ring of this lane's pixel and unit. Pixels are loaded one mma ahead, since
     * too few warps share a scheduler to hide the latency. */
    __device__ __forceinline__ void multiply_tile(const stem_plan &p, shared_at x,
                                                  const stem_rows &rows,
                                                  float (&d)[EIGHTS][4]) const
    {
        constexpr int STEP = 2 * stem_shape<K, S>::APART * STEM_UNIT, STEPS = K * DEEP;
        uint32_t      pixels[2][4];
        load_squares<false>(x + rows(p, 0), pixels[0]);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            int next = i + 1;
            if (next < STEPS)
                load_squares<false>(x + rows(p, next / DEEP) + next % DEEP * STEP,
                                    pixels[next % 2]);
#pragma unroll
            for (int j = 0; j < EIGHTS; j++)
                multiply(d[j], pixels[i % 2], w[i / DEEP][i % DEEP][j][0],
                         w[i / DEEP][i % DEEP][j][1], T());
        }
    }
};

/* Mean and variance of a warp's results: sums of differences from its first result, which avoids
 * cancellation. */
template <int EIGHTS> struct moments {
    static constexpr int EACH = 2 * EIGHTS, CHANNELS = 8 * EIGHTS;

    float sum[EACH], squares[EACH];
    int   count; /* results written by the warp */

    /* Adds a value before it is rounded. */
    __device__ __forceinline__ void add(const float (&x)[EACH], const float *from)
    {
#pragma unroll
        for (int v = 0; v < EACH; v++) {
            float off = x[v] - from[v];
            sum[v] += off;
            squares[v] = fmaf(off, off, squares[v]);
        }
    }

    /* The block's partial: all sums are converted to the first warp's values. smem: [3][CHANNELS]
     * per warp, which begin with its first values. */
    __device__ __forceinline__ void leave(const stem_args &a, const stem_plan &p,
                                          float (*smem)[3][CHANNELS], int     *counts)
    {
        int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP, c = (int)threadIdx.x;
#pragma unroll
        for (int v = 0; v < EACH; v++) {
#pragma unroll
            for (int d = 4; d < WARP; d *= 2) {
                sum[v] += __shfl_xor_sync(0xffffffffu, sum[v], d);
                squares[v] += __shfl_xor_sync(0xffffffffu, squares[v], d);
            }
            if (lane >= 4) continue;
            smem[warp][1][lane * EACH + v] = sum[v];
            smem[warp][2][lane * EACH + v] = squares[v];
        }
        if (lane == 0) counts[warp] = count;
        __syncthreads();
        if (c >= a.out_c) return;
        int   group = c / CHANNELS, at = c % CHANNELS;
        float to = counts[group] ? smem[group][0][at] : 0, all[3] = {};
        for (int w = group; w < STEM_WARPS && counts[w]; w += p.groups) {
            float n = (float)counts[w], off = smem[w][0][at] - to, s = smem[w][1][at];
            all[0] += s + n * off;
            all[1] += smem[w][2][at] + off * (2 * s + n * off);
            all[2] += n;
        }
        float *part = a.partials + (int64_t)blockIdx.x * STK_CUDA_DW_VALUES * a.out_c + c;
        part[STK_CUDA_DW_FROM * a.out_c] = to;
        part[STK_CUDA_DW_SUM * a.out_c] = all[0];
        part[STK_CUDA_DW_SQUARES * a.out_c] = all[1];
        part[STK_CUDA_DW_COUNT * a.out_c] = all[2];
    }
};

template <typename T, int EACH>
__device__ __forceinline__ void write(const float (&from)[EACH], T *to)
{
    constexpr int AT_ONCE = EACH == 6 ? 2 : EACH; /* a power of two */
#pragma unroll
    for (int v = 0; v < EACH; v += AT_ONCE) {
        float some[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            some[i] = from[v + i];
        store_floats<T, AT_ONCE>(some, to + v);
    }
}

/* Clips; NaN stays NaN. */
__device__ __forceinline__ float between(float low, float x, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* A lane's results of all tiles. */
template <typename T, int K, int S, int EIGHTS, bool MOMENTS> struct results {
    using sums = moments<EIGHTS>;
    static constexpr int EACH = sums::EACH;

    const stem_args &a;
    const stem_plan &p;
    const float     *bias; /* EACH, in shared memory */
    float           *from; /* subtracted values */
    int              channel;
    bool             bounded, with_moments;
    sums             s;

    kernel_of<T, K, S, EIGHTS> w;

    __device__ __forceinline__ void bound(float (&d)[EIGHTS][4]) const
    {
#pragma unroll
        for (int i = 0; i < EIGHTS * 4; i++)
            d[i / 4][i % 4] = between(a.low, d[i / 4][i % 4], a.high);
    }

    __device__ __forceinline__ void begin_moments(const float (&y)[EACH])
    {
        for (int v = 0; v < EACH && (int)threadIdx.x % WARP < 4; v++)
            from[v] = y[v];
        __syncwarp();
    }

    /* row: of results; tile: index in the row. */
    __device__ __forceinline__ void compute_tile(shared_at x, const stem_rows &rows, T *row,
                                                 int tile)
    {
        int   column = tile * STEM_TILE + (int)threadIdx.x % WARP / 4;
        float d[EIGHTS][4];
#pragma unroll
        for (int i = 0; i < EIGHTS * 4; i++)
            d[i / 4][i % 4] = bias[i / 4 * 2 + i % 2];
        w.multiply_tile(p, x, rows, d);
        if (bounded) bound(d);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float y[EACH];
#pragma unroll
            for (int v = 0; v < EACH; v++)
                y[v] = d[v / 2][half * 2 + v % 2];
            if (with_moments && half == 0 && s.count == 0) begin_moments(y);
            if (column + 8 * half >= a.across.count) continue;
            write<T, EACH>(y, row + ((column + 8 * half) * a.out_c + channel));
            if (with_moments) s.add(y, from);
        }
        if (with_moments) s.count += min(STEM_TILE, a.across.count - tile * STEM_TILE);
    }

    __device__ __forceinline__ void compute(const stem_position &now, shared_at x)
    {
        int lane = (int)threadIdx.x % WARP, warp = stem_warp(), shares = STEM_WARPS / p.groups;
        int tile = warp / p.groups, row = 0, rows = min(p.rows, a.down.count - now.row);
        x += (lane % 16 + lane / 16 * stem_shape<K, S>::APART) * STEM_UNIT;
        for (;; tile += shares) {
            for (; tile >= p.tiles; row++)
                tile -= p.tiles;
            if (row >= rows) return;
            int64_t above = now.image * a.down.count + now.row + row;
            compute_tile(x, stem_rows_of<S>(p, now, row, tile, 0),
                         (T *)a.out + above * (a.across.count * a.out_c), tile);
        }
    }
};

template <typename T, int K, int S, int EIGHTS, bool MOMENTS>
__global__ void __launch_bounds__(STEM_THREADS, STK_CUDA_STEM_RESIDENT(K))
    forward(const __grid_constant__ stem_call call)
{
    const stem_args &a = call.a;
    const stem_plan &p = call.p;
    using sums = moments<EIGHTS>;
    STK_CUDA_DYNAMIC(unsigned char, ring);
    __shared__ float smem[STEM_WARPS][3][sums::CHANNELS], bias[STEM_WARPS][sums::CHANNELS];
    __shared__ int   counts[STEM_WARPS];
    int              lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    int              first = warp % p.groups * sums::CHANNELS, mine = lane % 4 * sums::EACH;
    bool             bounded = a.low > -INFINITY || a.high < INFINITY;
    wait_for_earlier();
    if (lane < sums::CHANNELS) bias[warp][lane] = a.bias ? a.bias[first + lane] : 0;
    __syncwarp();
    results<T, K, S, EIGHTS, MOMENTS> y = {a,
                                           p,
                                           bias[warp] + mine,
                                           smem[warp][0] + mine,
                                           first + mine,
                                           bounded,
                                           MOMENTS && (K == 7 || p.statistics),
                                           {},
                                           {}};
    shared_at                         x = shared_of(ring);
    stem_stream<K, S>(
        a, p, ring, [](const stem_position &) {}, [&] { y.w.read(a, p, first); },
        [&](const stem_position &now) { y.compute(now, x); });
    if (y.with_moments) y.s.leave(a, p, smem, counts);
}

template <typename T, int K, int S, int EIGHTS, bool MOMENTS>
cudaError_t begin(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    auto       *kernel = forward<T, K, S, EIGHTS, MOMENTS>;
    cudaError_t code = allow_shared(kernel, p->shared);
    if (code != cudaSuccess) return code;
    const stem_call call = {*a, *p};
    return STK_CUDA_LAUNCH_EARLY(kernel, p->blocks, STEM_THREADS, (size_t)p->shared, stream, call);
}

template <typename T, int S>
cudaError_t small(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    return p->eights == 4   ? begin<T, 3, S, 4, true>(a, p, stream)
           : p->eights == 3 ? begin<T, 3, S, 3, true>(a, p, stream)
                            : begin<T, 3, S, 2, true>(a, p, stream);
}

/* Statistics need registers, which large kernels lack. */
template <typename T> cudaError_t start(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    if (p->kernel == 7)
        return p->statistics ? begin<T, 7, 2, 4, true>(a, p, stream)
                             : begin<T, 7, 2, 4, false>(a, p, stream);
    return a->across.stride == 2 ? small<T, 2>(a, p, stream) : small<T, 1>(a, p, stream);
}

} // namespace

cudaError_t stk_cuda_stem_launch(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                                 cudaStream_t stream)
{
    return args->dtype == STK_DTYPE_F16 ? start<__half>(args, plan, stream)
                                        : start<__nv_bfloat16>(args, plan, stream);
}
