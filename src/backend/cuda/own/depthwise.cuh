/* What kernels of depthwise convolutions share. A thread takes V channels of TW neighbouring
 * columns and goes down some rows; what it read of a row serves all results that the row is part
 * of. The threads of a block take CV such groups of channels, of as many places as there is room
 * for. */
#ifndef STK_BACKEND_CUDA_OWN_DEPTHWISE_CUH
#define STK_BACKEND_CUDA_OWN_DEPTHWISE_CUH

#include "backend/cuda/own/conv.h"
#include "backend/cuda/own/launch.cuh"

namespace stk
{

constexpr int DW_THREADS = 256, DW_COLUMNS = 4, DW_ROWS = 14, DW_CHANNELS = 64;

struct dw_plan {
    int cv;             /* groups of channels of a block */
    int chunks;         /* of cv groups, all channels */
    int places;         /* of a block */
    int columns;        /* groups of columns */
    int segments, rows; /* of a picture; rows of one */
    int items, blocks;  /* places in all; blocks of a chunk for them */
};

/* cv so that few threads have no channels. */
inline int dw_groups(int groups)
{
    int best = WARP, idle = (groups + WARP - 1) / WARP * WARP - groups;
    for (int cv = WARP - 1; cv >= WARP / 2; cv--) {
        int here = (groups + cv - 1) / cv * cv - groups;
        if (here < idle) best = cv, idle = here;
    }
    return groups < WARP ? groups : best;
}

/* Of a picture of height rows and width columns that is cut into groups and segments. */
inline dw_plan dw_plan_of(int64_t batch, int channels, int v, int height, int width)
{
    dw_plan p;
    int     groups = channels / v;
    p.cv = dw_groups(groups);
    p.chunks = (groups + p.cv - 1) / p.cv;
    p.places = DW_THREADS / p.cv;
    p.columns = (width + DW_COLUMNS - 1) / DW_COLUMNS;
    p.segments = (height + DW_ROWS - 1) / DW_ROWS;
    p.rows = ((height + p.segments - 1) / p.segments + 1) / 2 * 2;
    p.segments = (height + p.rows - 1) / p.rows;
    p.items = (int)(batch * p.segments * p.columns);
    p.blocks = (p.items + p.places - 1) / p.places;
    return p;
}

/* Where a thread is: its channels, and for an item its picture, first row and column. */
struct dw_spot {
    int n, row, column;
};

__device__ __forceinline__ int dw_channel(const dw_plan &p, int v)
{
    return ((int)(blockIdx.x % (unsigned)p.chunks) * p.cv + (int)threadIdx.x % p.cv) * v;
}

__device__ __forceinline__ int dw_item(const dw_plan &p)
{
    return (int)(blockIdx.x / (unsigned)p.chunks) * p.places + (int)threadIdx.x / p.cv;
}

__device__ __forceinline__ dw_spot dw_spot_of(const dw_plan &p, int item)
{
    int rest = item / p.columns;
    return dw_spot{rest / p.segments, rest % p.segments * p.rows,
                   (item - rest * p.columns) * DW_COLUMNS};
}

/* V elements of neighbouring channels as one word; offsets in a picture fit 32 bits. */
using dw_word = uint32_t;

template <typename T> constexpr int DW_V = sizeof(dw_word) / sizeof(T);

template <typename T, int V> __device__ __forceinline__ void dw_unpack(dw_word word, float (&to)[V])
{
    pack<T, V> p;
    memcpy(&p, &word, sizeof p);
#pragma unroll
    for (int v = 0; v < V; v++)
        to[v] = to_float(p.at[v]);
}

/* A picture, read in rows of COLS columns from column on; zeros outside of it. */
template <typename T, int COLS> struct dw_reader {
    const T *picture;
    int      first, stride, channels, height; /* first: of row 0, may be outside */
    unsigned inside;                          /* bits of columns */

    __device__ __forceinline__ dw_reader(const T *picture_, int rows, int columns, int channels_,
                                         int column)
        : picture(picture_), first(column * channels_), stride(columns * channels_),
          channels(channels_), height(rows), inside(0)
    {
#pragma unroll
        for (int j = 0; j < COLS; j++)
            if (column + j >= 0 && column + j < columns) inside |= 1u << j;
    }

    /* Nothing of a row that is outside, or not wanted, is read. */
    __device__ __forceinline__ void read(int row, bool wanted, dw_word (&to)[COLS]) const
    {
        unsigned mask = wanted && row >= 0 && row < height ? inside : 0;
        int      from = first + row * stride;
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            to[j] = 0;
            if (mask >> j & 1)
                to[j] = *reinterpret_cast<const dw_word *>(picture + (from + j * channels));
        }
    }
};

template <typename T, int V, int COLS>
__device__ __forceinline__ void dw_floats(const dw_word (&from)[COLS], float (&to)[COLS][V])
{
#pragma unroll
    for (int j = 0; j < COLS; j++)
        dw_unpack<T, V>(from[j], to[j]);
}

/* Weights [channel][tap] of the block's channels, by tap in shared memory, then those of the
 * thread; turned by half a circle where flip says so. */
template <typename T, int V, int TAPS>
__device__ __forceinline__ void dw_weights(const dw_plan &p, const T *w, int channels, bool flip,
                                           float (&to)[TAPS][V])
{
    __shared__ float shared[TAPS][DW_CHANNELS];
    int              first = (int)(blockIdx.x % (unsigned)p.chunks) * p.cv * V;
    int              count = min(p.cv * V, channels - first) * TAPS;
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
        int tap = i % TAPS;
        shared[flip ? TAPS - 1 - tap : tap][i / TAPS] = to_float(w[(int64_t)first * TAPS + i]);
    }
    __syncthreads();
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
#pragma unroll
        for (int v = 0; v < V; v++)
            to[tap][v] = shared[tap][(int)threadIdx.x % p.cv * V + v];
}

} // namespace stk

/* Calls f<T, V, K, S>(...) for the kernel and stride of args. */
#define STK_CUDA_DW_EACH(T, V, args, f, ...)                                                       \
    ((args)->down.kernel == 3                                                                      \
         ? (args)->down.stride == 1 ? f<T, V, 3, 1>(__VA_ARGS__) : f<T, V, 3, 2>(__VA_ARGS__)      \
     : (args)->down.stride == 1 ? f<T, V, 5, 1>(__VA_ARGS__)                                       \
                                : f<T, V, 5, 2>(__VA_ARGS__))

/* The same with the type of args, and two channels at a time where they are of 16 bits. */
#define STK_CUDA_DW_FLOATS(args, f, ...)                                                           \
    ((args)->dtype == STK_DTYPE_F32    ? STK_CUDA_DW_EACH(float, 1, args, f, __VA_ARGS__)          \
     : (args)->dtype == STK_DTYPE_F16  ? STK_CUDA_DW_EACH(__half, 2, args, f, __VA_ARGS__)         \
     : (args)->dtype == STK_DTYPE_BF16 ? STK_CUDA_DW_EACH(__nv_bfloat16, 2, args, f, __VA_ARGS__)  \
                                       : cudaErrorInvalidValue)

#endif
