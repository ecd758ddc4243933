/* Applies edits. Each pixel is computed through all ops at once instead of op by op. Only means for
 * contrast, and inputs of a warp other than the source, are computed in earlier passes. Many blocks
 * share an image. */
#include "compute/cuda_kernels/edit_copy.cuh"
#include "compute/cuda_kernels/edit_gather.cuh"

namespace
{

using stk::edit_work, stk::TILE_HEIGHT, stk::TILE_WIDTH;

constexpr int TILES = 7 * stk::EDIT_WARPS; /* per part */
constexpr int BLOCKS_MAX = 528;            /* of passes that may be empty: as many as run at once */

/* The four adjacent pixels of a thread. */
__device__ __forceinline__ void place_group(stk::edit_position tile, stk::edit_group &g)
{
    const int lane = (int)threadIdx.x % stk::WARP;
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++) {
        g.x[i] = tile.x + lane % 8 * stk::EDIT_GROUP + i;
        g.y[i] = tile.y + lane / 8;
    }
}

/* The bytes of four pixels in memory order. */
template <int C, bool MIRRORED>
__device__ __forceinline__ void unpack(const uint32_t (&word)[C], stk::edit_group &g)
{
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++) {
        const int from = C * (MIRRORED ? stk::EDIT_GROUP - 1 - i : i);
#pragma unroll
        for (int c = 0; c < 3; c++)
            g.pixel[i].of[c] =
                c < C ? stk::level_of_byte(word[(from + c) / 4], (uint32_t)(from + c) % 4) : 0;
    }
}

/* From a window inside of its source, with rows of complete groups. Threads past the end load the
 * last. */
template <int C>
__device__ __forceinline__ stk::edit_bytes<4 * C> fetch(const edit_work &a, const stk::edit_job &j,
                                                        stk::edit_position tile)
{
    const int     lane = (int)threadIdx.x % stk::WARP;
    const int32_t y = min(tile.y + lane / 8, a.height - 1);
    const int32_t left = min(tile.x + lane % 8 * stk::EDIT_GROUP, a.width - stk::EDIT_GROUP);
    const int32_t x = j.right < 0 ? left + stk::EDIT_GROUP - 1 : left;
    return stk::fetch_bytes<4 * C>(j.origin + (y * j.down + x * j.right));
}

template <int C>
__device__ __forceinline__ void unpack(const stk::edit_job &j, const stk::edit_bytes<4 * C> &bytes,
                                       stk::edit_group &g)
{
    uint32_t word[C];
    stk::align_bytes<4 * C>(bytes, word);
    if (j.right < 0)
        unpack<C, true>(word, g);
    else
        unpack<C, false>(word, g);
}

/* From any window, byte by byte. Each thread computes one column of the tile for all. */
__device__ __forceinline__ void load_around(const edit_work &a, const stk::edit_job &j,
                                            stk::edit_position tile, stk::edit_group &g)
{
    const stk::edit_window &w = j.window;
    const int32_t           lane = (int32_t)threadIdx.x % stk::WARP;
    const int32_t           x = min(tile.x + lane, a.width - 1), y = min(g.y[0], a.height - 1);
    const int64_t           across = w.flip & STK_EDIT_FLIP_X ? a.width - 1 - x : x;
    const uint8_t          *row = stk::source_row(a, w, y);
    const int32_t           mine = stk_edit_place(w.x + across, a.source_width, w.border);
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++) {
        const int32_t  from = __shfl_sync(0xffffffffu, mine, lane % 8 * stk::EDIT_GROUP + i);
        const bool     inside = row && from >= 0;
        const uint8_t *at = (inside ? row + (int64_t)from * a.channels : w.source);
#pragma unroll
        for (int c = 0; c < 3; c++) {
            const uint32_t level = __ldg(at + min(c, a.channels - 1));
            g.pixel[i].of[c] = stk::level_of_byte(inside ? level : (uint32_t)w.fill >> (8 * c), 0);
        }
    }
}

