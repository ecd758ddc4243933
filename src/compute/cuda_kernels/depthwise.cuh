/* Shared by depthwise kernels: streams the rows of image strips through a ring of slots in shared
 * memory. Pixels outside are zeros. */
#ifndef STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_CUH
#define STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_CUH

#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/launch.cuh"
#include <type_traits>
#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#endif

namespace stk
{

using dw_plan = stk_cuda_depthwise_plan;
using dw_word = uint32_t;

template <typename T> constexpr int DW_V = sizeof(dw_word) / sizeof(T); /* channels per word */

template <typename T, int V> __device__ __forceinline__ void dw_unpack(dw_word word, float (&to)[V])
{
    pack<T, V> p;
    memcpy(&p, &word, sizeof p);
#pragma unroll
    for (int v = 0; v < V; v++)
        to[v] = to_float(p.at[v]);
}

template <typename T> __device__ __forceinline__ dw_word dw_pack(const float (&from)[DW_V<T>])
{
    dw_word word;
    if constexpr (sizeof(T) == sizeof word) {
        memcpy(&word, from, sizeof word);
    } else if constexpr (std::is_same_v<T, __half>) {
        __half2 both = __floats2half2_rn(from[0], from[1]);
        memcpy(&word, &both, sizeof word);
    } else {
        __nv_bfloat162 both = __floats2bfloat162_rn(from[0], from[1]);
        memcpy(&word, &both, sizeof word);
    }
    return word;
}

/* An item: image, strip and segment. */
struct dw_item {
    int n, strip, segment;

    __device__ __forceinline__ dw_item(const dw_plan &p, int item)
    {
        int rest = item / p.strips;
        strip = item - rest * p.strips, n = rest / p.segments, segment = rest - n * p.segments;
    }
    __device__ __forceinline__ void go_on(const dw_plan &p)
    {
        if (++strip < p.strips) return;
        strip = 0;
        if (++segment < p.segments) return;
        segment = 0, n++;
    }
};

/* Position of a thread in its block, and its channels. */
struct dw_lane {
    int  first, word, group; /* the block's first word of a pixel; the thread's word in it */
    bool any;

    __device__ __forceinline__ dw_lane(const dw_plan &p)
    {
        first = (int)(blockIdx.x % (unsigned)p.chunks) * p.wide;
        group = (int)threadIdx.x / p.wide;
        word = (int)threadIdx.x - group * p.wide;
        any = first + word < p.words;
    }
};

/* Copies rows of a tensor to shared memory, count columns each. A thread copies one unit of every
 * step-th column. */
struct dw_feed {
    const dw_word *tensor; /* from the block's first word */
    int            height, width, words, wide, count;
    int            column, step; /* the thread's first column, and its column stride */
    int            place;        /* offset of its words in a slot */
    bool           any;          /* the unit lies within the pixel */
    const dw_word *from;         /* source of its next row, if inside */
    int            row, end;     /* the next row; rows from end on are zeros */
    unsigned       inside;       /* bits of its columns inside the image */

    __device__ __forceinline__ dw_feed(const dw_plan &p, const dw_lane &lane, const void *data,
                                       int rows, int columns, int count_)
        : tensor((const dw_word *)data + lane.first), height(rows), width(columns), words(p.words),
          wide(p.wide), count(count_), step(p.groups * p.unit), from(tensor), row(0), end(0),
          inside(0)
    {
        int units = p.wide / p.unit;
        column = (int)threadIdx.x / units;
        place = ((int)threadIdx.x - column * units) * p.unit;
        any = lane.first + place < words;
        place += column * wide;
    }

    /* Starts at row row_ of image n and column first; rows from end_ on are not needed. */
    __device__ __forceinline__ void enter(int n, int row_, int first, int end_)
    {
        row = row_, end = min(end_, height), inside = 0;
        from = tensor + (int64_t)n * height * width * words +
               ((row * width + first) * words + column * (words - wide) + place);
        unsigned bit = any ? 1 : 0;
#pragma unroll 1
        for (int c = column; c < count; c += step, bit <<= 1)
            if (first + c >= 0 && first + c < width) inside |= bit;
    }

    /* Copies the next row to the slot at `to`; UNIT is the plan's. Few threads have a second
     * column. */
    template <int UNIT> __device__ __forceinline__ void copy(dw_word *to)
    {
        unsigned left = row >= 0 && row < end ? inside : 0;
        if (column < count) copy_unit<UNIT>(to + place, from, left);
        if (column + step < count) copy_rest<UNIT>(to + place, left);
        row++, from += width * words;
    }

