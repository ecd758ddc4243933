/* Two passes as on the CPU: rows to sums, columns to bytes. A thread computes a pixel in the first
 * and a byte in the second; a row of blocks processes one image. Sums have the CPU's order and
 * rounding, so bytes are equal. */
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/resize_images.h"

namespace
{

constexpr int THREADS = 256, CHANNELS_MAX = 3, BLOCKS_MAX = 4096, MOST_IMAGES = 65535;
constexpr int WEIGHT_BITS = 22, STEP_BITS = 2;

__device__ __forceinline__ int32_t rounded(int32_t sum)
{
    int32_t value = (int32_t)((uint32_t)sum + (1u << (WEIGHT_BITS - 1))) >> WEIGHT_BITS;
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Prevents fused multiply-add: the CPU rounds every product. */
__device__ __forceinline__ float add_product(float sum, float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fadd_rn(sum, __fmul_rn(a, b));
#else
    return sum + a * b;
#endif
}

/* Rounds to nearest even. */
__device__ __forceinline__ uint8_t to_byte(float value)
{
    return !(value > 0) ? 0 : value > 255 ? 255 : (uint8_t)rintf(value);
}

__device__ __forceinline__ void gather_pixel(const stk_cuda_image &p, int32_t row, int32_t x)
{
    const uint8_t *at = p.src + (p.row + row) * p.pitch + (int64_t)p.across.first[x] * p.channels;
    const int64_t  weight = (int64_t)x * p.across.taps;
    const int32_t *fixed = (const int32_t *)p.across.weights + weight;
    const float   *real = (const float *)p.across.weights + weight;
    stk_cuda_sum   sums[CHANNELS_MAX] = {};
    for (int32_t k = 0; k < p.across.taps; k++, at += p.channels)
        for (int c = 0; c < CHANNELS_MAX; c++) {
            if (c >= p.channels) break;
            if (p.kind == STK_RESAMPLE_FLOAT)
                sums[c].real = add_product(sums[c].real, real[k], (float)at[c]);
            else
                sums[c].whole += fixed[k] * at[c];
        }
    stk_cuda_sum *to = p.sums + ((int64_t)row * p.across.count + x) * p.channels;
    for (int c = 0; c < CHANNELS_MAX; c++) {
        if (c >= p.channels) break;
        if (p.kind == STK_RESAMPLE_BYTES) sums[c].whole = rounded(sums[c].whole);
        to[c] = sums[c];
    }
}

__global__ void __launch_bounds__(THREADS) gather(const stk_cuda_image *images)
{
    const stk_cuda_image p = images[blockIdx.y];
    const int64_t        pixels = (int64_t)p.rows * p.across.count;
    const int64_t        step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pixels; i += step)
        gather_pixel(p, (int32_t)(i / p.across.count), (int32_t)(i % p.across.count));
}

__device__ __forceinline__ uint8_t combine_byte(const stk_cuda_image &p, int32_t y, int64_t x,
                                                int64_t stride)
{
    const stk_cuda_sum *at = p.sums + (p.down.first[y] - p.row) * stride + x;
    const int64_t       weight = (int64_t)y * p.down.taps;
    const int32_t      *fixed = (const int32_t *)p.down.weights + weight;
    const float        *real = (const float *)p.down.weights + weight;
    int32_t             whole = p.kind == STK_RESAMPLE_STEPS ? 1 << (STEP_BITS - 1) : 0;
    float               sum = 0;
    for (int32_t k = 0; k < p.down.taps; k++, at += stride)
        if (p.kind == STK_RESAMPLE_FLOAT)
            sum = add_product(sum, real[k], at->real);
        else if (p.kind == STK_RESAMPLE_STEPS)
            whole += fixed[k] * (at->whole >> 4) >> 16;
        else
            whole += fixed[k] * at->whole;
    if (p.kind == STK_RESAMPLE_FLOAT) return to_byte(sum);
    return (uint8_t)(p.kind == STK_RESAMPLE_STEPS ? whole >> STEP_BITS : rounded(whole));
}

__global__ void __launch_bounds__(THREADS) combine(const stk_cuda_image *images)
{
    const stk_cuda_image p = images[blockIdx.y];
    const int64_t        stride = (int64_t)p.across.count * p.channels;
    const int64_t        bytes = stride * p.down.count;
    const int64_t        step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < bytes; i += step)
        p.out[i] = combine_byte(p, (int32_t)(i / stride), i % stride, stride);
}

} // namespace

cudaError_t stk_cuda_resize_images_launch(const stk_cuda_image *images, int count,
                                          int64_t most_sums, int64_t most_bytes,
                                          cudaStream_t stream)
{
    if (count == 0) return cudaSuccess;
    if (count > MOST_IMAGES) return cudaErrorInvalidValue;
    const dim3  first(stk::blocks_for(most_sums, THREADS, BLOCKS_MAX), count);
    const dim3  second(stk::blocks_for(most_bytes, THREADS, BLOCKS_MAX), count);
    cudaError_t code = STK_CUDA_LAUNCH(gather, first, THREADS, 0, stream, images);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH(combine, second, THREADS, 0, stream, images);
}