/* The result of gather_tile. */
__device__ __forceinline__ void load_gathered(stk::edit_group &g)
{
    const int  lane = (int)threadIdx.x % stk::WARP;
    const auto word = *(stk::pack<uint32_t, stk::EDIT_GROUP>
                            *)&stk::this_tile()[lane / 8][lane % 8 * stk::EDIT_GROUP];
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++)
        g.pixel[i] = stk::levels_of(word.at[i]);
}

/* The pixels before op first, the one after the last warp. */
template <bool ASKS>
__device__ __forceinline__ void load_group(const edit_work &a, const stk::edit_job &j, int first,
                                           stk::edit_position tile, stk::edit_group &g)
{
    if (first > 0) {
        stk::gather_tile<ASKS>(a, j, first, tile);
        load_gathered(g);
    } else if (!j.is_inside || a.width % stk::EDIT_GROUP) {
        load_around(a, j, tile, g);
    } else {
        unpack<1>(j, fetch<1>(a, j, tile), g);
    }
}

/* Sum over the pixels inside the image. */
__device__ __forceinline__ unsigned sum_group(const edit_work &a, const stk::edit_group &g)
{
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++) {
        const float far = a.channels == 3 ? stk::grey_far(g.pixel[i]) : g.pixel[i].of[0] + stk::FAR;
        const bool  counts = g.x[i] < a.width && g.y[i] < a.height;
        sum += counts ? __float_as_uint(far) - stk::FAR_BITS : 0;
    }
    return sum;
}

/* Stores words if all rows are multiples of them. */
__device__ __forceinline__ void store_group(const edit_work &a, const stk::edit_group &g,
                                            uint8_t *image)
{
    uint8_t *out = image + ((int64_t)g.y[0] * a.width + g.x[0]) * a.channels;
    uint32_t word[stk::EDIT_GROUP];
    if (g.y[0] >= a.height || g.x[0] >= a.width) return;
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++)
        word[i] = stk::word_of(g.pixel[i]);
    if (a.width % stk::EDIT_GROUP == 0 && a.channels == 3) {
        uint32_t *to = (uint32_t *)out;
        to[0] = __byte_perm(word[0], word[1], 0x4210);
        to[1] = __byte_perm(word[1], word[2], 0x5421);
        to[2] = __byte_perm(word[2], word[3], 0x6542);
        return;
    }
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++)
        for (int c = 0; c < a.channels && g.x[i] < a.width; c++)
            out[i * a.channels + c] = (uint8_t)(word[i] >> (8 * c));
}

/* Tiles after some ops: stored to the image at out, or summed as grey if it is NULL. Direct loads
 * are prefetched one tile ahead. */
template <bool ASKS>
__device__ __forceinline__ uint64_t make_tiles(const edit_work &a, const stk::edit_job &j,
                                               int steps, int32_t begin, int32_t end, uint8_t *out)
{
    const int     first = stk::last_warp(j, steps);
    const int32_t across = (a.width + TILE_WIDTH - 1) / TILE_WIDTH;
    const int32_t mine = begin + (int32_t)threadIdx.x / stk::WARP;
    const bool    is_ahead =
        first == 0 && j.is_inside && a.channels == 3 && a.width % stk::EDIT_GROUP == 0;
    stk::edit_position  tile = {mine % across * TILE_WIDTH, mine / across * TILE_HEIGHT};
    stk::edit_bytes<12> ahead = {};
    unsigned            sum = 0; /* of less than 2^24 pixels */
    if (is_ahead) ahead = fetch<3>(a, j, tile);
    for (int32_t i = mine; i < end; i += stk::EDIT_WARPS) {
        stk::edit_group g;
        place_group(tile, g);
        const stk::edit_position here = tile;
        for (tile.x += stk::EDIT_WARPS * TILE_WIDTH; tile.x >= across * TILE_WIDTH;
             tile.x -= across * TILE_WIDTH)
            tile.y += TILE_HEIGHT;
        if (is_ahead) {
            const stk::edit_bytes<12> bytes = ahead;
            ahead = fetch<3>(a, j, tile);
            unpack<3>(j, bytes, g);
        } else {
            load_group<ASKS>(a, j, first, here, g);
        }
        for (int step = first; step < steps; step++)
            stk::paint_group(j.paint[step], j.lower, g);
        if (out)
            store_group(a, g, out);
        else
            sum += sum_group(a, g);
    }
    return sum;
}

