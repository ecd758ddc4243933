/* wgrad: a warp group owns a filter row and keeps its 64 x 192 sums in registers across all
 * stripes. Sums run over a stripe's results; invalid ones have zero gradients, which TMA fills in
 * beside the image. Three taps form one instruction's columns, each one pixel further. */
#include "compute/cuda_kernels/hopper_conv3.cuh"
#include "compute/cuda_kernels/hopper_wide.cuh"

namespace
{

using namespace conv3;

constexpr int GROUPS = 3, THREADS = (GROUPS + 1) * GROUP;

/* Sums need complete steps: the pixels after a stripe's results are zeros and stay so. */
template <int WIDTH> struct smem : stripe<WIDTH> {
    using stripe<WIDTH>::RESULTS;
    using stripe<WIDTH>::PITCH;
    static constexpr int SUMMED = (RESULTS + STEP - 1) / STEP * STEP;
    static constexpr int DY = whole_pieces(SUMMED * LINE);
    static constexpr int X = whole_pieces((2 * PITCH + 2 + SUMMED) * LINE);
    static constexpr int BUFFER = X + DY;
    static constexpr int FIT = (SHARED - PIECE - BARRIERS) / BUFFER;
    static constexpr int BUFFERS = FIT < 4 ? FIT : 4;
    static constexpr int BYTES = PIECE + BUFFERS * BUFFER + BARRIERS;
    static_assert(BUFFERS > 1, "one is filled while another is multiplied");
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr int WARPS = GROUP / stk::WARP, COLUMNS = 3 * CHANNELS; /* of a group */
constexpr int FEW = 24,
              MANY = 160; /* registers per thread: of the copying warp, of the multiplying groups */

template <int WIDTH> struct memory {
    using R = smem<WIDTH>;
    unsigned char *x; /* then dy, for each buffer */
    uint64_t      *full, *empty;

    __device__ __forceinline__ explicit memory(unsigned char *dynamic)
        : x(whole_piece(dynamic)), full((uint64_t *)(x + R::BUFFERS * R::BUFFER)),
          empty(full + R::BUFFERS)
    {
    }

    __device__ __forceinline__ unsigned char *x_of(int i) const
    {
        return x + i % R::BUFFERS * R::BUFFER;
    }

    __device__ __forceinline__ unsigned char *dy_of(int i) const
    {
        return x_of(i) + R::X;
    }

    static __device__ __forceinline__ uint32_t parity(int i)
    {
        return i / R::BUFFERS & 1;
    }
};

__device__ __forceinline__ void clear(unsigned char *from, unsigned char *to)
{
    for (uint4 *at = (uint4 *)from + threadIdx.x; at < (uint4 *)to; at += THREADS)
        *at = make_uint4(0, 0, 0, 0);
}

template <int WIDTH> __device__ __forceinline__ void set_up(const memory<WIDTH> &m)
{
    using R = smem<WIDTH>;
    for (int i = 0; i < R::BUFFERS; i++) {
        clear(m.x_of(i) + R::PIXELS * LINE, m.x_of(i) + R::X);
        clear(m.dy_of(i) + R::RESULTS * LINE, m.dy_of(i) + R::DY);
        if (threadIdx.x == 0) {
            hopper::barrier_init(&m.full[i], 1);
            hopper::barrier_init(&m.empty[i], GROUPS * WARPS);
        }
    }
    hopper::fence_shared();
}

template <int WIDTH>
__device__ __forceinline__ void bring(const args &a, const memory<WIDTH> &m, const CUtensorMap *x,
                                      const CUtensorMap *dy, const share &s)
{
    using R = smem<WIDTH>;
    int each = a.height / ROWS;
    for (int i = 0; i < s.count; i++) {
        int       image = (s.first + i) / each, row = (s.first + i - image * each) * ROWS;
        uint64_t *full = &m.full[i % R::BUFFERS];
        if (i >= R::BUFFERS)
            hopper::barrier_wait(&m.empty[i % R::BUFFERS], m.parity(i - R::BUFFERS));
        hopper::barrier_expect(full, (R::PIXELS + R::RESULTS) * LINE);
        load_box(m.x_of(i), x, full, -1, row - 1, image);
        load_box(m.dy_of(i), dy, full, 0, row, image);
    }
}

template <int WIDTH, typename T>
__device__ __forceinline__ void multiply(const memory<WIDTH> &m, int group, int count,
                                         float (&d)[COLUMNS / 2])
{
    using R = smem<WIDTH>;
    bool first = threadIdx.x % stk::WARP == 0;
    for (int i = 0; i < count; i++) {
        hopper::barrier_wait(&m.full[i % R::BUFFERS], m.parity(i));
        uint64_t dy = hopper::describe_across(m.dy_of(i), LINE);
        uint64_t x = hopper::describe_across(m.x_of(i) + group * R::PITCH * LINE, LINE);
        hopper::wgmma_fence();
#pragma unroll
        for (int k = 0; k < R::SUMMED; k += STEP)
            hopper::multiply<1, 1>(d, dy + (k * LINE >> 4), x + (k * LINE >> 4), i || k, T());
        hopper::wgmma_commit_group();
        hopper::wgmma_wait<1>();
        if (first && i) hopper::barrier_arrive(&m.empty[(i - 1) % R::BUFFERS]);
    }
    hopper::wgmma_wait<0>();
}

/* In the layout of w: a filter row per channel. */
__device__ __forceinline__ void leave(float *part, int group, const float (&d)[COLUMNS / 2])
{
    int    thread = (int)threadIdx.x % GROUP, lane = thread % stk::WARP;
    float *to = part + (thread / stk::WARP * 16 + lane / 4) * TAPS * CHANNELS + group * COLUMNS +
                lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            __stcg((float2 *)(to + h * 8 * TAPS * CHANNELS + j * 8),
                   make_float2(d[j * 4 + h * 2], d[j * 4 + h * 2 + 1]));
}

#endif

template <int WIDTH, typename T>
__global__ void __launch_bounds__(THREADS, 1)
    by_weight(const __grid_constant__ args a, const __grid_constant__ CUtensorMap x,
              const __grid_constant__ CUtensorMap dy)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char dynamic[];
    const memory<WIDTH>             m(dynamic);
    const share                     s = share_of(a);
    int                             group = (int)threadIdx.x / GROUP;
    set_up(m);
    stk::wait_for_earlier();
    __syncthreads();
    if (group == GROUPS) {
        hopper::give_registers<FEW>();
        if (threadIdx.x == GROUPS * GROUP) bring<WIDTH>(a, m, &x, &dy, s);
        return;
    }
    hopper::take_registers<MANY>();
    float d[COLUMNS / 2];
    multiply<WIDTH, T>(m, group, s.count, d);
    leave(a.partials + (int64_t)blockIdx.x * TAPS * CHANNELS * CHANNELS, group, d);
#endif
}

template <int WIDTH, typename T> cudaError_t start(const args *a, cudaStream_t stream)
{
    using R = smem<WIDTH>;
    auto       *kernel = by_weight<WIDTH, T>;
    CUtensorMap x, dy;
    cudaError_t code = encode(a, a->x, R::PITCH, ROWS + 2, &x);
    if (code == cudaSuccess) code = encode(a, a->dy, R::PITCH, ROWS, &dy);
    if (code == cudaSuccess) code = stk::allow_shared(kernel, R::BYTES);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks_of(*a), THREADS, R::BYTES, stream, *a, x, dy);
}

template <int WIDTH> cudaError_t start_of(const args *a, cudaStream_t stream)
{
    return a->dtype == STK_DTYPE_F16 ? start<WIDTH, __half>(a, stream)
                                     : start<WIDTH, __nv_bfloat16>(a, stream);
}

} // namespace

int stk_cuda_conv3_weight_partials(const stk_cuda_conv3_args *args)
{
    return blocks_of(*args);
}

cudaError_t stk_cuda_conv3_weight_launch(const stk_cuda_conv3_args *args, cudaStream_t stream)
{
    return args->width == 56 ? start_of<56>(args, stream) : start_of<32>(args, stream);
}
