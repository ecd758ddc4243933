/* A thread processes pixels with a stride of the block's size. A padded pixel is one access of 8 or
 * 16 bytes, coalesced between threads. */
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/normalize_image.h"

namespace
{

constexpr int THREADS = 256, PIXELS = 4, CHANNELS = STK_CUDA_IMAGE_CHANNELS;

/* P: elements of a padded pixel; 0: no padding. */
template <typename T, int P>
__device__ __forceinline__ void write(const stk_cuda_normalize_image_args &a, const uint8_t *bytes,
                                      int64_t pixel)
{
    float value[P ? P : CHANNELS] = {};
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
        if (c < a.channels) value[c] = (float)bytes[c] * a.scale[c] + a.shift[c];
    if constexpr (P > 0) {
        stk::store_floats<T, P>(value, (T *)a.y + pixel * P);
    } else {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            if (c < a.channels) stk::from_float(value[c], ((T *)a.y)[pixel * a.channels + c]);
    }
}

template <typename T, int P>
__global__ void __launch_bounds__(THREADS) normalize(stk_cuda_normalize_image_args a)
{
    int64_t first = (int64_t)blockIdx.x * THREADS * PIXELS + threadIdx.x;
    uint8_t bytes[PIXELS][CHANNELS];
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            if (first + i * THREADS < a.pixels && c < a.channels)
                bytes[i][c] = a.x[(first + i * THREADS) * a.channels + c];
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
        if (first + i * THREADS < a.pixels) write<T, P>(a, bytes[i], first + i * THREADS);
}

template <typename T> cudaError_t start(const stk_cuda_normalize_image_args *args, cudaStream_t s)
{
    constexpr int FOUR = 4, WIDE = stk::WIDE<T>;
    auto         *kernel = args->padded == FOUR   ? normalize<T, FOUR>
                           : args->padded == WIDE ? normalize<T, WIDE>
                                                  : normalize<T, 0>;
    bool          whole = args->padded == FOUR || args->padded == WIDE;
    int64_t       blocks = (args->pixels + THREADS * PIXELS - 1) / (THREADS * PIXELS);
    if (blocks > INT32_MAX || (!whole && args->padded != args->channels))
        return cudaErrorInvalidValue;
    return STK_CUDA_LAUNCH(kernel, (int)blocks, THREADS, 0, s, *args);
}

} // namespace

cudaError_t stk_cuda_normalize_image_launch(const stk_cuda_normalize_image_args *args,
                                            cudaStream_t                         stream)
{
    if (args->pixels == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