/* Sum over a block, in all threads. */
__device__ __forceinline__ uint64_t block_sum(uint64_t x)
{
    __shared__ uint64_t parts[stk::EDIT_WARPS];
#pragma unroll
    for (int d = stk::WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    __syncthreads();
    if (threadIdx.x % stk::WARP == 0) parts[threadIdx.x / stk::WARP] = x;
    __syncthreads();
    x = 0;
    for (int i = 0; i < stk::EDIT_WARPS; i++)
        x += parts[i];
    return x;
}

__device__ __forceinline__ uint64_t sum_partials(const edit_work &a, int64_t image)
{
    uint64_t sum = 0;
    for (int i = (int)threadIdx.x; i < a.parts; i += stk::EDIT_THREADS)
        sum += a.sums[image * a.parts + i];
    return sum;
}

__device__ __forceinline__ void set_mean(const edit_work &a, stk::edit_job &j, int step,
                                         uint64_t sum)
{
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        j.mean[step] = stk_edit_mean(sum, (uint64_t)a.height * (uint64_t)a.width);
        j.paint[step].other = (float)j.mean[step] * stk::LEVEL;
    }
    __syncthreads();
}

/* An image without a source. */
__device__ __forceinline__ void clear_part(const edit_work &a, int32_t part, uint8_t *out)
{
    const int64_t bytes = (int64_t)a.height * a.width * a.channels, threads = stk::EDIT_THREADS;
    for (int64_t i = part * threads + threadIdx.x; i < bytes; i += a.parts * threads)
        out[i] = 0;
}

/* Computes the image at out after some ops, or the grey sums before the first contrast from an op
 * on. Means depend on earlier ones, so they come in order. Each block computes those that no
 * earlier pass has. */
template <bool ASKS>
__device__ __forceinline__ void take_steps(const edit_work &a, stk::edit_job &j, int64_t item,
                                           int from, int steps, uint8_t *out)
{
    const int32_t part = (int32_t)(item % a.parts);
    for (int i = from; i <= steps; i++) {
        if (i < steps && j.edit.step[i].kind != STK_EDIT_CONTRAST) continue;
        const bool    is_last = i == steps || a.pass == stk::EDIT_COPY;
        const int32_t begin = is_last ? part * TILES : 0;
        const int32_t end = is_last ? min(begin + TILES, a.tiles) : a.tiles;
        uint64_t      sum = i == j.summed && !is_last
                                ? sum_partials(a, item / a.parts)
                                : make_tiles<ASKS>(a, j, i, begin, end, i == steps ? out : nullptr);
        if (i == steps) return;
        if (is_last) {
            sum = block_sum(sum);
            if (threadIdx.x == 0) a.sums[item] = sum;
            return;
        }
        set_mean(a, j, i, sum);
    }
}

/* The ops of an image that a pass computes; false: none. */
__device__ __forceinline__ bool has_work(const edit_work &a, const stk::edit_job &j, bool is_plain)
{
    return a.pass == stk::EDIT_COPY   ? is_plain || j.summed < j.steps
           : a.pass == stk::EDIT_KEEP ? !is_plain && (j.kept >= 0 || j.asks)
                                      : !is_plain && !j.asks;
}

