/* Gathers each element: from one or four elements forward, from all its results in the gradient. */
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/upsample.h"

namespace
{

constexpr int THREADS = 256;

/* Weight of element in result: pixels are squares; beyond the outermost centres the edge element is
 * replicated. */
__device__ __forceinline__ float weight(const stk_cuda_upsample_args &a, int size, int result,
                                        int element)
{
    if (!a.linear) return element == result / a.factor ? 1 : 0;
    float at = ((float)result + 0.5f) / (float)a.factor - 0.5f;
    at = fminf(fmaxf(at, 0), (float)(size - 1));
    return fmaxf(1 - fabsf(at - (float)element), 0);
}

struct range {
    int first, end;
};

__device__ __forceinline__ range within(int first, int end, int size)
{
    return range{first < 0 ? 0 : first, end > size ? size : end};
}

/* Range of elements of a result; of results of an element. */
template <bool GRAD>
__device__ __forceinline__ range sources(const stk_cuda_upsample_args &a, int size, int at)
{
    int reach = a.linear ? 1 : 0;
    if (!GRAD) return within(at / a.factor - reach, at / a.factor + reach + 1, size);
    return within((at - reach) * a.factor, (at + reach + 1) * a.factor, size * a.factor);
}

template <typename T, int N, bool GRAD>
__global__ void __launch_bounds__(THREADS) gather(stk_cuda_upsample_args a)
{
    int     height = GRAD ? a.height : a.height * a.factor, groups = (int)(a.channels / N);
    int     width = GRAD ? a.width : a.width * a.factor;
    int     from_height = GRAD ? a.height * a.factor : a.height;
    int     from_width = GRAD ? a.width * a.factor : a.width;
    int64_t rows = a.batch * height;
    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x)
        for (int i = (int)threadIdx.x; i < width * groups; i += (int)blockDim.x) {
            int64_t n = r / height;
            int     row = (int)(r % height), column = i / groups, c = i % groups * N;
            range   down = sources<GRAD>(a, a.height, row);
            range   across = sources<GRAD>(a, a.width, column);
            float   sum[N] = {}, here[N];
            for (int y = down.first; y < down.end; y++)
                for (int x = across.first; x < across.end; x++) {
                    float part = GRAD ? weight(a, a.height, y, row) * weight(a, a.width, x, column)
                                      : weight(a, a.height, row, y) * weight(a, a.width, column, x);
                    if (part == 0) continue;
                    int64_t at = ((n * from_height + y) * from_width + x) * a.channels + c;
                    stk::load_floats<T, N>((const T *)a.src + at, here);
#pragma unroll
                    for (int k = 0; k < N; k++)
                        sum[k] += part * here[k];
                }
            stk::store_floats<T, N>(sum, (T *)a.dst + (r * width + column) * a.channels + c);
        }
}

template <typename T, bool GRAD>
cudaError_t start(const stk_cuda_upsample_args *args, cudaStream_t stream)
{
    constexpr int N = stk::WIDE<T>;
    int64_t       rows = args->batch * args->height * (GRAD ? 1 : args->factor);
    if (rows == 0 || args->width == 0 || args->channels == 0) return cudaSuccess;
    auto *kernel = args->channels % N == 0 ? gather<T, N, GRAD> : gather<T, 1, GRAD>;
    return STK_CUDA_LAUNCH(kernel, stk::blocks_for(rows, 1), THREADS, 0, stream, *args);
}

template <typename T> cudaError_t start_value(const stk_cuda_upsample_args *args, cudaStream_t s)
{
    return start<T, false>(args, s);
}

template <typename T> cudaError_t start_grad(const stk_cuda_upsample_args *args, cudaStream_t s)
{
    return start<T, true>(args, s);
}

} // namespace

cudaError_t stk_cuda_upsample_launch(const stk_cuda_upsample_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start_value, args, stream);
}

cudaError_t stk_cuda_upsample_grad_launch(const stk_cuda_upsample_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start_grad, args, stream);
}
