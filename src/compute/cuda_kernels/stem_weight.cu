/* wgrad: channels by filter elements, summed over results, 16 of a row at a time. A warp has all
 * channels and one unit of every filter row, in registers to the end. If a row has fewer units than
 * there are warps, these divide the results and store a partial each. */
#include "compute/cuda_kernels/stem.cuh"

namespace
{

using namespace stk;

template <typename T, int K, int S, int SIXTEENS> struct gradient {
    static constexpr int UNITS = stem_shape<K, S>::UNITS, SHARES = STEM_WARPS / UNITS;
    static constexpr int PITCH = 2 * SIXTEENS + 1; /* units of a pixel of dy */

    const stem_args &a;
    const stem_plan &p;
    float            d[SIXTEENS][K][4];

    /* Loads dy of a step, with zeros after rows and below the image. */
    __device__ __forceinline__ void bring(const stem_position &at, unsigned char *to) const
    {
        constexpr int EIGHTS = 2 * SIXTEENS, APART = STEM_THREADS / EIGHTS;
        int           chunk = (int)threadIdx.x % EIGHTS, first = (int)threadIdx.x / EIGHTS;
        int           wide = p.tiles * STEM_TILE, pixel = a.out_c * (int)sizeof(T);
        int64_t       row = at.image * a.down.count + at.row;
        to += (first * PITCH + chunk) * STEM_UNIT;
        for (int r = 0; r < p.rows && chunk * 8 < a.out_c; r++, to += wide * PITCH * STEM_UNIT) {
            const char *from = (const char *)a.dy + (row + r) * (a.across.count * pixel);
            int         end = at.row + r < a.down.count ? a.across.count : 0;
            int         offset = first * pixel + chunk * STEM_UNIT;
            for (int c = first; c < wide; c += APART, offset += APART * pixel)
                __pipeline_memcpy_async(to + (c - first) * PITCH * STEM_UNIT,
                                        c < end ? from + offset : (const char *)a.dy, STEM_UNIT,
                                        c < end ? 0 : STEM_UNIT);
        }
    }

    /* x: address in the ring of this lane's pixel and unit; rows: of upper lanes one further down;
     * dy: of the tile's first pixel. */
    __device__ __forceinline__ void add_tile(shared_at x, const stem_rows &rows, shared_at dy)
    {
        int      lane = (int)threadIdx.x % WARP;
        uint32_t pairs[K / 2][4], last[2], channels[4];
#pragma unroll
        for (int y = 0; y < K / 2; y++)
            load_squares<true>(x + rows(p, 2 * y), pairs[y]);
        load_squares<true>(x + rows(p, K - 1), last);
        dy += ((lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2) * STEM_UNIT;
#pragma unroll
        for (int m = 0; m < SIXTEENS; m++) {
            load_squares<true>(dy + m * 2 * STEM_UNIT, channels);
#pragma unroll
            for (int y = 0; y < K - 1; y++)
                multiply(d[m][y], channels, pairs[y / 2][y % 2 * 2], pairs[y / 2][y % 2 * 2 + 1],
                         T());
            multiply(d[m][K - 1], channels, last[0], last[1], T());
        }
    }

    __device__ __forceinline__ void add(const stem_position &now, shared_at x, shared_at dy)
    {
        int warp = stem_warp(), lane = (int)threadIdx.x % WARP, row = 0;
        int rows = min(p.rows, a.down.count - now.row);
        x += (warp % UNITS * stem_shape<K, S>::APART + lane % 16) * STEM_UNIT;
        dy += warp / UNITS * STEM_TILE * PITCH * STEM_UNIT;
        for (int tile = warp / UNITS;; tile += SHARES) {
            for (; tile >= p.tiles; row++)
                tile -= p.tiles;
            if (row >= rows) return;
            add_tile(x, stem_rows_of<S>(p, now, row, tile, lane / 16), dy);
            dy += SHARES * STEM_TILE * PITCH * STEM_UNIT;
        }
    }

    /* In the layout of dw; padding channels get 0 whatever x holds there. */
    __device__ __forceinline__ void leave() const
    {
        int     warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
        int     height = a.down.kernel, width = a.across.kernel, each = height * width * STEM_PIXEL;
        int     column = warp % UNITS * 2 + lane % 4 / 2 - p.lead, in = lane % 2 * 2;
        int64_t part = (int64_t)blockIdx.x * SHARES + warp / UNITS;
        float  *to = a.partials + (part * a.out_c + lane / 4) * each + column * STEM_PIXEL + in;
        bool    two = in + 1 < a.in_c, one = in < a.in_c;
        if (column < 0 || column >= width) return;
#pragma unroll
        for (int i = 0; i < SIXTEENS * 2; i++) {
            int m = i / 2, half = i % 2;
            if (i * 8 >= a.out_c) break;
#pragma unroll
            for (int y = 0; y < K; y++)
                if (y < height)
                    *(float2 *)(to + i * 8 * each + y * width * STEM_PIXEL) =
                        make_float2(one ? d[m][y][2 * half] : 0, two ? d[m][y][2 * half + 1] : 0);
        }
    }
};

template <typename T, int K, int S, int SIXTEENS>
__global__ void __launch_bounds__(STEM_THREADS, STK_CUDA_STEM_RESIDENT(K))
    by_weight(const __grid_constant__ stem_call call)
{
    const stem_args &a = call.a;
    const stem_plan &p = call.p;
    using sums = gradient<T, K, S, SIXTEENS>;
    STK_CUDA_DYNAMIC(unsigned char, ring);
    unsigned char *smem = ring + p.ring * p.pitch * STEM_UNIT;
    int            bytes = p.rows * p.tiles * STEM_TILE * sums::PITCH * STEM_UNIT;
    int            brought = 0, used = 0; /* steps, modulo 2 */
    shared_at      x = shared_of(ring), dy = shared_of(smem);
    sums           s = {a, p, {}};
    auto           more = [&](const stem_position &at) {
        s.bring(at, smem + brought * bytes);
        brought ^= 1;
    };
    auto use = [&](const stem_position &now) {
        s.add(now, x, dy + used * bytes);
        used ^= 1;
    };
    wait_for_earlier();
    stem_stream<K, S>(
        a, p, ring, more, [] {}, use);
    s.leave();
}

template <typename T, int K, int S, int SIXTEENS>
cudaError_t begin(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    auto       *kernel = by_weight<T, K, S, SIXTEENS>;
    cudaError_t code = allow_shared(kernel, p->shared);
    if (code != cudaSuccess) return code;
    const stem_call call = {*a, *p};
    return STK_CUDA_LAUNCH_EARLY(kernel, p->blocks, STEM_THREADS, (size_t)p->shared, stream, call);
}

template <typename T, int S>
cudaError_t small(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    int sixteens = STK_CUDA_STEM_SIXTEENS(a->out_c);
    return sixteens == 4   ? begin<T, 3, S, 4>(a, p, stream)
           : sixteens == 2 ? begin<T, 3, S, 2>(a, p, stream)
                           : begin<T, 3, S, 1>(a, p, stream);
}

template <typename T> cudaError_t start(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    if (p->kernel == 7) return begin<T, 7, 2, 4>(a, p, stream);
    return a->across.stride == 2 ? small<T, 2>(a, p, stream) : small<T, 1>(a, p, stream);
}

} // namespace

cudaError_t stk_cuda_stem_weight_launch(const stk_cuda_conv_args *args,
                                        const stk_cuda_stem_plan *plan, cudaStream_t stream)
{
    return args->dtype == STK_DTYPE_F16 ? start<__half>(args, plan, stream)
                                        : start<__nv_bfloat16>(args, plan, stream);
}