template <bool ASKS> __device__ __forceinline__ void make_item(const edit_work &a, int64_t item)
{
    stk::edit_job &j = stk::this_job();
    const int64_t  image = item / a.parts;
    const int64_t  at = image * ((int64_t)a.height * a.width * a.channels);
    const int32_t  part = (int32_t)(item - image * a.parts);
    stk::begin_job(a, image, j);
    const bool is_plain = !j.window.source || j.steps == 0;
    const bool keeps = a.pass == stk::EDIT_KEEP && !j.asks;
    if (!has_work(a, j, is_plain)) return;
    if (!j.window.source)
        clear_part(a, part, a.out + at);
    else if (is_plain && stk::can_copy(a, j))
        stk::copy_part(a, j, part, a.out + at);
    else
        take_steps<ASKS>(a, j, item, a.pass == stk::EDIT_COPY ? j.summed : j.baked,
                         keeps ? j.kept : j.steps, (keeps ? a.kept : a.out) + at);
}

/* Whether any image of this block has ops. All threads check together, so that empty passes end
 * soon. */
__device__ __forceinline__ bool has_steps(const edit_work &a, int64_t items)
{
    bool any = false;
    for (int64_t i = blockIdx.x + (int64_t)threadIdx.x * gridDim.x; i < items;
         i += (int64_t)stk::EDIT_THREADS * gridDim.x)
        any |= a.edits[i / a.parts].step[0].kind != STK_EDIT_END;
    return __syncthreads_or(any);
}

template <bool ASKS>
__global__ void __launch_bounds__(stk::EDIT_THREADS, 4) edit_images(edit_work a)
{
    const int64_t items = a.batch * a.parts;
    stk::wait_for_earlier();
    if (a.pass != stk::EDIT_COPY && !has_steps(a, items)) return;
    for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
        make_item<ASKS>(a, item);
        __syncthreads();
    }
}

int32_t tiles_of(const stk_cuda_edit_args *a)
{
    return (a->width + TILE_WIDTH - 1) / TILE_WIDTH * ((a->height + TILE_HEIGHT - 1) / TILE_HEIGHT);
}

int32_t parts_of(const stk_cuda_edit_args *a)
{
    return (tiles_of(a) + TILES - 1) / TILES;
}

size_t sums_of(const stk_cuda_edit_args *a)
{
    return (size_t)a->batch * (size_t)parts_of(a) * sizeof(uint64_t);
}

} // namespace

/* Intermediate images are read in words, which may extend past the last one. */
size_t stk_cuda_edit_scratch(const stk_cuda_edit_args *args)
{
    const size_t bytes = (size_t)args->height * (size_t)args->width * (size_t)args->channels;
    return sums_of(args) + (size_t)args->batch * bytes + sizeof(uint32_t);
}

cudaError_t stk_cuda_edit_launch(const stk_cuda_edit_args *args, cudaStream_t stream)
{
    edit_work   a = {};
    cudaError_t status = cudaSuccess;
    *(stk_cuda_edit_args *)&a = *args;
    a.tiles = tiles_of(args);
    a.parts = parts_of(args);
    a.sums = (uint64_t *)args->scratch;
    a.kept = (uint8_t *)args->scratch + sums_of(args);
    if (a.batch * a.parts > INT32_MAX) return cudaErrorInvalidValue;
    for (int pass = stk::EDIT_COPY; pass <= stk::EDIT_MAKE && a.batch > 0 && !status; pass++) {
        const int items = (int)(a.batch * a.parts);
        a.pass = pass;
        auto *kernel = pass == stk::EDIT_KEEP ? edit_images<true> : edit_images<false>;
        status = STK_CUDA_LAUNCH_EARLY(
            kernel, pass == stk::EDIT_COPY ? items : (items < BLOCKS_MAX ? items : BLOCKS_MAX),
            stk::EDIT_THREADS, 0, stream, a);
    }
    return status;
}
