/* Rows compute their losses; one block adds them in a fixed order. */
#include "compute/cuda_kernels/labels.cuh"

namespace
{

constexpr int64_t COUNTED_BY_ALL = 512; /* rows that each block counts redundantly */

/* log-sum-exp is row_max + log(sum). With probabilities also the sums of labels, and of labels
 * times x. */
struct row_sums {
    float row_max, sum, weight, with_x, below;
};

template <typename T, int N, int TEAM>
__device__ __forceinline__ row_sums sums_of(const T *x, const float *p, int64_t width, bool below)
{
    row_sums s = {-INFINITY, 0, 0, 0, 0};
    stk::over_row<TEAM, N>(x, width, [&](int64_t, float v) { s.row_max = fmaxf(s.row_max, v); });
    float row_max = s.row_max = stk::team_reduce<TEAM>(s.row_max, stk::larger());
    stk::over_row<TEAM, N>(x, width, [&](int64_t i, float v) {
        s.sum += expf(v - row_max);
        s.below += v - row_max;
        if (!p) return;
        float w = p[i];
        s.weight += w;
        if (w != 0) s.with_x += w * (v - row_max); /* 0 times an infinite loss is 0 */
    });
    s.sum = stk::team_reduce<TEAM>(s.sum, stk::adding());
    if (below) s.below = stk::team_reduce<TEAM>(s.below, stk::adding());
    if (p) {
        s.weight = stk::team_reduce<TEAM>(s.weight, stk::adding());
        s.with_x = stk::team_reduce<TEAM>(s.with_x, stk::adding());
    }
    return s;
}

template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    losses(const T *logits, stk_cuda_labels labels, float smoothing, float *each)
{
    stk::wait_for_earlier();
    int64_t width = labels.classes;
    bool    numbers = stk::are_numbers(labels);
    for (int64_t r = stk::first_row<TEAM>(); r < labels.rows; r += stk::row_step<TEAM>()) {
        const T     *x = logits + r * width;
        const float *p = numbers ? NULL : (const float *)labels.data + r * width;
        int64_t      label = numbers ? stk::number_at(labels, r) : 0;
        float        loss = 0;
        if (label >= 0) {
            row_sums s = sums_of<T, N, TEAM>(x, p, width, smoothing != 0);
            float    all = logf(s.sum), spread = all - s.below / (float)width;
            if (numbers) s.weight = 1, s.with_x = stk::to_float(x[label]) - s.row_max;
            if (smoothing != 1) loss = (1 - smoothing) * (s.weight * all - s.with_x);
            if (smoothing != 0) loss += smoothing * spread;
        }
        if (threadIdx.x % TEAM == 0) each[r] = loss;
    }
}

__global__ void __launch_bounds__(stk::ROW_THREADS) count(stk_cuda_labels labels, int64_t *counted)
{
    stk::wait_for_earlier();
    int64_t n = stk::count_rows(labels);
    if (threadIdx.x == 0) *counted = n;
}

/* dx = dloss / rows (softmax sum(target) - target). counted NULL: counts the rows here. */
template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    slopes(const T *logits, stk_cuda_labels labels, float smoothing, const int64_t *counted,
           const float *dloss, T *dlogits)
{
    stk::wait_for_earlier();
    int64_t width = labels.classes;
    bool    numbers = stk::are_numbers(labels);
    int64_t valid = counted ? *counted : stk::count_rows(labels);
    float   by = valid ? (float)((double)*dloss / (double)valid) : 0, rest = 1 - smoothing;
    float   spread = smoothing / (float)width;
    for (int64_t r = stk::first_row<TEAM>(); r < labels.rows; r += stk::row_step<TEAM>()) {
        const T     *x = logits + r * width;
        const float *p = numbers ? NULL : (const float *)labels.data + r * width;
        int64_t      label = numbers ? stk::number_at(labels, r) : 0;
        row_sums     s = sums_of<T, N, TEAM>(x, p, width, false);
        float        weight = numbers ? 1 : s.weight * rest + smoothing;
        float        scale = by * weight / s.sum;
        for (int64_t i = (int64_t)(threadIdx.x % TEAM) * N; i < width; i += TEAM * N) {
            float v[N];
            stk::load_floats<T, N>(x + i, v);
#pragma unroll
            for (int k = 0; k < N; k++) {
                float wanted = p ? p[i + k] : i + k == label ? 1.0f : 0.0f;
                float dx = expf(v[k] - s.row_max) * scale - by * (wanted * rest + spread);
                v[k] = label < 0 ? 0 : dx;
            }
            stk::store_floats<T, N>(v, dlogits + r * width + i);
        }
    }
}

template <typename T> cudaError_t start(const stk_cuda_loss_args *a, cudaStream_t stream)
{
    auto *kernel = STK_CUDA_ROWS(losses, T, a->labels.rows, a->labels.classes);
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::row_blocks(a->labels.rows, a->labels.classes),
                                 stk::ROW_THREADS, 0, stream, (const T *)a->logits, a->labels,
                                 a->smoothing, a->each);
}

template <typename T>
cudaError_t start_back(const stk_cuda_loss_args *a, const int64_t *counted, const float *dloss,
                       void *dlogits, cudaStream_t stream)
{
    auto *kernel = STK_CUDA_ROWS(slopes, T, a->labels.rows, a->labels.classes);
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::row_blocks(a->labels.rows, a->labels.classes),
                                 stk::ROW_THREADS, 0, stream, (const T *)a->logits, a->labels,
                                 a->smoothing, counted, dloss, (T *)dlogits);
}

} // namespace

cudaError_t stk_cuda_cross_entropy_launch(const stk_cuda_loss_args *args, float *loss,
                                          cudaStream_t stream)
{
    cudaError_t code =
        args->labels.rows ? STK_CUDA_FLOATS(args->dtype, start, args, stream) : cudaSuccess;
    if (code != cudaSuccess) return code;
    auto *add = stk::total<true>;
    return STK_CUDA_LAUNCH_EARLY(add, 1, stk::ROW_THREADS, 0, stream, args->each, args->labels,
                                 loss);
}

cudaError_t stk_cuda_cross_entropy_grad_launch(const stk_cuda_loss_args *args, const float *dloss,
                                               void *dlogits, cudaStream_t stream)
{
    int64_t *counted = NULL;
    if (args->labels.rows == 0) return cudaSuccess;
    if (args->labels.rows > COUNTED_BY_ALL) {
        counted = (int64_t *)args->each;
        cudaError_t code =
            STK_CUDA_LAUNCH_EARLY(count, 1, stk::ROW_THREADS, 0, stream, args->labels, counted);
        if (code != cudaSuccess) return code;
    }
    return STK_CUDA_FLOATS(args->dtype, start_back, args, counted, dloss, dlogits, stream);
}
