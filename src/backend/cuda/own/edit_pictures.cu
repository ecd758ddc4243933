/* Pictures as edits say. Steps are not carried out one after the other on whole pictures: each
 * pixel is made at once, with as many steps as there are. Only the means that contrast needs, and
 * what a warp looks at where that is not the source itself, are found in passes before. Many blocks
 * share a picture. */
#include "backend/cuda/own/edit_copy.cuh"
#include "backend/cuda/own/edit_gather.cuh"

namespace
{

using stk::edit_work, stk::TILE_HEIGHT, stk::TILE_WIDTH;

constexpr int TILES = 7 * stk::EDIT_WARPS; /* of a block */

/* The four pixels of a thread, side by side. */
__device__ __forceinline__ void place_group(stk::edit_place tile, stk::edit_group &g)
{
    const int lane = (int)threadIdx.x % stk::WARP;
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++) {
        g.x[i] = tile.x + lane % 8 * stk::EDIT_GROUP + i;
        g.y[i] = tile.y + lane / 8;
    }
}

/* The bytes of four pixels, in the order of memory. */
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

/* Of a window that is inside, with rows of whole groups. Threads past the end load the last. */
template <int C>
__device__ __forceinline__ void load_inside(const edit_work &a, const stk::edit_job &j,
                                            stk::edit_group &g)
{
    const int32_t x = min(g.x[0], a.width - stk::EDIT_GROUP), y = min(g.y[0], a.height - 1);
    const bool    mirrored = j.right < 0;
    uint32_t      word[C];
    stk::load_bytes<4 * C>(
        j.origin + (y * j.down + (mirrored ? x + stk::EDIT_GROUP - 1 : x) * j.right), word);
    if (mirrored)
        unpack<C, true>(word, g);
    else
        unpack<C, false>(word, g);
}

/* Of any window, byte by byte. Each thread finds the place of one column of the tile for all. */
__device__ __forceinline__ void load_around(const edit_work &a, const stk::edit_job &j,
                                            stk::edit_place tile, stk::edit_group &g)
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

/* What gather_tile has left. */
__device__ __forceinline__ void load_gathered(stk::edit_group &g)
{
    const int  lane = (int)threadIdx.x % stk::WARP;
    const auto word = *(stk::pack<uint32_t, stk::EDIT_GROUP>
                            *)&stk::this_tile()[lane / 8][lane % 8 * stk::EDIT_GROUP];
#pragma unroll
    for (int i = 0; i < stk::EDIT_GROUP; i++)
        g.pixel[i] = stk::levels_of(word.at[i]);
}

/* Four pixels after some steps, the last warp of which ends where step first begins. */
__device__ __forceinline__ void make_group(const edit_work &a, const stk::edit_job &j, int first,
                                           int steps, stk::edit_place tile, stk::edit_group &g)
{
    place_group(tile, g);
    if (first > 0) {
        stk::gather_tile(a, j, first, tile);
        load_gathered(g);
    } else if (!j.is_inside || a.width % stk::EDIT_GROUP) {
        load_around(a, j, tile, g);
    } else if (a.channels == 3) {
        load_inside<3>(a, j, g);
    } else {
        load_inside<1>(a, j, g);
    }
    for (int i = first; i < steps; i++)
        stk::paint_group(j.paint[i], j.lower, g);
}

/* Of the pixels that are in the picture. */
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

