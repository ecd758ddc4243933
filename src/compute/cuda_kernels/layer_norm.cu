/* Computes the mean, then squares around it, whose sum also corrects the mean for rounding. */
#include "compute/cuda_kernels/kept_row.cuh"
#include "compute/cuda_kernels/layer_norm.h"

namespace
{

template <typename T, int N, int TEAM, int KEEP>
__device__ __forceinline__ void norm_row(const stk_cuda_layer_norm_args &a, int64_t at)
{
    stk::kept_row<T, N, TEAM, KEEP> row;
    T                              *y = (T *)a.y + at * a.width;
    float                           sum = 0, off = 0, squares = 0, n = (float)a.width, v[N];
    row.begin((const T *)a.x + at * a.width, a.width);
#pragma unroll
    for (int64_t i = 0; i < row.lines(); i++)
        if (row.at(i) < a.width) {
            row.get(i, v);
#pragma unroll
            for (int k = 0; k < N; k++)
                sum += v[k];
        }
    float mean = stk::team_reduce<TEAM>(sum, stk::adding()) / n;
#pragma unroll
    for (int64_t i = 0; i < row.lines(); i++)
        if (row.at(i) < a.width) {
            row.get(i, v);
#pragma unroll
            for (int k = 0; k < N; k++) {
                float d = v[k] - mean;
                off += d;
                squares = fmaf(d, d, squares);
            }
        }
    off = stk::team_reduce<TEAM>(off, stk::adding()) / n;
    float var = stk::team_reduce<TEAM>(squares, stk::adding()) / n - off * off;
    float by = 1 / sqrtf((var < 0 ? 0 : var) + a.epsilon);
#pragma unroll
    for (int64_t i = 0; i < row.lines(); i++)
        if (row.at(i) < a.width) {
            float gamma[N], beta[N];
            row.get(i, v);
            stk::load_values<N>(a.gamma, row.at(i), gamma);
            stk::load_values<N>(a.beta, row.at(i), beta);
#pragma unroll
            for (int k = 0; k < N; k++)
                v[k] = fmaf((v[k] - mean - off) * by, gamma[k], beta[k]);
            stk::store_line(v, y + row.at(i));
        }
    if (threadIdx.x % TEAM) return;
    if (a.mean) a.mean[at] = mean + off;
    if (a.invstd) a.invstd[at] = by;
}

template <typename T, int N, int TEAM, int KEEP>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    norm(const __grid_constant__ stk_cuda_layer_norm_args a)
{
    for (int64_t row = stk::first_row<TEAM>(); row < a.rows; row += stk::row_step<TEAM>())
        norm_row<T, N, TEAM, KEEP>(a, row);
}

template <typename T> cudaError_t start(const stk_cuda_layer_norm_args *args, cudaStream_t stream)
{
    return STK_CUDA_KEPT(norm, T, args->rows, args->width, stream, *args);
}

} // namespace

cudaError_t stk_cuda_layer_norm_launch(const stk_cuda_layer_norm_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
