/* Forward and dgrad, which is forward with rotated filters and exchanged channels. A warp group
 * computes a stripe with all channels: weights are the A operand, and the instruction's columns are
 * pixels. Two groups alternate on the tensor cores, so that one rounds while the other multiplies.
 * A separate warp loads stripes and stores results, which reuse the stripe's buffer. */
#include "compute/cuda_kernels/hopper_conv3.cuh"
#include "compute/cuda_kernels/hopper_moments.cuh"
#include "compute/cuda_kernels/hopper_wide.cuh"

namespace
{

using namespace conv3;

constexpr int GROUPS = 2, THREADS = (GROUPS + 1) * GROUP;
constexpr int SLAB = CHANNELS * LINE, WEIGHTS = TAPS * SLAB;
constexpr int BUFFERS_MOST = 8;

/* A tap reads up to two pixels past the stripe, for results that are discarded. */
template <int WIDTH> struct smem : stripe<WIDTH> {
    using stripe<WIDTH>::PIXELS;
    static constexpr int STRIPE = whole_pieces((PIXELS + 2) * LINE);
    static constexpr int FIT = (SHARED - PIECE - WEIGHTS - BARRIERS) / STRIPE;
    static constexpr int BUFFERS = FIT < BUFFERS_MOST ? FIT : BUFFERS_MOST;
    static constexpr int BYTES = PIECE + WEIGHTS + BUFFERS * STRIPE + BARRIERS;
    static_assert(BUFFERS > GROUPS, "one is filled while others are computed");
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr int FEW = 40,
              MANY = 232; /* registers per thread: of the copying warp, of the multiplying groups */

template <int WIDTH> struct memory {
    using R = smem<WIDTH>;
    unsigned char *w, *stripes;
    uint64_t      *w_full, *turn; /* turn: allows a group to start a stripe */
    uint64_t      *full, *done;   /* done: results are in the stripe's buffer */

    __device__ __forceinline__ explicit memory(unsigned char *dynamic)
        : w(whole_piece(dynamic)), stripes(w + WEIGHTS),
          w_full((uint64_t *)(stripes + R::BUFFERS * R::STRIPE)), turn(w_full + 1),
          full(turn + GROUPS), done(full + R::BUFFERS)
    {
    }

    __device__ __forceinline__ unsigned char *buffer(int i) const
    {
        return stripes + i % R::BUFFERS * R::STRIPE;
    }

    static __device__ __forceinline__ uint32_t parity(int i)
    {
        return i / R::BUFFERS & 1;
    }
};

/* Loads w and stripes, stores results. */
template <int WIDTH> struct carrier {
    using R = smem<WIDTH>;
    const args          &a;
    const memory<WIDTH> &m;
    const CUtensorMap   *x, *w, *y;
    share                s;

    __device__ __forceinline__ void bring(int i) const
    {
        int each = a.height / ROWS, image = (s.first + i) / each;
        int row = (s.first + i - image * each) * ROWS;
        hopper::barrier_expect(&m.full[i % R::BUFFERS], R::PIXELS * LINE);
        load_box(m.buffer(i), x, &m.full[i % R::BUFFERS], -1, row - 1, image);
    }

    __device__ __forceinline__ void fetch(int i) const
    {
        int each = a.height / ROWS, image = (s.first + i) / each;
        hopper::barrier_wait(&m.done[i % R::BUFFERS], m.parity(i));
        store_box(y, m.buffer(i), (s.first + i - image * each) * ROWS, image);
        hopper::stores_end_group();
        hopper::stores_wait_read();
    }

    __device__ __forceinline__ void run() const
    {
        hopper::barrier_expect(m.w_full, WEIGHTS);
        for (int t = 0; t < TAPS; t++)
            hopper::load_tile(m.w + t * SLAB, w, m.w_full, t * CHANNELS, 0);
        for (int i = 0; i < R::BUFFERS && i < s.count; i++)
            bring(i);
        for (int i = 0; i < s.count; i++) {
            fetch(i);
            if (i + R::BUFFERS < s.count) bring(i + R::BUFFERS);
        }
    }
};

/* One tap. */
template <int WIDTH, typename T, bool BACK>
__device__ __forceinline__ void multiply_tap(const memory<WIDTH> &m, const unsigned char *from,
                                             int t, float (&d)[stripe<WIDTH>::RESULTS / 2])
{
    const unsigned char *slab = m.w + (BACK ? TAPS - 1 - t : t) * SLAB;
    uint64_t weights = BACK ? hopper::describe_across(slab, SLAB) : hopper::describe(slab);
    uint64_t pixels = hopper::describe(from + (t / 3 * stripe<WIDTH>::PITCH + t % 3) * LINE);
#pragma unroll
    for (int k = 0; k < CHANNELS / STEP; k++)
        hopper::multiply<BACK, 0>(d, weights + k * ((BACK ? STEP * LINE : STEP * 2) >> 4),
                                  pixels + k * (STEP * 2 >> 4), t || k, T());
}

/* Groups alternate, or both would have results to round and nothing to multiply. The next one
 * starts when all but the last tap are done, which keeps the tensor cores busy. */
template <int WIDTH, typename T, bool BACK>
__device__ __forceinline__ void multiply_stripe(const memory<WIDTH> &m, int i,
                                                float (&d)[stripe<WIDTH>::RESULTS / 2])
{
    const unsigned char *from = m.buffer(i);
    if (i) hopper::barrier_wait(&m.turn[i % GROUPS], (i - 1) / GROUPS & 1);
    hopper::wgmma_fence();
#pragma unroll
    for (int t = 0; t < TAPS - 1; t++)
        multiply_tap<WIDTH, T, BACK>(m, from, t, d);
    hopper::wgmma_commit_group();
    multiply_tap<WIDTH, T, BACK>(m, from, TAPS - 1, d);
    hopper::wgmma_commit_group();
    hopper::wgmma_wait<1>();
    if (threadIdx.x % stk::WARP == 0) hopper::barrier_arrive(&m.turn[(i + 1) % GROUPS]);
    hopper::wgmma_wait<0>();
}

/* Position of result n among valid ones; invalid ones come after them. */
template <int WIDTH> __device__ __forceinline__ int place_of(int n)
{
    constexpr int PITCH = stripe<WIDTH>::PITCH;
    int           row = n / PITCH, column = n - row * PITCH;
    return row < ROWS && column < WIDTH ? row * WIDTH + column : ROWS * WIDTH + n % 8;
}

/* Stores a pixel's channels contiguously, as TMA needs them. */
template <int WIDTH, typename T>
__device__ __forceinline__ void put(const float (&d)[stripe<WIDTH>::RESULTS / 2], uint32_t to)
{
    constexpr int VALUES = stripe<WIDTH>::RESULTS / 2;
    int           thread = (int)threadIdx.x % GROUP, lane = thread % stk::WARP;
    int           piece = thread / stk::WARP * 2 + lane / 8 % 2;
#pragma unroll
    for (int i = 0; i < VALUES; i += 8) {
        int             pixel = place_of<WIDTH>(i * 2 + lane / 16 * 8 + lane % 8);
        stk::pack<T, 2> two[4];
        uint32_t        blocks[4];
#pragma unroll
        for (int k = 0; k < 8; k++)
            stk::from_float(i + k < VALUES ? d[i + k] : 0, two[k / 2].at[k % 2]);
        memcpy(blocks, two, sizeof blocks);
        hopper::store_blocks_turned(to + pixel * LINE + (piece ^ (pixel & 7)) * 16, blocks);
    }
}

template <int WIDTH, typename T, bool BACK, bool MOMENTS>
__device__ __forceinline__ void compute(const args &a, const memory<WIDTH> &m, int group, int count)
{
    using R = smem<WIDTH>;
    hopper::moments s = {};
    int             pair = (int)threadIdx.x % 4 * 2;
    hopper::barrier_wait(m.w_full, 0);
    for (int i = group; i < count; i += GROUPS) {
        float d[R::RESULTS / 2];
        hopper::barrier_wait(&m.full[i % R::BUFFERS], m.parity(i));
        multiply_stripe<WIDTH, T, BACK>(m, i, d);
        hopper::named_barrier(1 + group, GROUP); /* all threads are done with the stripe */
        put<WIDTH, T>(d, hopper::shared_address(m.buffer(i)));
        hopper::fence_shared();
        hopper::barrier_arrive(&m.done[i % R::BUFFERS]);
        if (MOMENTS)
            s.add(d, ROWS * WIDTH, [&](int k) { return (k / 4 * 8 + pair) % R::PITCH < WIDTH; });
    }
    if (MOMENTS) s.leave(a.partials, (int)blockIdx.x * GROUPS + group);
}

#endif

template <int WIDTH, typename T, bool BACK, bool MOMENTS>
__global__ void __launch_bounds__(THREADS, 1)
    convolve(const __grid_constant__ args a, const __grid_constant__ CUtensorMap x,
             const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap y)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char dynamic[];
    const memory<WIDTH>             m(dynamic);
    const share                     s = share_of(a);
    int                             group = (int)threadIdx.x / GROUP;
    if (threadIdx.x == 0) {
        hopper::barrier_init(m.w_full, 1);
        for (int g = 0; g < GROUPS; g++)
            hopper::barrier_init(&m.turn[g], GROUP / stk::WARP);
        for (int i = 0; i < smem<WIDTH>::BUFFERS; i++) {
            hopper::barrier_init(&m.full[i], 1);
            hopper::barrier_init(&m.done[i], GROUP);
        }
        hopper::fence_shared();
    }
    stk::wait_for_earlier();
    __syncthreads();
    if (group == GROUPS) {
        hopper::give_registers<FEW>();
        if (threadIdx.x == GROUPS * GROUP) carrier<WIDTH>{a, m, &x, &w, &y, s}.run();
        return;
    }
    hopper::take_registers<MANY>();
    compute<WIDTH, T, BACK, MOMENTS>(a, m, group, s.count);
#endif
}

template <int WIDTH, typename T, bool BACK, bool MOMENTS>
cudaError_t start(const args *a, cudaStream_t stream)
{
    using R = smem<WIDTH>;
    auto       *kernel = convolve<WIDTH, T, BACK, MOMENTS>;
    CUtensorMap x, w, y;
    cudaError_t code = encode(a, a->x, R::PITCH, ROWS + 2, &x);
    if (code == cudaSuccess)
        code = hopper::encode<2>(a->dtype, a->w, {TAPS * CHANNELS, CHANNELS}, {CHANNELS, CHANNELS},
                                 &w);
    if (code == cudaSuccess) code = encode(a, a->y, WIDTH, ROWS, &y);
    if (code == cudaSuccess) code = stk::allow_shared(kernel, R::BYTES);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks_of(*a), THREADS, R::BYTES, stream, *a, x, w, y);
}

