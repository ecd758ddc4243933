/* For shapes that cuBLAS does not support: tiles in shared memory, sixteen results per thread,
 * float32 sums. */
#include "compute/cuda_kernels/act.cuh"
#include "compute/cuda_kernels/matmul.h"

namespace
{

constexpr int TILE = 64, DEPTH = 16, SIDE = 16, EACH = TILE / SIDE, THREADS = SIDE * SIDE;
constexpr int STRIPE = 128, ROWS_AT_ONCE = 4096; /* of the epilogue */

struct product {
    int64_t m, n, k, a_row, a_column, b_row, b_column;
    int64_t down, across; /* tiles */
    int     bias_dtype;
    float   a, b; /* parameters of the activation */
    int     act;
};

/* A branch per result is negligible next to a complete dot product. */
__device__ float activate(int act, float x, float a, float b)
{
    switch (act) {
    case STK_CUDA_ACT_RELU:
        return stk::act_value<STK_CUDA_ACT_RELU>(x, a, b);
    case STK_CUDA_ACT_CLIP:
        return stk::act_value<STK_CUDA_ACT_CLIP>(x, a, b);
    case STK_CUDA_ACT_LEAKY_RELU:
        return stk::act_value<STK_CUDA_ACT_LEAKY_RELU>(x, a, b);
    case STK_CUDA_ACT_GELU:
        return stk::act_value<STK_CUDA_ACT_GELU>(x, a, b);
    case STK_CUDA_ACT_SILU:
        return stk::act_value<STK_CUDA_ACT_SILU>(x, a, b);
    case STK_CUDA_ACT_SIGMOID:
        return stk::act_value<STK_CUDA_ACT_SIGMOID>(x, a, b);
    case STK_CUDA_ACT_TANH:
        return stk::act_value<STK_CUDA_ACT_TANH>(x, a, b);
    case STK_CUDA_ACT_HARDSWISH:
        return stk::act_value<STK_CUDA_ACT_HARDSWISH>(x, a, b);
    case STK_CUDA_ACT_HARDSIGMOID:
        return stk::act_value<STK_CUDA_ACT_HARDSIGMOID>(x, a, b);
    default:
        return x;
    }
}

template <typename T>
__device__ __forceinline__ float bias_at(const void *bias, int dtype, int64_t i)
{
    if (!bias) return 0;
    return dtype == STK_DTYPE_F32 ? ((const float *)bias)[i] : stk::to_float(((const T *)bias)[i]);
}

/* Adjacent threads load adjacent elements along the contiguous dimension. */
template <typename T>
__device__ __forceinline__ void load_tile(float (&to)[DEPTH][TILE + 1], const T *from, int64_t row,
                                          int64_t rows, int64_t depth, int64_t depths,
                                          int64_t row_step, int64_t depth_step)
{
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
        int r = depth_step == 1 ? i / DEPTH : i % TILE, d = depth_step == 1 ? i % DEPTH : i / TILE;
        to[d][r] = row + r < rows && depth + d < depths
                       ? stk::to_float(from[(row + r) * row_step + (depth + d) * depth_step])
                       : 0;
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    multiply(const T *a, const T *b, const void *bias, T *out, product p)
{
    __shared__ float left[DEPTH][TILE + 1], right[DEPTH][TILE + 1];
    int64_t          across = blockIdx.x % p.across, rest = blockIdx.x / p.across;
    int64_t          column = across * TILE, row = rest % p.down * TILE, matrix = rest / p.down;
    int              x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    float            sum[EACH][EACH] = {};
    a += matrix * p.m * p.k, b += matrix * p.k * p.n, out += matrix * p.m * p.n;
    for (int64_t depth = 0; depth < p.k; depth += DEPTH) {
        load_tile(left, a, row, p.m, depth, p.k, p.a_row, p.a_column);
        load_tile(right, b, column, p.n, depth, p.k, p.b_column, p.b_row);
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += left[d][y + i * SIDE] * right[d][x + j * SIDE];
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            int64_t r = row + y + i * SIDE, c = column + x + j * SIDE;
            if (r < p.m && c < p.n)
                stk::from_float(
                    activate(p.act, sum[i][j] + bias_at<T>(bias, p.bias_dtype, c), p.a, p.b),
                    out[r * p.n + c]);
        }
}

/* A thread keeps its columns, so that their bias is loaded once. */
template <typename T, int N>
__global__ void __launch_bounds__(STRIPE)
    finish(const void *bias, T *out, int64_t rows, int64_t stripes, product p)
{
    int64_t column = (blockIdx.x % stripes * STRIPE + threadIdx.x) * N;
    int64_t step = gridDim.x / stripes;
    float   addend[N];
    if (column >= p.n) return;
#pragma unroll
    for (int k = 0; k < N; k++)
        addend[k] = bias_at<T>(bias, p.bias_dtype, column + k);
    for (int64_t row = blockIdx.x / stripes; row < rows; row += step) {
        float v[N];
        stk::load_floats<T, N>(out + row * p.n + column, v);
#pragma unroll
        for (int k = 0; k < N; k++)
            v[k] = activate(p.act, v[k] + addend[k], p.a, p.b);
        stk::store_floats<T, N>(v, out + row * p.n + column);
    }
}

product product_of(const stk_cuda_matmul_args *p)
{
    return {p->m,
            p->n,
            p->k,
            p->a_row,
            p->a_column,
            p->b_row,
            p->b_column,
            (p->m + TILE - 1) / TILE,
            (p->n + TILE - 1) / TILE,
            p->bias_dtype,
            p->act.a,
            p->act.b,
            (int)p->act.act};
}

template <typename T> cudaError_t start(const stk_cuda_matmul_args *p, cudaStream_t stream)
{
    auto   *kernel = multiply<T>;
    product q = product_of(p);
    return STK_CUDA_LAUNCH(kernel, (unsigned)(q.down * q.across * p->batch), THREADS, 0, stream,
                           (const T *)p->a, (const T *)p->b, p->bias, (T *)p->out, q);
}

template <typename T> cudaError_t start_finish(const stk_cuda_matmul_args *p, cudaStream_t stream)
{
    constexpr int N = stk::WIDE<T>;
    int           piece = p->n % N == 0 ? N : 1;
    auto         *kernel = piece > 1 ? finish<T, N> : finish<T, 1>;
    int64_t       rows = p->batch * p->m, stripes = (p->n + STRIPE * piece - 1) / (STRIPE * piece);
    int64_t       blocks = stripes * (rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE);
    return STK_CUDA_LAUNCH(kernel, (unsigned)blocks, STRIPE, 0, stream, p->bias, (T *)p->out, rows,
                           stripes, product_of(p));
}

} // namespace

cudaError_t stk_cuda_matmul_launch(const stk_cuda_matmul_args *args, cudaStream_t stream)
{
    if (args->batch * args->m * args->n == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}

cudaError_t stk_cuda_matmul_finish_launch(const stk_cuda_matmul_args *args, cudaStream_t stream)
{
    if (args->batch * args->m * args->n == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start_finish, args, stream);
}
