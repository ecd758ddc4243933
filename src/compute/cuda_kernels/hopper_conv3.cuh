/* Shared by 3x3 convolutions of 64 channels. A stripe is some result rows with their inputs: two
 * rows more, and a column of zeros at either end, filled by TMA. In shared memory pixels are
 * consecutive lines of 128 bytes. Results are numbered along these lines, with two invalid ones
 * after each row, so a tap reads all of them at a constant offset. No im2col is needed, and each
 * pixel is loaded once for all nine taps. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_CONV3_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_CONV3_CUH

#include "compute/cuda_kernels/hopper.cuh"
#include "compute/cuda_kernels/hopper_conv3.h"
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/tensor_map.cuh"

namespace conv3
{

typedef stk_cuda_conv3_args args;

constexpr int CHANNELS = STK_CUDA_CONV3_CHANNELS, ROWS = STK_CUDA_CONV3_ROWS;
constexpr int TAPS = 9, LINE = CHANNELS * 2; /* bytes */
constexpr int STEP = 16;                     /* depth of one instruction */
constexpr int GROUP = 128;                   /* threads of a warp group */
constexpr int PIECE = 1024;                  /* bytes: period of the swizzle */
constexpr int SHARED = 227 * 1024, BARRIERS = 256;

constexpr int whole_pieces(int bytes)
{
    return (bytes + PIECE - 1) / PIECE * PIECE;
}

template <int WIDTH> struct stripe {
    static constexpr int PITCH = WIDTH + 2;
    static constexpr int RESULTS = ROWS * PITCH;
    static constexpr int PIXELS = (ROWS + 2) * PITCH;
};

/* Consecutive stripes of a block. */
struct share {
    int first, count;
};

inline __host__ __device__ int stripes_of(const args &a)
{
    return a.batch * (a.height / ROWS);
}

inline int blocks_of(const args &a)
{
    return stripes_of(a) < a.processors ? stripes_of(a) : a.processors;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ share share_of(const args &a)
{
    int stripes = stripes_of(a), each = stripes / (int)gridDim.x, more = stripes % (int)gridDim.x;
    int b = (int)blockIdx.x;
    return {b * each + min(b, more), each + (b < more)};
}

__device__ __forceinline__ unsigned char *whole_piece(unsigned char *dynamic)
{
    return (unsigned char *)(((uintptr_t)dynamic + PIECE - 1) / PIECE * PIECE);
}

__device__ __forceinline__ void load_box(void *to, const CUtensorMap *map, uint64_t *barrier,
                                         int column, int row, int image)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(hopper::shared_address(to)),
                 "l"(map), "r"(hopper::shared_address(barrier)), "r"(0), "r"(column), "r"(row),
                 "r"(image)
                 : "memory");
}

__device__ __forceinline__ void store_box(const CUtensorMap *map, const void *from, int row,
                                          int image)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %2, %3, "
                 "%4}], [%1];" ::"l"(map),
                 "r"(hopper::shared_address(from)), "r"(0), "r"(row), "r"(image)
                 : "memory");
}

#endif

/* Tensor map of images in boxes of rows and columns. */
inline cudaError_t encode(const args *a, const void *data, int columns, int rows, CUtensorMap *out)
{
    return hopper::encode<4>(a->dtype, data, {CHANNELS, a->width, a->height, a->batch},
                             {CHANNELS, columns, rows, 1}, out);
}

} // namespace conv3

#endif
