/* Counts rows: correct ones, those with a label. */
#include "compute/cuda_kernels/labels.cuh"

namespace
{

struct smaller {
    __device__ long long operator()(long long a, long long b) const
    {
        return a < b ? a : b;
    }
};

/* Determines the maximum, then its first position. */
template <int TEAM> __device__ __forceinline__ int64_t largest_at(const float *p, int64_t width)
{
    float     most = -INFINITY;
    long long at = width - 1;
    stk::over_row<TEAM, 1>(p, width, [&](int64_t, float v) { most = fmaxf(most, v); });
    most = stk::team_reduce<TEAM>(most, stk::larger());
    stk::over_row<TEAM, 1>(p, width, [&](int64_t i, float v) {
        if (v == most && i < at) at = i;
    });
    return stk::team_reduce<TEAM>(at, smaller());
}

/* 1 for a row whose label has fewer than k logits before it. The first of equal logits ranks
 * before, and NaN before all. */
template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    right(const T *logits, stk_cuda_labels labels, int64_t k, float *each)
{
    stk::wait_for_earlier();
    int64_t width = labels.classes;
    bool    numbers = stk::are_numbers(labels);
    for (int64_t r = stk::first_row<TEAM>(); r < labels.rows; r += stk::row_step<TEAM>()) {
        const T *x = logits + r * width;
        int64_t  label = numbers ? stk::number_at(labels, r)
                                 : largest_at<TEAM>((const float *)labels.data + r * width, width);
        if (label < 0) {
            if (threadIdx.x % TEAM == 0) each[r] = 0;
            continue;
        }
        float     of_label = stk::to_float(x[label]);
        long long before = 0;
        stk::over_row<TEAM, N>(x, width, [&](int64_t i, float v) {
            before += i < label ? !(v < of_label) : i > label && !(v <= of_label);
        });
        before = stk::team_reduce<TEAM>(before, stk::adding());
        if (threadIdx.x % TEAM == 0) each[r] = before < k ? 1 : 0;
    }
}

__global__ void __launch_bounds__(stk::ROW_THREADS) count(stk_cuda_labels labels, float *out)
{
    stk::wait_for_earlier();
    int64_t counted = stk::count_rows(labels);
    if (threadIdx.x == 0) *out = (float)counted;
}

template <typename T> cudaError_t start(const stk_cuda_loss_args *a, int64_t k, cudaStream_t stream)
{
    int64_t rows = a->labels.rows, width = a->labels.classes;
    auto   *kernel = STK_CUDA_ROWS(right, T, rows, width);
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::row_blocks(rows, width), stk::ROW_THREADS, 0, stream,
                                 (const T *)a->logits, a->labels, k, a->each);
}

} // namespace

cudaError_t stk_cuda_top_k_launch(const stk_cuda_loss_args *args, int64_t k, float *count,
                                  cudaStream_t stream)
{
    cudaError_t code =
        args->labels.rows ? STK_CUDA_FLOATS(args->dtype, start, args, k, stream) : cudaSuccess;
    if (code != cudaSuccess) return code;
    auto *add = stk::total<false>;
    return STK_CUDA_LAUNCH_EARLY(add, 1, stk::ROW_THREADS, 0, stream, args->each, args->labels,
                                 count);
}

cudaError_t stk_cuda_count_labels_launch(const stk_cuda_labels *labels, float *out,
                                         cudaStream_t stream)
{
    return STK_CUDA_LAUNCH_EARLY(count, 1, stk::ROW_THREADS, 0, stream, *labels, out);
}
