/* Each thread has two accesses of four elements in flight for every tensor. One thread per block
 * computes the coefficients in double, as compute/ops/update.h. lars and lamb need three launches:
 * sums of squares per chunk, trust ratios per tensor, the update. */
#include "compute/cuda_kernels/chunks.cuh"
#include "compute/cuda_kernels/guard.h"
#include "compute/cuda_kernels/update.h"

namespace
{

constexpr int THREADS = 256, N = 4, AHEAD = 2;

enum stage { SGD, ADAMW, EMA, LOOKAHEAD, ACCUMULATE, LARS_NORMS, LAMB_MOMENTS, LAMB_STEP };

constexpr bool has_m(stage s)
{
    return s == SGD || s == ADAMW || s == LAMB_MOMENTS || s == LAMB_STEP;
}

constexpr bool has_v(stage s)
{
    return s == ADAMW || s == LAMB_MOMENTS || s == LAMB_STEP;
}

constexpr bool has_g(stage s)
{
    return s != LAMB_STEP;
}

/* g may be 16-bit. */
constexpr bool takes_half(stage s)
{
    return s != LAMB_STEP && s != EMA && s != LOOKAHEAD;
}

constexpr bool writes_w(stage s)
{
    return s != LARS_NORMS && s != LAMB_MOMENTS;
}

constexpr bool writes_moments(stage s)
{
    return (has_m(s) && s != LAMB_STEP) || s == LOOKAHEAD;
}

constexpr bool has_sums(stage s)
{
    return s == LARS_NORMS || s == LAMB_MOMENTS;
}

struct numbers {
    float multiply, rate, momentum, decay, keep, beta1, beta2, weight1, weight2, correct1, correct2,
        step, epsilon, trust;
    bool skip, nesterov, first;
};

__device__ void read_moments(const stk_cuda_update_rule &rule, double momentum, double steps,
                             double rate, numbers *n)
{
    double beta1 = rule.beta1 > 0 ? rule.beta1 : momentum;
    double correct1 = 1 - pow(beta1, steps);
    n->beta1 = (float)beta1;
    n->beta2 = (float)rule.beta2;
    n->weight1 = (float)(1 - beta1);
    n->weight2 = (float)(1 - rule.beta2);
    n->correct1 = (float)correct1;
    n->correct2 = (float)sqrt(1 - pow(rule.beta2, steps));
    n->step = (float)(rate / correct1);
    n->epsilon = (float)rule.epsilon;
}

/* Issues all loads first, since every block starts by waiting for them. */
template <stage S>
__device__ void read_numbers(const stk_cuda_update_batch &b, const stk_cuda_update_tensor &t,
                             numbers *n)
{
    const stk_cuda_update_rule &rule = b.rule[t.rule];
    float                       guard[4] = {}, hyper[4] = {};
    if (S != ACCUMULATE && S != LOOKAHEAD) stk::load_floats<float, 4>(b.guard, guard);
    if (S != ACCUMULATE && S != EMA) stk::load_floats<float, 4>(b.hyper, hyper);
    n->trust = writes_w(S) && t.sums ? (float)t.sums[0] : 1;
    n->skip = guard[STK_CUDA_GUARD_SKIP] != 0;
    if (S == ACCUMULATE || n->skip) return;
    if (S == LOOKAHEAD) {
        n->beta1 = hyper[STK_CUDA_HYPER_LOOKAHEAD];
        n->weight1 = 1 - n->beta1;
        return;
    }
    if (S == EMA) {
        n->first = guard[STK_CUDA_GUARD_STEPS] <= 1;
        n->weight1 = (float)(1 - rule.decay);
        n->beta1 = (float)rule.decay;
        return;
    }
    bool over = rule.freeze_after > 0 && hyper[STK_CUDA_HYPER_PROGRESS] >= (float)rule.freeze_after;
    double rate = over ? 0 : (double)hyper[STK_CUDA_HYPER_RATE] * rule.rate;
    n->multiply = guard[STK_CUDA_GUARD_MULTIPLY];
    n->rate = (float)rate;
    n->momentum = hyper[STK_CUDA_HYPER_MOMENTUM];
    n->decay = (float)rule.weight_decay;
    n->keep = (float)(1 - rate * rule.weight_decay);
    n->nesterov = rule.nesterov;
    if (has_v(S))
        read_moments(rule, hyper[STK_CUDA_HYPER_MOMENTUM], guard[STK_CUDA_GUARD_STEPS], rate, n);
}

__device__ __forceinline__ float lerp(float a, float b, float weight, float rest)
{
    return weight < 0.5f ? a + weight * (b - a) : b - (b - a) * rest;
}

__device__ __forceinline__ float denominator(const numbers &n, float v)
{
    return sqrtf(v) / n.correct2 + n.epsilon;
}

__device__ __forceinline__ float lamb_direction(const numbers &n, float w, float m, float v)
{
    return m / n.correct1 / denominator(n, v) + n.decay * w;
}

/* One element; a and b receive the summands. */
template <stage S>
__device__ __forceinline__ void step(const numbers &n, float g, float &w, float &m, float &v,
                                     float &a, float &b)
{
    if (S == ACCUMULATE) w += g;
    if (S == EMA) w = n.first ? g : lerp(w, g, n.weight1, n.beta1);
    if (S == LOOKAHEAD) w = m = lerp(w, g, n.weight1, n.beta1);
    if (S == SGD) {
        g = n.trust * (g * n.multiply + n.decay * w);
        m = n.momentum * m + g;
        w -= n.rate * (n.nesterov ? g + n.momentum * m : m);
    }
    if (S == ADAMW || S == LAMB_MOMENTS) {
        g *= n.multiply;
        m = lerp(m, g, n.weight1, n.beta1);
        v = v * n.beta2 + n.weight2 * g * g;
    }
    if (S == ADAMW) w = w * n.keep - n.step * m / denominator(n, v);
    if (S == LAMB_STEP) w -= n.rate * n.trust * lamb_direction(n, w, m, v);
    if (!has_sums(S)) return;
    float d = S == LARS_NORMS ? g * n.multiply : lamb_direction(n, w, m, v);
    a += w * w;
    b += d * d;
}

template <int WIDTH> struct elements {
    float w[WIDTH], g[WIDTH], m[WIDTH], v[WIDTH];
};

template <stage S, typename G, int WIDTH>
__device__ __forceinline__ void load(const stk_cuda_update_tensor &t, int64_t at,
                                     elements<WIDTH> &e)
{
    const float *m = S == LAMB_STEP ? t.to_m : t.m, *v = S == LAMB_STEP ? t.to_v : t.v;
    stk::load_floats<float, WIDTH>(t.w + at, e.w);
    if (has_g(S)) stk::load_floats<G, WIDTH>((const G *)t.g + at, e.g);
    if (has_m(S)) stk::load_floats<float, WIDTH>(m + at, e.m);
    if (has_v(S)) stk::load_floats<float, WIDTH>(v + at, e.v);
}

template <stage S, int WIDTH>
__device__ __forceinline__ void store(const stk_cuda_update_tensor &t, int64_t at,
                                      const elements<WIDTH> &e)
{
    if (writes_w(S)) stk::store_floats<float, WIDTH>(e.w, t.to_w + at);
    if (writes_moments(S)) stk::store_floats<float, WIDTH>(e.m, t.to_m + at);
    if (writes_moments(S) && has_v(S)) stk::store_floats<float, WIDTH>(e.v, t.to_v + at);
}

template <stage S, int WIDTH>
__device__ __forceinline__ void step_all(const numbers &n, elements<WIDTH> &e, float &a, float &b)
{
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        step<S>(n, e.g[k], e.w[k], e.m[k], e.v[k], a, b);
}

/* Loads past the end repeat the last access, so that none depends on a branch. */
template <stage S, typename G>
__device__ __forceinline__ void work(const stk_cuda_update_tensor &t, const numbers &n,
                                     int64_t begin, int64_t end, float &a, float &b)
{
    int accesses = (int)((end - begin) / N);
    for (int i = threadIdx.x; i < accesses; i += THREADS * AHEAD) {
        elements<N> e[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            load<S, G, N>(t, begin + min(i + k * THREADS, accesses - 1) * N, e[k]);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (i + k * THREADS >= accesses) break;
            step_all<S, N>(n, e[k], a, b);
            store<S, N>(t, begin + (i + k * THREADS) * N, e[k]);
        }
    }
    int64_t at = begin + accesses * N + threadIdx.x;
    if (at >= end) return;
    elements<1> e;
    load<S, G, 1>(t, at, e);
    step_all<S, 1>(n, e, a, b);
    store<S, 1>(t, at, e);
}

template <stage S>
__device__ __forceinline__ void work_as(const stk_cuda_update_tensor &t, numbers n, int64_t begin,
                                        int64_t end, float &a, float &b)
{
    if constexpr (takes_half(S)) {
        if (t.g_dtype == STK_DTYPE_F16) return work<S, __half>(t, n, begin, end, a, b);
        if (t.g_dtype == STK_DTYPE_BF16) return work<S, __nv_bfloat16>(t, n, begin, end, a, b);
    }
    work<S, float>(t, n, begin, end, a, b);
}

template <stage S> __device__ void keep(const stk_cuda_update_tensor &t, int64_t begin, int64_t end)
{
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) {
        if (writes_w(S) && t.to_w != t.w) t.to_w[i] = t.w[i];
        if (writes_moments(S) && t.to_m != t.m) t.to_m[i] = t.m[i];
        if (writes_moments(S) && has_v(S) && t.to_v != t.v) t.to_v[i] = t.v[i];
    }
}

