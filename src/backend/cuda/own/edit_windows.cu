/* Windows of pictures without steps. A thread takes N bytes of a row of the result at once, in
 * words where all of them are within the source. */
#include "backend/cuda/own/edit_window.cuh"

namespace
{

constexpr int THREADS = 256, UNITS = 2, WIDEST = 16;
constexpr int READ_AHEAD = 8; /* bytes after N ones that may be read with them */

/* Byte column of a row, wherever it comes from. */
template <int C>
__device__ __forceinline__ uint8_t any_byte(const stk_cuda_edit_args &a, const stk::edit_window &w,
                                            const uint8_t *row, int32_t column)
{
    const int32_t pixel = column / C, c = column % C;
    const int64_t across = w.flip & STK_EDIT_FLIP_X ? a.width - 1 - pixel : pixel;
    const int32_t from = row ? stk_edit_place(w.x + across, a.source_width, w.border) : -1;
    return from < 0 ? (uint8_t)(w.fill >> (8 * c)) : row[(int64_t)from * C + c];
}

/* Words from any address: aligned ones, the first and the last of which hold others, too. */
template <int WORDS>
__device__ __forceinline__ void load_words(const uint8_t *from, uint32_t (&word)[WORDS])
{
    const uintptr_t at = (uintptr_t)from;
    const uint32_t *aligned = (const uint32_t *)(at & ~(uintptr_t)3);
    const unsigned  shift = 8 * (unsigned)(at & 3);
    uint32_t        two[2] = {aligned[0], 0};
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        two[1] = aligned[i + 1];
        word[i] = __funnelshift_r(two[0], two[1], shift);
        two[0] = two[1];
    }
}

/* 16 bytes of a mirrored row, of which the first is that of channel in its pixel: of six pixels in
 * three colours, from the one that becomes the last on; or as many in grey. */
template <int C>
__device__ __forceinline__ void load_mirrored(const uint8_t *from, int32_t channel,
                                              uint32_t (&word)[4])
{
    uint32_t m[5] = {};
    if constexpr (C == 3) {
        uint32_t w[5];
        load_words(from, w);
        m[0] = __byte_perm(w[3], w[4], 0x0543);
        m[1] = __byte_perm(w[2], w[3], 0x2165);
        m[2] = __byte_perm(w[1], w[2], 0x4327);
        m[3] = __byte_perm(w[0], w[1], 0x0543);
        m[4] = __byte_perm(w[0], 0, 0x4421);
    } else {
        uint32_t w[4];
        load_words(from, w);
#pragma unroll
        for (int i = 0; i < 4; i++)
            m[i] = __byte_perm(w[3 - i], 0, 0x0123);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        word[i] = __funnelshift_r(m[i], m[i + 1], 8 * (unsigned)channel);
}

/* The same for four: byte by byte. */
template <int C>
__device__ __forceinline__ void load_mirrored(const uint8_t *from, int32_t channel,
                                              uint32_t (&word)[1])
{
    word[0] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int32_t column = channel + i, last = (channel + 3) / C;
        word[0] |= (uint32_t)from[(last - column / C) * C + column % C] << (8 * i);
    }
}

/* N bytes of row y from column on; all of the row's are a multiple of N. */
template <int C, int N>
__device__ __forceinline__ void copy_bytes(const stk_cuda_edit_args &a, const stk::edit_window &w,
                                           int32_t y, int32_t column, uint8_t *out)
{
    const uint8_t *row = stk::source_row(a, w, y);
    if constexpr (N >= 4) {
        const bool     mirrored = w.flip & STK_EDIT_FLIP_X;
        const int32_t  first = column / C, last = (column + N - 1) / C;
        const int64_t  left = (int64_t)w.x + (mirrored ? a.width - 1 - last : first);
        const bool     inside = row && left >= 0 && left + (last - first) < a.source_width;
        const uint8_t *from = inside ? row + left * C : w.end;
        if (from + N + READ_AHEAD <= w.end) {
            stk::pack<uint32_t, N / 4> word;
            if (mirrored)
                load_mirrored<C>(from, column % C, word.at);
            else
                load_words(from + column % C, word.at);
            *(stk::pack<uint32_t, N / 4> *)out = word;
            return;
        }
    }
#pragma unroll 1
    for (int i = 0; i < N; i++)
        out[i] = any_byte<C>(a, w, row, column + i);
}

template <int C, int N>
__global__ void __launch_bounds__(THREADS) copy_windows(stk_cuda_edit_args a, int parts)
{
    const int64_t          picture = blockIdx.x / parts;
    const int32_t          part = (int32_t)(blockIdx.x % parts), across = a.width * C / N;
    const stk::edit_window w = stk::window_of(a, a.edits + picture);
    uint8_t               *out = a.out + picture * ((int64_t)a.height * a.width * C);
    if (w.source && a.edits[picture].step[0].kind != STK_EDIT_END) return;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        const int32_t at = (part * UNITS + i) * THREADS + (int32_t)threadIdx.x, y = at / across;
        if (y >= a.height) continue;
        if (w.source)
            copy_bytes<C, N>(a, w, y, (at - y * across) * N, out + (int64_t)at * N);
        else
            *(stk::pack<uint8_t, N> *)(out + (int64_t)at * N) = {};
    }
}

template <int C> cudaError_t start(const stk_cuda_edit_args *a, cudaStream_t stream)
{
    const int32_t row = a->width * C;
    const int     wide = row % WIDEST == 0 ? WIDEST : row % 4 == 0 ? 4 : 1;
    const int64_t share = (int64_t)UNITS * THREADS * wide;
    const int64_t parts = ((int64_t)a->height * row + share - 1) / share;
    auto         *kernel = wide == WIDEST ? copy_windows<C, WIDEST>
                           : wide == 4    ? copy_windows<C, 4>
                                          : copy_windows<C, 1>;
    if (parts * a->batch > INT32_MAX) return cudaErrorInvalidValue;
    return STK_CUDA_LAUNCH(kernel, (int)(parts * a->batch), THREADS, 0, stream, *a, (int)parts);
}

} // namespace

cudaError_t stk_cuda_edit_windows_launch(const stk_cuda_edit_args *args, cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    return args->channels == 3 ? start<3>(args, stream) : start<1>(args, stream);
}
