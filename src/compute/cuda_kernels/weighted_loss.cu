/* One block adds the weights of rows, rows compute losses or gradients, one block adds losses: the
 * order is fixed. */
#include "compute/cuda_kernels/labels.cuh"
#include "compute/cuda_kernels/weighted_loss.h"

namespace
{

/* As in compute/ops/focal.h. */
__device__ __forceinline__ float focal_loss(float log_p, float gamma)
{
    return gamma == 0 ? -log_p : -powf(-expm1f(log_p), gamma) * log_p;
}

__device__ __forceinline__ float focal_slope(float log_p, float gamma)
{
    if (gamma == 0) return -1;
    float p = expf(log_p), rest = -expm1f(log_p), power = powf(rest, gamma);
    if (p == 0) return -power;
    return power * (gamma * p * (rest > 0 ? log_p / rest : -1) - 1);
}

/* A row with its label. */
struct row {
    const float *p;     /* probabilities; NULL: label is the class index */
    int64_t      label; /* -1: the row is excluded */
};

__device__ __forceinline__ row row_at(const stk_cuda_labels &labels, int64_t r)
{
    if (stk::are_numbers(labels)) return {NULL, stk::number_at(labels, r)};
    return {(const float *)labels.data + r * labels.classes, 0};
}

/* Weight times target of class k. */
__device__ __forceinline__ float share(const stk_cuda_weighted_args &a, const row &of, int64_t k)
{
    float given = of.p ? of.p[k] : k == of.label ? 1.0f : 0.0f;
    float target = given * (1 - a.smoothing) + a.smoothing / (float)a.labels.classes;
    return a.weights ? a.weights[k] * target : target;
}

__global__ void __launch_bounds__(stk::ROW_THREADS) weigh(stk_cuda_weighted_args a)
{
    stk::wait_for_earlier();
    double  sum = 0;
    bool    whole = !stk::are_numbers(a.labels) && a.weights;
    int64_t count = whole ? a.labels.rows * a.labels.classes : a.labels.rows;
    for (int64_t i = threadIdx.x; i < count; i += stk::ROW_THREADS) {
        int64_t label = whole ? i % a.labels.classes : row_at(a.labels, i).label;
        float   weight = label < 0 ? 0.0f : a.weights ? a.weights[label] : 1.0f;
        sum += whole ? (double)((const float *)a.labels.data)[i] * (double)weight : (double)weight;
    }
    sum = stk::team_reduce<stk::ROW_THREADS>(sum, stk::adding());
    if (threadIdx.x == 0) *a.total = sum;
}

/* Log-sum-exp as row_max and log_sum, kept apart since row_max may be large. */
template <typename T, int N, int TEAM>
__device__ __forceinline__ void log_sum_of(const T *x, int64_t width, float *row_max,
                                           float *log_sum)
{
    float large = -INFINITY, sum = 0;
    stk::over_row<TEAM, N>(x, width, [&](int64_t, float v) { large = fmaxf(large, v); });
    large = stk::team_reduce<TEAM>(large, stk::larger());
    stk::over_row<TEAM, N>(x, width, [&](int64_t, float v) { sum += expf(v - large); });
    *row_max = large;
    *log_sum = logf(stk::team_reduce<TEAM>(sum, stk::adding()));
}

/* Sum over classes of f(log p) times weight and target. */
template <typename T, int N, int TEAM, typename F>
__device__ __forceinline__ float sum_shares(const stk_cuda_weighted_args &a, const row &of,
                                            const T *x, float row_max, float log_sum, F f)
{
    float sum = 0;
    stk::over_row<TEAM, N>(x, a.labels.classes, [&](int64_t k, float v) {
        float q = share(a, of, k);
        if (q != 0)
            sum += q * f(v - row_max - log_sum, a.gamma); /* 0 times an infinite loss is 0 */
    });
    return stk::team_reduce<TEAM>(sum, stk::adding());
}

template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS) losses(stk_cuda_weighted_args a)
{
    stk::wait_for_earlier();
    for (int64_t r = stk::first_row<TEAM>(); r < a.labels.rows; r += stk::row_step<TEAM>()) {
        const T *x = (const T *)a.logits + r * a.labels.classes;
        row      of = row_at(a.labels, r);
        float    loss = 0, row_max, log_sum;
        if (of.label >= 0) {
            log_sum_of<T, N, TEAM>(x, a.labels.classes, &row_max, &log_sum);
            loss = sum_shares<T, N, TEAM>(a, of, x, row_max, log_sum, focal_loss);
        }
        if (threadIdx.x % TEAM == 0) a.each[r] = loss;
    }
}