template <stage S>
__global__ void __launch_bounds__(THREADS, 4)
    update(const __grid_constant__ stk_cuda_update_batch b)
{
    __shared__ numbers            shared;
    const stk_cuda_update_tensor &t = b.tensor[stk::tensor_of(b.first, b.tensors, (int)blockIdx.x)];
    int64_t chunk = (int)blockIdx.x - b.first[&t - b.tensor], begin = chunk * STK_CUDA_CHUNK;
    int64_t end = begin + STK_CUDA_CHUNK < t.count ? begin + STK_CUDA_CHUNK : t.count;
    stk::wait_for_earlier();
    if (threadIdx.x == 0) read_numbers<S>(b, t, &shared);
    __syncthreads();
    float w_squares = 0, squares = 0;
    if (shared.skip)
        keep<S>(t, begin, end);
    else
        work_as<S>(t, shared, begin, end, w_squares, squares);
    if (!has_sums(S)) return;
    double of_w = stk::block_sum<THREADS>(w_squares), of_other = stk::block_sum<THREADS>(squares);
    if (threadIdx.x == 0) t.sums[2 * chunk + 1] = of_w, t.sums[2 * chunk + 2] = of_other;
}

__device__ float lars_trust(const stk_cuda_update_rule &rule, double w_squares, double g_squares)
{
    double w = sqrt(w_squares), g = sqrt(g_squares);
    if (!rule.adapt || w == 0 || g == 0) return 1;
    return (float)(rule.trust * w / (g + rule.weight_decay * w + rule.epsilon));
}