/* As words where every row is made of such. */
__device__ __forceinline__ void store_group(const edit_work &a, const stk::edit_group &g,
                                            uint8_t *picture)
{
    uint8_t *out = picture + ((int64_t)g.y[0] * a.width + g.x[0]) * a.channels;
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

/* Some tiles after some steps: written to the picture at out, or, where that is NULL, summed as
 * greys. */
__device__ __forceinline__ uint64_t make_tiles(const edit_work &a, const stk::edit_job &j,
                                               int steps, int32_t begin, int32_t end, uint8_t *out)
{
    const int     first = stk::last_warp(j, steps);
    const int32_t across = (a.width + TILE_WIDTH - 1) / TILE_WIDTH;
    const int32_t mine = begin + (int32_t)threadIdx.x / stk::WARP;
    unsigned      sum = 0; /* of less than 2^24 pixels */
    int32_t       x = mine % across, y = mine / across;
    for (int32_t i = mine; i < end; i += stk::EDIT_WARPS) {
        stk::edit_group g;
        make_group(a, j, first, steps, {x * TILE_WIDTH, y * TILE_HEIGHT}, g);
        if (out)
            store_group(a, g, out);
        else
            sum += sum_group(a, g);
        for (x += stk::EDIT_WARPS; x >= across; x -= across)
            y++;
    }
    return sum;
}

/* The sum over a block, in all threads. */
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

__device__ __forceinline__ uint64_t sum_parts(const edit_work &a, int64_t picture)
{
    uint64_t sum = 0;
    for (int i = (int)threadIdx.x; i < a.parts; i += stk::EDIT_THREADS)
        sum += a.sums[picture * a.parts + i];
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

/* Of a picture that there is no source of. */
__device__ __forceinline__ void clear_part(const edit_work &a, int32_t part, uint8_t *out)
{
    const int64_t bytes = (int64_t)a.height * a.width * a.channels, threads = stk::EDIT_THREADS;
    for (int64_t i = part * threads + threadIdx.x; i < bytes; i += a.parts * threads)
        out[i] = 0;
}

/* The picture at out as it is after some steps, or the sums of its greys as it is before the first
 * contrast from one step on. Means come in order: what one is of depends on those before. Those
 * that are not summed before, every block finds for itself. */
__device__ __forceinline__ void take_steps(const edit_work &a, stk::edit_job &j, int64_t picture,
                                           int from, int steps, uint8_t *out)
{
    const int32_t part = (int32_t)(blockIdx.x % a.parts);
    for (int i = from; i <= steps; i++) {
        if (i < steps && j.edit.step[i].kind != STK_EDIT_CONTRAST) continue;
        const bool    is_last = i == steps || a.pass == stk::EDIT_COPY;
        const int32_t begin = is_last ? part * TILES : 0;
        const int32_t end = is_last ? min(begin + TILES, a.tiles) : a.tiles;
        uint64_t      sum = i == j.summed && !is_last
                                ? sum_parts(a, picture)
                                : make_tiles(a, j, i, begin, end, i == steps ? out : nullptr);
        if (i == steps) return;
        if (is_last) {
            sum = block_sum(sum);
            if (threadIdx.x == 0) a.sums[blockIdx.x] = sum;
            return;
        }
        set_mean(a, j, i, sum);
    }
}

__global__ void __launch_bounds__(stk::EDIT_THREADS, 4) edit_pictures(edit_work a)
{
    stk::edit_job &j = stk::this_job();
    const int64_t  picture = blockIdx.x / a.parts;
    const int64_t  at = picture * ((int64_t)a.height * a.width * a.channels);
    const int32_t  part = (int32_t)(blockIdx.x % a.parts);
    stk::wait_for_earlier();
    if (a.pass != stk::EDIT_COPY && a.edits[picture].step[0].kind == STK_EDIT_END) return;
    stk::begin_job(a, picture, j);
    const bool is_plain = !j.window.source || j.steps == 0;
    const bool is_wanted = a.pass == stk::EDIT_COPY   ? is_plain || j.summed < j.steps
                           : a.pass == stk::EDIT_KEEP ? !is_plain && j.kept >= 0
                                                      : !is_plain;
    if (!is_wanted) return;
    if (!j.window.source)
        clear_part(a, part, a.out + at);
    else if (is_plain && stk::can_copy(a, j))
        stk::copy_part(a, j, part, a.out + at);
    else
        take_steps(a, j, picture, a.pass == stk::EDIT_COPY ? j.summed : j.baked,
                   a.pass == stk::EDIT_KEEP ? j.kept : j.steps,
                   (a.pass == stk::EDIT_KEEP ? a.kept : a.out) + at);
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

/* Kept pictures are read in words, which may reach past the last one. */
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
        a.pass = pass;
        status = STK_CUDA_LAUNCH_EARLY(edit_pictures, (int)(a.batch * a.parts), stk::EDIT_THREADS,
                                       0, stream, a);
    }
    return status;
}