__global__ void __launch_bounds__(stk::ROW_THREADS) divide(stk_cuda_weighted_args a, float *loss)
{
    stk::wait_for_earlier();
    double sum = 0;
    for (int64_t r = threadIdx.x; r < a.labels.rows; r += stk::ROW_THREADS)
        sum += (double)a.each[r];
    sum = stk::team_reduce<stk::ROW_THREADS>(sum, stk::adding());
    if (threadIdx.x == 0) *loss = *a.total > 0 ? (float)(sum / *a.total) : 0;
}

/* dx = dloss / total (q slope - softmax sum(q slope)), q being weight times target. */
template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    slopes(stk_cuda_weighted_args a, const float *dloss, T *dlogits)
{
    stk::wait_for_earlier();
    int64_t width = a.labels.classes;
    float   by = *a.total > 0 ? (float)((double)*dloss / *a.total) : 0;
    for (int64_t r = stk::first_row<TEAM>(); r < a.labels.rows; r += stk::row_step<TEAM>()) {
        const T *x = (const T *)a.logits + r * width;
        row      of = row_at(a.labels, r);
        float    row_max, log_sum;
        log_sum_of<T, N, TEAM>(x, width, &row_max, &log_sum);
        float sum = sum_shares<T, N, TEAM>(a, of, x, row_max, log_sum, focal_slope);
        for (int64_t i = (int64_t)(threadIdx.x % TEAM) * N; i < width; i += TEAM * N) {
            float v[N];
            stk::load_floats<T, N>(x + i, v);
#pragma unroll
            for (int k = 0; k < N; k++) {
                float q = share(a, of, i + k), log_p = v[k] - row_max - log_sum;
                float slope = q != 0 ? q * focal_slope(log_p, a.gamma) : 0;
                v[k] = of.label < 0 ? 0 : by * (slope - expf(log_p) * sum);
            }
            stk::store_floats<T, N>(v, dlogits + r * width + i);
        }
    }
}

cudaError_t start_total(const stk_cuda_weighted_args *a, cudaStream_t stream)
{
    return STK_CUDA_LAUNCH_EARLY(weigh, 1, stk::ROW_THREADS, 0, stream, *a);
}

template <typename T> cudaError_t start(const stk_cuda_weighted_args *a, cudaStream_t stream)
{
    auto *kernel = STK_CUDA_ROWS(losses, T, a->labels.rows, a->labels.classes);
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::row_blocks(a->labels.rows, a->labels.classes),
                                 stk::ROW_THREADS, 0, stream, *a);
}

template <typename T>
cudaError_t start_back(const stk_cuda_weighted_args *a, const float *dloss, void *dlogits,
                       cudaStream_t stream)
{
    auto *kernel = STK_CUDA_ROWS(slopes, T, a->labels.rows, a->labels.classes);
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::row_blocks(a->labels.rows, a->labels.classes),
                                 stk::ROW_THREADS, 0, stream, *a, dloss, (T *)dlogits);
}

} // namespace

cudaError_t stk_cuda_weighted_loss_launch(const stk_cuda_weighted_args *args, float *loss,
                                          cudaStream_t stream)
{
    cudaError_t code = start_total(args, stream);
    if (code == cudaSuccess && args->labels.rows)
        code = STK_CUDA_FLOATS(args->dtype, start, args, stream);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_EARLY(divide, 1, stk::ROW_THREADS, 0, stream, *args, loss);
}

cudaError_t stk_cuda_weighted_loss_grad_launch(const stk_cuda_weighted_args *args,
                                               const float *dloss, void *dlogits,
                                               cudaStream_t stream)
{
    if (args->labels.rows == 0) return cudaSuccess;
    cudaError_t code = start_total(args, stream);
    if (code != cudaSuccess) return code;
    return STK_CUDA_FLOATS(args->dtype, start_back, args, dloss, dlogits, stream);
}