__device__ float lamb_trust(const stk_cuda_update_rule &rule, double w_squares, double squares)
{
    if (!rule.adapt || w_squares == 0 || squares == 0) return 1;
    return (float)sqrt(w_squares / squares);
}

/* One block per tensor. */
__global__ void __launch_bounds__(THREADS) weigh(const __grid_constant__ stk_cuda_update_batch b)
{
    stk::wait_for_earlier();
    const stk_cuda_update_tensor &t = b.tensor[blockIdx.x];
    int                           chunks = b.first[blockIdx.x + 1] - b.first[blockIdx.x];
    double                        w_squares = 0, squares = 0;
    for (int i = threadIdx.x; i < chunks; i += THREADS)
        w_squares += t.sums[2 * i + 1], squares += t.sums[2 * i + 2];
    w_squares = stk::block_sum<THREADS>(w_squares);
    squares = stk::block_sum<THREADS>(squares);
    if (threadIdx.x) return;
    t.sums[0] = b.kind == STK_CUDA_UPDATE_LARS ? lars_trust(b.rule[t.rule], w_squares, squares)
                                               : lamb_trust(b.rule[t.rule], w_squares, squares);
}

template <stage S> cudaError_t start(const stk_cuda_update_batch *b, cudaStream_t stream)
{
    auto *kernel = update<S>;
    return STK_CUDA_LAUNCH_EARLY(kernel, b->first[b->tensors], THREADS, 0, stream, *b);
}

template <stage FIRST, stage LAST>
cudaError_t start_weighed(const stk_cuda_update_batch *b, cudaStream_t stream)
{
    cudaError_t code = start<FIRST>(b, stream);
    if (code == cudaSuccess)
        code = STK_CUDA_LAUNCH_EARLY(weigh, b->tensors, THREADS, 0, stream, *b);
    return code == cudaSuccess ? start<LAST>(b, stream) : code;
}

} // namespace

cudaError_t stk_cuda_update_launch(stk_cuda_update_batch *b, cudaStream_t stream)
{
    b->first[0] = 0;
    for (int i = 0; i < b->tensors; i++)
        b->first[i + 1] = b->first[i] + (int)stk_cuda_chunks(b->tensor[i].count);
    if (b->first[b->tensors] == 0) return cudaSuccess;
    switch (b->kind) {
    case STK_CUDA_UPDATE_SGD:
        return start<SGD>(b, stream);
    case STK_CUDA_UPDATE_LARS:
        return start_weighed<LARS_NORMS, SGD>(b, stream);
    case STK_CUDA_UPDATE_ADAMW:
        return start<ADAMW>(b, stream);
    case STK_CUDA_UPDATE_LAMB:
        return start_weighed<LAMB_MOMENTS, LAMB_STEP>(b, stream);
    case STK_CUDA_UPDATE_EMA:
        return start<EMA>(b, stream);
    case STK_CUDA_UPDATE_LOOKAHEAD:
        return start<LOOKAHEAD>(b, stream);
    case STK_CUDA_UPDATE_ACCUMULATE:
        return start<ACCUMULATE>(b, stream);
    default:
        return cudaErrorInvalidValue;
    }
}