    template <int UNIT>
    __device__ __forceinline__ void copy_unit(dw_word *to, const dw_word *at, unsigned there) const
    {
        constexpr size_t BYTES = UNIT * sizeof *to;
        __pipeline_memcpy_async(to, at, BYTES, there & 1 ? 0 : BYTES);
    }

    template <int UNIT> __device__ __forceinline__ void copy_rest(dw_word *to, unsigned left) const
    {
        const dw_word *at = from;
#pragma unroll 1
        for (int c = column + step; c < count; c += step) {
            at += step * words, to += step * wide, left >>= 1;
            copy_unit<UNIT>(to, at, left);
        }
    }
};

/* Processes all items of the block. fetch.enter(item) and fetch.copy(slot) run AHEAD steps before
 * use.enter(item) and use(slot). A barrier separates use of a slot from its refill. */
template <int AHEAD, typename Fetch, typename Use>
__device__ __forceinline__ void dw_stream(const dw_plan &p, dw_word *ring, int slot_words,
                                          Fetch &fetch, Use &use)
{
    int64_t block = blockIdx.x / (unsigned)p.chunks;
    int     begin = (int)(block * p.items / p.blocks);
    int     steps = ((int)((block + 1) * p.items / p.blocks) - begin) * p.steps, ahead = steps;
    int     last = AHEAD * slot_words, to = 0, slot = 0, step_ahead = 0, step = 0;
    dw_item item(p, begin), item_ahead = item;
#pragma unroll 1
    for (int left = steps + AHEAD; left > 0; left--) {
        __pipeline_wait_prior(AHEAD - 1);
        __syncthreads();
        if (ahead > 0) {
            if (step_ahead == 0) fetch.enter(item_ahead);
            if (p.unit == 4)
                fetch.template copy<4>(ring + to);
            else
                fetch.template copy<1>(ring + to);
            if (++step_ahead == p.steps) step_ahead = 0, item_ahead.go_on(p);
            to = to == last ? 0 : to + slot_words, ahead--;
        }
        __pipeline_commit();
        if (left > steps) continue;
        if (step == 0) use.enter(item);
        use(ring + slot);
        slot = slot == last ? 0 : slot + slot_words;
        if (++step == p.steps) step = 0, item.go_on(p);
    }
}

/* Loads COLS columns of a row in a slot, from column on. */
template <typename T, int V, int COLS>
__device__ __forceinline__ void dw_read(const dw_plan &p, const dw_lane &lane, const dw_word *row,
                                        int column, float (&to)[COLS][V])
{
    const dw_word *at = row + column * p.wide + lane.word;
#pragma unroll
    for (int j = 0; j < COLS; j++)
        dw_unpack<T, V>(at[j * p.wide], to[j]);
}

/* Work of a thread for a filter of K_ and stride S_. */
template <typename T, int K_, int S_> struct dw_share {
    static constexpr int K = K_, S = S_, V = DW_V<T>, TURNS = STK_CUDA_DW_TURNS(K, S);
    static constexpr int COLUMNS = STK_CUDA_DW_COLUMNS(K, S),
                         COLS = S * (COLUMNS - 1) + K; /* of x */
    static constexpr int LIVE = (K - 1) / S + 1; /* rows of y that a row of x contributes to */
};

/* Row I of the rows of x of turn TURN: calls tap(ky, kx, at, t, v) for all its contributions. y is
 * a ring of rows, at is the slot there; its last row starts with this row of x. */
template <typename Share, int TURN, int I, typename Tap>
__device__ __forceinline__ void dw_each_tap(const Tap &tap)
{
#pragma unroll
    for (int live = 0; live < Share::LIVE; live++) {
        const int ky = I + Share::S * (Share::LIVE - 1 - live), at = (live + TURN) % Share::LIVE;
        if (ky >= Share::K) continue;
#pragma unroll
        for (int kx = 0; kx < Share::K; kx++)
#pragma unroll
            for (int t = 0; t < Share::COLUMNS; t++)
#pragma unroll
                for (int v = 0; v < Share::V; v++)
                    tap(ky, kx, at, t, v);
    }
}

/* If a step is one turn, the ring is rotated by moving registers. */
template <int V, int LIVE, int COLUMNS>
__device__ __forceinline__ void dw_shift(float (&ring)[LIVE][COLUMNS][V])
{
#pragma unroll
    for (int live = 0; live + 1 < LIVE; live++)
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
#pragma unroll
            for (int v = 0; v < V; v++)
                ring[live][t][v] = ring[live + 1][t][v];
}

/* Loads weights [channel][tap] of the thread's channels; flip rotates the filter by 180 degrees. */
template <typename T, int V, int TAPS>
__device__ __forceinline__ void dw_weights(const dw_lane &lane, const void *w, bool flip,
                                           float (&to)[TAPS][V])
{
    const T *mine = (const T *)w + (int64_t)(lane.first + lane.word) * (V * TAPS);
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
#pragma unroll
        for (int v = 0; v < V; v++)
            to[tap][v] = lane.any ? to_float(mine[v * TAPS + (flip ? TAPS - 1 - tap : tap)]) : 0.0f;
}

/* Writes rows of results, COUNT columns each, with clip and addend. */
template <typename T, int V, int COUNT> struct dw_writer {
    const stk_cuda_conv_args &a;
    const dw_plan            &p;
    const dw_lane            &lane;
    int                       height, width;
    dw_word                  *image;      /* the thread's word of the image */
    int                       row, at;    /* the next row, and offset of its first column */
    int                       begin, end; /* range of rows to write */
    unsigned                  inside;     /* bits of columns */

    __device__ __forceinline__ dw_writer(const stk_cuda_conv_args &a_, const dw_plan &p_,
                                         const dw_lane &lane_, int rows, int columns)
        : a(a_), p(p_), lane(lane_), height(rows), width(columns), image(nullptr), row(0), at(0),
          begin(0), end(0), inside(0)
    {
    }

    /* Starts at row row_. Skips rows before row_ + skip and from count on. */
    __device__ __forceinline__ void enter(int n, int row_, int skip, int count, int column)
    {
        image = (dw_word *)a.out + (int64_t)n * height * width * p.words + (lane.first + lane.word);
        row = row_, at = (row * width + column) * p.words, inside = 0;
        begin = max(row + skip, 0), end = min(row + skip + count, height);
#pragma unroll
        for (int t = 0; t < COUNT; t++)
            if (lane.any && column + t >= 0 && column + t < width) inside |= 1u << t;
    }

    /* Returns whether the row was to be written. */
    __device__ __forceinline__ bool write(float (&value)[COUNT][V])
    {
        bool wanted = row >= begin && row < end;
        if (wanted) {
            if (!p.plain) finish(value);
#pragma unroll
            for (int t = 0; t < COUNT; t++)
                if (inside >> t & 1) image[at + t * p.words] = dw_pack<T>(value[t]);
        }
        row++, at += width * p.words;
        return wanted;
    }

    __device__ __forceinline__ void finish(float (&value)[COUNT][V]) const
    {
        const dw_word *more = (const dw_word *)a.addend;
        if (more) more += image - (const dw_word *)a.out;
#pragma unroll
        for (int t = 0; t < COUNT; t++) {
            float add[V] = {};
            if (more && inside >> t & 1) dw_unpack<T, V>(more[at + t * p.words], add);
#pragma unroll
            for (int v = 0; v < V; v++) {
                float x = value[t][v];
                value[t][v] = (x < a.low ? a.low : x > a.high ? a.high : x) + add[v];
            }
        }
    }
};

} // namespace stk

/* Calls f<T, K, S>(...) for the filter and stride of args. */
#define STK_CUDA_DW_EACH(T, args, f, ...)                                                          \
    ((args)->down.kernel == 3                                                                      \
         ? (args)->down.stride == 1 ? f<T, 3, 1>(__VA_ARGS__) : f<T, 3, 2>(__VA_ARGS__)            \
     : (args)->down.stride == 1 ? f<T, 5, 1>(__VA_ARGS__)                                          \
                                : f<T, 5, 2>(__VA_ARGS__))

/* The same with the type of args. */
#define STK_CUDA_DW_FLOATS(args, f, ...)                                                           \
    ((args)->dtype == STK_DTYPE_F32    ? STK_CUDA_DW_EACH(float, args, f, __VA_ARGS__)             \
     : (args)->dtype == STK_DTYPE_F16  ? STK_CUDA_DW_EACH(__half, args, f, __VA_ARGS__)            \
     : (args)->dtype == STK_DTYPE_BF16 ? STK_CUDA_DW_EACH(__nv_bfloat16, args, f, __VA_ARGS__)     \
                                       : cudaErrorInvalidValue)

#endif
