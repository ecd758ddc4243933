/* A thread processes N bytes of a row. Partners are read only where they contribute. */
#include "compute/cuda_kernels/edit_images.h"
#include "compute/cuda_kernels/launch.cuh"
#include "edit/edit_pixels.h"

namespace
{

constexpr int THREADS = 256, UNITS = 2, WIDEST = 16;

struct blend {
    const uint8_t *other; /* NULL: there is no partner */
    int32_t        share;
    bool           all, is_first;
    int64_t        left, right, top, bottom; /* of the box, in bytes and rows */
};

__device__ __forceinline__ blend blend_of(const stk_cuda_mix_args &a, int64_t image)
{
    const stk_edit *e = a.edits + image;
    const int64_t   bytes = (int64_t)a.height * a.width * a.channels;
    const int32_t   partner = e->partner;
    blend           b = {};
    if (partner >= 0 && partner < a.batch) b.other = a.images + partner * bytes;
    b.share = stk_edit_fraction(e->fraction);
    b.is_first = image < partner;
    b.all = e->box[2] == 0;
    b.left = (int64_t)e->box[0] * a.channels;
    b.right = b.left + (int64_t)e->box[2] * a.channels;
    b.top = e->box[1];
    b.bottom = b.top + e->box[3];
    return b;
}

/* Bytes of row y from column on: of the image, and of the partner where it contributes. */
template <int N>
__device__ __forceinline__ stk::pack<uint8_t, N> mix(const blend &b, stk::pack<uint8_t, N> mine,
                                                     int64_t at, int32_t y, int32_t column)
{
    const bool crossed = y >= b.top && y < b.bottom && column < b.right && column + N > b.left;
    if (!b.other || !(b.all || crossed)) return mine;
    const auto other = *(const stk::pack<uint8_t, N> *)(b.other + at);
#pragma unroll
    for (int i = 0; i < N; i++) {
        const bool inside = column + i >= b.left && column + i < b.right;
        if (b.all)
            mine.at[i] = (uint8_t)stk_edit_mix(mine.at[i], other.at[i], b.share, b.is_first);
        else if (inside)
            mine.at[i] = other.at[i];
    }
    return mine;
}

template <int N> __global__ void __launch_bounds__(THREADS) mix_rows(stk_cuda_mix_args a, int parts)
{
    const int64_t                 image = blockIdx.x / parts, part = blockIdx.x % parts;
    const int32_t                 row = a.width * a.channels;
    const int64_t                 bytes = (int64_t)a.height * row, base = image * bytes;
    const blend                   b = blend_of(a, image);
    typedef stk::pack<uint8_t, N> some;
#pragma unroll
    for (int u = 0; u < UNITS; u++) {
        const int64_t at = ((part * UNITS + u) * THREADS + threadIdx.x) * N;
        if (at >= bytes) continue;
        const some mine = *(const some *)(a.images + base + at);
        *(some *)(a.out + base + at) =
            mix<N>(b, mine, at, (int32_t)(at / row), (int32_t)(at % row));
    }
}

} // namespace

cudaError_t stk_cuda_mix_launch(const stk_cuda_mix_args *args, cudaStream_t stream)
{
    const int64_t row = (int64_t)args->width * args->channels, bytes = row * args->height;
    const int     wide = row % WIDEST == 0 ? WIDEST : row % 4 == 0 ? 4 : 1;
    const int64_t share = (int64_t)UNITS * THREADS * wide, parts = (bytes + share - 1) / share;
    auto *kernel = wide == WIDEST ? mix_rows<WIDEST> : wide == 4 ? mix_rows<4> : mix_rows<1>;
    if (args->batch == 0 || bytes == 0) return cudaSuccess;
    if (parts * args->batch > INT32_MAX) return cudaErrorInvalidValue;
    return STK_CUDA_LAUNCH(kernel, (int)(parts * args->batch), THREADS, 0, stream, *args,
                           (int)parts);
}
