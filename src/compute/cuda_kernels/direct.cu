/* Direct convolutions of any kernel, stride, dilation, padding and groups. A block takes one image
 * row after the other; wgrad is summed in partials. */
#include "compute/cuda_kernels/conv.h"
#include "compute/cuda_kernels/window.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr int COLUMNS = 4; /* results per thread, which share loaded weights */

__device__ __forceinline__ int64_t x_row(const stk_cuda_conv_args &a, int64_t n, int row)
{
    return (n * a.down.size + row) * a.across.size * a.x_pixel;
}

__device__ __forceinline__ int64_t y_row(const stk_cuda_conv_args &a, int64_t n, int row)
{
    return (n * a.down.count + row) * a.across.count * a.out_c;
}

/* Adds one tap's products to COLUMNS results from column on. */
template <typename T>
__device__ __forceinline__ void add_tap(const stk_cuda_conv_args &a, const T *x, const T *w,
                                        int column, int kx, float (&sum)[COLUMNS])
{
    int at[COLUMNS];
#pragma unroll
    for (int t = 0; t < COLUMNS; t++)
        at[t] = column + t < a.across.count ? stk::window_element(a.across, column + t, kx) : -1;
    for (int ic = 0; ic < a.group_in; ic++) {
        float v = stk::to_float(w[ic * a.w_strides[1]]);
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
            if (at[t] >= 0) sum[t] += v * stk::to_float(x[(int64_t)at[t] * a.x_pixel + ic]);
    }
}

template <typename T> __global__ void __launch_bounds__(THREADS) forward(stk_cuda_conv_args a)
{
    int items = (a.across.count + COLUMNS - 1) / COLUMNS * a.out_c;
    for (int64_t r = blockIdx.x; r < a.batch * a.down.count; r += gridDim.x)
        for (int i = (int)threadIdx.x; i < items; i += (int)blockDim.x) {
            int64_t n = r / a.down.count;
            int     row = (int)(r % a.down.count), column = i / a.out_c * COLUMNS;
            int     oc = i % a.out_c, first = oc / a.group_out * a.group_in;
            float   sum[COLUMNS] = {};
            for (int ky = 0; ky < a.down.kernel; ky++) {
                int iy = stk::window_element(a.down, row, ky);
                for (int kx = 0; kx < a.across.kernel && iy >= 0; kx++)
                    add_tap<T>(a, (const T *)a.x + x_row(a, n, iy) + first,
                               (const T *)a.w + oc * a.w_strides[0] + ky * a.w_strides[2] +
                                   kx * a.w_strides[3],
                               column, kx, sum);
            }
            T *y = (T *)a.out + y_row(a, n, row) + (int64_t)column * a.out_c + oc;
#pragma unroll
            for (int t = 0; t < COLUMNS; t++)
                if (column + t < a.across.count) {
                    float v = sum[t] + (a.bias ? a.bias[oc] : 0);
                    stk::from_float(v < a.low    ? a.low
                                    : v > a.high ? a.high
                                                 : v,
                                    y[(int64_t)t * a.out_c]);
                }
        }
}

template <typename T>
__device__ __forceinline__ float one_of_input(const stk_cuda_conv_args &a, int64_t n, int row,
                                              int column, int c)
{
    int   first = c / a.group_in * a.group_out;
    float sum = 0;
    for (int ky = 0; ky < a.down.kernel; ky++)
        for (int kx = 0; kx < a.across.kernel; kx++) {
            int oy = stk::window_over(a.down, row, ky), ox = stk::window_over(a.across, column, kx);
            if (oy < 0 || ox < 0) continue;
            const T *dy = (const T *)a.dy + y_row(a, n, oy) + (int64_t)ox * a.out_c + first;
            const T *w = (const T *)a.w + first * a.w_strides[0] + c % a.group_in * a.w_strides[1] +
                         ky * a.w_strides[2] + kx * a.w_strides[3];
            for (int oc = 0; oc < a.group_out; oc++)
                sum += stk::to_float(dy[oc]) * stk::to_float(w[oc * a.w_strides[0]]);
        }
    return sum;
}

