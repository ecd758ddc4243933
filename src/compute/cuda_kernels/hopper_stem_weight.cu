/* wgrad: a warp group computes 64 channels by all filter elements. dy is in registers, x in the
 * ring. */
#include "compute/cuda_kernels/hopper_stem.cuh"

namespace
{

using namespace stk;

constexpr int K = 7;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr int CHANNELS = STK_CUDA_STEM_CHANNELS, S = 2;
constexpr int UNITS = STK_CUDA_STEM_COLUMNS(K) / 2; /* of a filter row */
constexpr int EIGHTS = CHANNELS / 8, PITCH = EIGHTS + 1;

template <typename T> struct wide_gradient {
    const stem_args &a;
    const stem_plan &p;
    float            d[K][UNITS * 4];

    /* Loads dy of a step, with zeros after rows and below the image. */
    __device__ __forceinline__ void bring(const stem_position &at, unsigned char *to) const
    {
        constexpr int APART = STEM_THREADS / EIGHTS, PIXEL = CHANNELS * (int)sizeof(T);
        int           chunk = (int)threadIdx.x % EIGHTS, first = (int)threadIdx.x / EIGHTS;
        int           wide = p.tiles * STEM_TILE;
        int64_t       row = at.image * a.down.count + at.row;
        for (int r = 0; r < p.rows; r++) {
            const char *from = (const char *)a.dy + (row + r) * (a.across.count * PIXEL);
            int         end = at.row + r < a.down.count ? a.across.count : 0;
            for (int c = first; c < wide; c += APART)
                __pipeline_memcpy_async(to + ((r * wide + c) * PITCH + chunk) * STEM_UNIT,
                                        c < end ? from + c * PIXEL + chunk * STEM_UNIT
                                                : (const char *)a.dy,
                                        STEM_UNIT, c < end ? 0 : STEM_UNIT);
        }
    }

    __device__ __forceinline__ void add(const stem_position &now, uint32_t x, uint32_t dy)
    {
        int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
        int rows = min(p.rows, a.down.count - now.row);
        dy += ((lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2 + warp * 2) * STEM_UNIT;
        for (int row = 0; row < rows; row++)
            for (int tile = 0; tile < p.tiles; tile++) {
                uint32_t        channels[4];
                const stem_rows from = stem_rows_of<S>(p, now, row, tile, 0);
                load_squares<true>(dy, channels);
                dy += STEM_TILE * PITCH * STEM_UNIT;
                hopper::wgmma_fence();
#pragma unroll
                for (int y = 0; y < K; y++)
                    hopper::multiply(d[y], channels, hopper::describe_units(x + from(p, y), true),
                                     T());
                hopper::wgmma_commit_group();
                hopper::wgmma_wait<0>();
            }
    }

    /* In the layout of dw; padding channels get 0 whatever x holds there. */
    __device__ __forceinline__ void leave() const
    {
        int    lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
        int    height = a.down.kernel, width = a.across.kernel, each = height * width * STEM_PIXEL;
        int    channel = warp * 16 + lane / 4, in = lane % 2 * 2;
        bool   two = in + 1 < a.in_c, one = in < a.in_c;
        float *to = a.partials + ((int64_t)blockIdx.x * CHANNELS + channel) * each + in;
#pragma unroll
        for (int i = 0; i < UNITS * 2; i++) {
            int unit = i / 2, half = i % 2, column = unit * 2 + lane % 4 / 2 - p.lead;
            if (column < 0 || column >= width) continue;
#pragma unroll
            for (int y = 0; y < K; y++)
                if (y < height)
                    *(float2 *)(to + half * 8 * each + (y * width + column) * STEM_PIXEL) =
                        make_float2(one ? d[y][unit * 4 + 2 * half] : 0,
                                    two ? d[y][unit * 4 + 2 * half + 1] : 0);
        }
    }
};

#endif

template <typename T>
__global__ void __launch_bounds__(STEM_THREADS, STK_CUDA_STEM_RESIDENT(K))
    by_weight_wide(const __grid_constant__ stem_call call)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    STK_CUDA_DYNAMIC(unsigned char, ring);
    const stem_plan &p = call.p;
    unsigned char   *smem = ring + p.ring * p.pitch * STEM_UNIT;
    int              bytes = p.rows * p.tiles * STEM_TILE * PITCH * STEM_UNIT;
    int              brought = 0, used = 0; /* steps, modulo 2 */
    shared_at        x = shared_of(ring), dy = shared_of(smem);
    wide_gradient<T> s = {call.a, p, {}};
    auto             more = [&](const stem_position &at) {
        s.bring(at, smem + brought * bytes);
        brought ^= 1;
    };
    auto use = [&](const stem_position &now) {
        s.add(now, x, dy + used * bytes);
        used ^= 1;
    };
    wait_for_earlier();
    stem_stream<K, S, true>(
        call.a, p, ring, more, [] {}, use);
    s.leave();
#endif
}

template <typename T> cudaError_t start(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    auto           *kernel = by_weight_wide<T>;
    const stem_call call = {*a, *p};
    cudaError_t     code = allow_shared(kernel, p->shared);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_EARLY(kernel, p->blocks, STEM_THREADS, (size_t)p->shared, stream, call);
}

} // namespace

cudaError_t stk_cuda_stem_wide_weight_launch(const stk_cuda_conv_args *args,
                                             const stk_cuda_stem_plan *plan, cudaStream_t stream)
{
    return args->dtype == STK_DTYPE_F16 ? start<__half>(args, plan, stream)
                                        : start<__nv_bfloat16>(args, plan, stream);
}
