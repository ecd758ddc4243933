/* Forward: a warp group computes 64 channels of 112 results of a row. Weights stay in registers.
 * The accumulators hold a channel's results side by side and are transposed through shared
 * memory. */
#include "compute/cuda_kernels/hopper_moments.cuh"
#include "compute/cuda_kernels/hopper_stem.cuh"

namespace
{

using namespace stk;

constexpr int RESULTS = STK_CUDA_STEM_WIDE, CHANNELS = STK_CUDA_STEM_CHANNELS, K = 7;
constexpr int UNITS = CHANNELS / 8; /* of a result */
constexpr int PITCH = UNITS + 1; /* of units in shared memory; avoids bank conflicts among eight */

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr int S = 2, STEPS = K * 2;        /* of 16 filter elements */
constexpr int TILES = RESULTS / STEM_TILE; /* counted by stem_rows_of */

template <typename T, bool MOMENTS> struct wide_results {
    const stem_args &a;
    const stem_plan &p;
    float            bias[2];
    uint32_t         w[STEPS][4];
    hopper::moments  s;

    __device__ __forceinline__ void read()
    {
        constexpr int   WORDS = STEM_PIXEL / 2;
        int             column = (int)threadIdx.x % 4;
        int             height = a.down.kernel, width = a.across.kernel;
        const uint32_t *from = (const uint32_t *)a.w;
        unsigned        each = (unsigned)(height * width * WORDS);
#pragma unroll
        for (int i = 0; i < STEPS * 2; i++) {
            int      y = i / 4, half = i % 2, x = i / 2 % 2 * 4 + half * 2 + column / 2 - p.lead;
            bool     there = y < height && x >= 0 && x < width;
            unsigned at =
                (unsigned)hopper::moments::channel() * each + (y * width + x) * WORDS + column % 2;
            w[i / 2][half * 2] = there ? from[at] : 0;
            w[i / 2][half * 2 + 1] = there ? from[at + 8 * each] : 0;
        }
        for (int i = 0; i < 2; i++)
            bias[i] = a.bias ? a.bias[hopper::moments::channel() + 8 * i] : 0;
    }

    __device__ __forceinline__ void multiply_row(uint32_t x, const stem_rows &rows,
                                                 float (&d)[RESULTS / 2]) const
    {
        hopper::wgmma_fence();
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            hopper::multiply(
                d, w[i], hopper::describe_units(x + rows(p, i / 2) + i % 2 * 2 * STEM_UNIT, false),
                i > 0, T());
        hopper::wgmma_commit_group();
        hopper::wgmma_wait<0>();
    }

    __device__ __forceinline__ void finish(float (&d)[RESULTS / 2]) const
    {
        bool bounded = a.low > -INFINITY || a.high < INFINITY;
        if (!a.bias && !bounded) return;
#pragma unroll
        for (int i = 0; i < RESULTS / 2; i++) {
            float x = d[i] + bias[i / 2 % 2];
            x = x < a.low ? a.low : x;
            d[i] = x > a.high ? a.high : x;
        }
    }

    /* Writes to shared memory with a pixel's channels contiguous. */
    __device__ __forceinline__ void turn(const float (&d)[RESULTS / 2], uint32_t to) const
    {
        int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
        to += ((lane / 16 * 8 + lane % 8) * PITCH + warp * 2 + lane / 8 % 2) * STEM_UNIT;
#pragma unroll
        for (int i = 0; i < RESULTS / 2; i += 8) {
            pack<T, 2> two[4];
            uint32_t   blocks[4];
#pragma unroll
            for (int k = 0; k < 8; k++)
                from_float(d[i + k], two[k / 2].at[k % 2]);
            memcpy(blocks, two, sizeof blocks);
            hopper::store_blocks_turned(to + i * 2 * PITCH * STEM_UNIT, blocks);
        }
    }

    __device__ __forceinline__ void write(const unsigned char *smem, T *to) const
    {
        constexpr int APART = STEM_THREADS / UNITS, EACH = RESULTS / APART;
        int           chunk = (int)threadIdx.x % UNITS, first = (int)threadIdx.x / UNITS;
        uint4         units[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            units[i] = *(const uint4 *)(smem + ((first + i * APART) * PITCH + chunk) * STEM_UNIT);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            *(uint4 *)(to + (first + i * APART) * CHANNELS + chunk * 8) = units[i];
    }

    __device__ __forceinline__ void compute(const stem_position &now, uint32_t x,
                                            unsigned char *smem)
    {
        int rows = min(p.rows, a.down.count - now.row), across = p.tiles / TILES;
        for (int i = 0; i < rows * across; i++) {
            int     row = i / across, part = i - row * across;
            int64_t above = now.image * a.down.count + now.row + row;
            float   d[RESULTS / 2];
            multiply_row(x, stem_rows_of<S>(p, now, row, part * TILES, 0), d);
            finish(d);
            if (MOMENTS) s.add(d, RESULTS, [](int) { return true; });
            turn(d, shared_of(smem));
            __syncthreads();
            write(smem, (T *)a.out + (above * a.across.count + part * RESULTS) * CHANNELS);
            __syncthreads();
        }
    }
};

#endif

template <typename T, bool MOMENTS>
__global__ void __launch_bounds__(STEM_THREADS, STK_CUDA_STEM_RESIDENT(K))
    forward_wide(const __grid_constant__ stem_call call)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    STK_CUDA_DYNAMIC(unsigned char, ring);
    unsigned char           *smem = ring + call.p.ring * call.p.pitch * STEM_UNIT;
    wide_results<T, MOMENTS> y = {call.a, call.p, {}, {}, {}};
    shared_at                x = shared_of(ring);
    wait_for_earlier();
    stem_stream<K, S, true>(
        call.a, call.p, ring, [](const stem_position &) {}, [&] { y.read(); },
        [&](const stem_position &now) { y.compute(now, x, smem); });
    if (MOMENTS) y.s.leave(call.a.partials, (int)blockIdx.x);
#endif
}

template <typename T, bool MOMENTS>
cudaError_t begin(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    auto           *kernel = forward_wide<T, MOMENTS>;
    int             shared = p->shared + RESULTS * PITCH * STEM_UNIT;
    const stem_call call = {*a, *p};
    cudaError_t     code = allow_shared(kernel, shared);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_EARLY(kernel, p->blocks, STEM_THREADS, (size_t)shared, stream, call);
}

template <typename T> cudaError_t start(const stem_args *a, const stem_plan *p, cudaStream_t stream)
{
    return p->statistics ? begin<T, true>(a, p, stream) : begin<T, false>(a, p, stream);
}

} // namespace

bool stk_cuda_stem_wide_can(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                            bool by_weight)
{
    return plan->kernel == K && args->out_c == CHANNELS &&
           (by_weight || args->across.count % RESULTS == 0);
}

cudaError_t stk_cuda_stem_wide_launch(const stk_cuda_conv_args *args,
                                      const stk_cuda_stem_plan *plan, cudaStream_t stream)
{
    return args->dtype == STK_DTYPE_F16 ? start<__half>(args, plan, stream)
                                        : start<__nv_bfloat16>(args, plan, stream);
}