template <int WIDTH, typename T> cudaError_t start_as(const args *a, bool back, cudaStream_t stream)
{
    return back          ? start<WIDTH, T, true, false>(a, stream)
           : a->partials ? start<WIDTH, T, false, true>(a, stream)
                         : start<WIDTH, T, false, false>(a, stream);
}

template <int WIDTH> cudaError_t start_of(const args *a, bool back, cudaStream_t stream)
{
    return a->dtype == STK_DTYPE_F16 ? start_as<WIDTH, __half>(a, back, stream)
                                     : start_as<WIDTH, __nv_bfloat16>(a, back, stream);
}

cudaError_t start_any(const args *a, bool back, cudaStream_t stream)
{
    return a->width == 56 ? start_of<56>(a, back, stream) : start_of<32>(a, back, stream);
}

} // namespace

bool stk_cuda_conv3_can(int64_t batch, int64_t height, int64_t width)
{
    return (width == 56 || width == 32) && height >= ROWS && height % ROWS == 0 && batch >= 1 &&
           batch <= INT32_MAX / height;
}

int stk_cuda_conv3_stats_partials(const stk_cuda_conv3_args *args)
{
    return blocks_of(*args) * GROUPS;
}

cudaError_t stk_cuda_conv3_launch(const stk_cuda_conv3_args *args, cudaStream_t stream)
{
    return start_any(args, false, stream);
}

cudaError_t stk_cuda_conv3_input_launch(const stk_cuda_conv3_args *args, cudaStream_t stream)
{
    return start_any(args, true, stream);
}