template <typename T> __global__ void __launch_bounds__(THREADS) by_input(stk_cuda_conv_args a)
{
    for (int64_t r = blockIdx.x; r < a.batch * a.down.size; r += gridDim.x)
        for (int i = (int)threadIdx.x; i < a.across.size * a.in_c; i += (int)blockDim.x) {
            int64_t to = r * a.across.size * a.in_c + i;
            float   sum =
                one_of_input<T>(a, r / a.down.size, (int)(r % a.down.size), i / a.in_c, i % a.in_c);
            if (a.addend) sum += stk::to_float(((const T *)a.addend)[to]);
            stk::from_float(sum, ((T *)a.out)[to]);
        }
}

/* Product of a row of dy for one tap's weight. */
template <typename T>
__device__ __forceinline__ float row_of_weight(const stk_cuda_conv_args &a, int64_t n, int row,
                                               int oc, int ic, int ky, int kx)
{
    int iy = stk::window_element(a.down, row, ky);
    if (iy < 0) return 0;
    const T *dy = (const T *)a.dy + y_row(a, n, row) + oc;
    const T *x = (const T *)a.x + x_row(a, n, iy) + oc / a.group_out * a.group_in + ic;
    float    sum = 0;
    for (int ox = 0; ox < a.across.count; ox++) {
        int ix = stk::window_element(a.across, ox, kx);
        if (ix >= 0)
            sum += stk::to_float(x[(int64_t)ix * a.x_pixel]) *
                   stk::to_float(dy[(int64_t)ox * a.out_c]);
    }
    return sum;
}

template <typename T>
__device__ __forceinline__ float row_of_bias(const stk_cuda_conv_args &a, int64_t n, int row, int c)
{
    const T *dy = (const T *)a.dy + y_row(a, n, row) + c;
    float    sum = 0;
    for (int ox = 0; ox < a.across.count; ox++)
        sum += stk::to_float(dy[(int64_t)ox * a.out_c]);
    return sum;
}

/* Weights in memory order: their strides tell which of row, column and channel is innermost. */
template <typename T> __global__ void __launch_bounds__(THREADS) by_weight(stk_cuda_conv_args a)
{
    int     taps = a.down.kernel * a.across.kernel;
    int64_t each = (int64_t)taps * a.group_in, weights = a.out_c * each;
    int64_t count = weights + (a.dbias ? a.out_c : 0);
    int64_t step = (int64_t)gridDim.x * blockDim.x, rows = a.batch * a.down.count;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        int   oc = (int)(i / each), rest = (int)(i % each);
        int   ic = rest / (int)a.w_strides[1] % a.group_in;
        int   ky = rest / (int)a.w_strides[2] % a.down.kernel;
        int   kx = rest / (int)a.w_strides[3] % a.across.kernel;
        float sum = 0;
        for (int64_t r = blockIdx.y; r < rows; r += gridDim.y) {
            int64_t n = r / a.down.count;
            int     row = (int)(r % a.down.count);
            sum += i < weights ? row_of_weight<T>(a, n, row, oc, ic, ky, kx)
                               : row_of_bias<T>(a, n, row, (int)(i - weights));
        }
        a.partials[blockIdx.y * count + i] = sum;
    }
}

template <typename T> cudaError_t start_forward(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    auto *kernel = forward<T>;
    return STK_CUDA_LAUNCH(kernel, stk::blocks_for(args->batch * args->down.count, 1), THREADS, 0,
                           stream, *args);
}

template <typename T> cudaError_t start_input(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    auto *kernel = by_input<T>;
    return STK_CUDA_LAUNCH(kernel, stk::blocks_for(args->batch * args->down.size, 1), THREADS, 0,
                           stream, *args);
}

template <typename T> cudaError_t start_weight(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    auto   *kernel = by_weight<T>;
    int64_t count = (int64_t)args->out_c *
                    (args->down.kernel * args->across.kernel * (int64_t)args->group_in + 1);
    dim3 blocks((unsigned)stk::blocks_for(count, THREADS), (unsigned)args->partial_count);
    return STK_CUDA_LAUNCH(kernel, blocks, THREADS, 0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_direct_launch(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start_forward, args, stream);
}

cudaError_t stk_cuda_direct_input_launch(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    if (args->batch == 0 || args->in_c == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start_input, args, stream);
}

cudaError_t stk_cuda_direct_weight_launch(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start_weight, args, stream);
}
