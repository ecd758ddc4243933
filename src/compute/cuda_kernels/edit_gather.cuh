/* Tiles of pixels that a warp gathers from the window or the intermediate image. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_GATHER_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_GATHER_CUH

#include "compute/cuda_kernels/edit_per_pixel.cuh"

namespace stk
{

/* One or two adjacent pixels, red in the lowest byte. */
__device__ __forceinline__ uint32_t word_at(const uint8_t *at)
{
    uint32_t word[1];
    load_bytes<3>(at, word);
    return word[0];
}

__device__ __forceinline__ void words_at(const uint8_t *at, uint32_t &first, uint32_t &second)
{
    uint32_t word[2];
    load_bytes<6>(at, word);
    first = word[0];
    second = __byte_perm(word[0], word[1], 0x7543);
}

__device__ __forceinline__ bool look_nearest(const edit_work &a, const stk_edit_warp &w, int32_t x,
                                             int32_t y, int32_t &from_x, int32_t &from_y)
{
    if (!w.steps) {
        const stk_edit_look look = stk_edit_look_at(&w, a.width, a.height, x, y);
        from_x = look.x[0];
        from_y = look.y[0];
        return look.inside;
    }
    /* Offsets stay below 2^31 in magnitude, so wrap-around cannot yield one inside. */
    uint32_t at[2];
#pragma unroll
    for (int axis = 0; axis < 2; axis++)
        at[axis] = (uint32_t)w.start[axis] + (uint32_t)w.right[axis] * (uint32_t)x +
                   (uint32_t)w.down[axis] * (uint32_t)y;
    const bool inside = at[0] < (uint32_t)a.width << 16 && at[1] < (uint32_t)a.height << 16;
    from_x = inside ? (int32_t)(at[0] >> 16) : 0;
    from_y = inside ? (int32_t)(at[1] >> 16) : 0;
    return inside;
}

/* Pixel i of a thread in a tile: adjacent threads have adjacent pixels, to touch few cache lines.
 * Those past the end repeat the last. */
__device__ __forceinline__ edit_position spread(const edit_work &a, edit_position tile, int i)
{
    const int lane = (int)threadIdx.x % WARP;
    return {min(tile.x + i * 8 + lane % 8, a.width - 1), min(tile.y + lane / 8, a.height - 1)};
}

__device__ __forceinline__ void put_pixel(int i, uint32_t word)
{
    const int lane = (int)threadIdx.x % WARP;
    this_tile()[lane / 8][i * 8 + lane % 8] = word;
}

__device__ __forceinline__ void gather_nearest(const edit_work &a, const edit_job &j, int step,
                                               edit_position tile)
{
    const uint8_t *from[EDIT_GROUP];
    bool           inside[EDIT_GROUP];
#pragma unroll
    for (int i = 0; i < EDIT_GROUP; i++) {
        const edit_position to = spread(a, tile, i);
        int32_t             x, y;
        inside[i] = look_nearest(a, j.warp[step], to.x, to.y, x, y);
        from[i] = j.origin + (y * j.down + x * j.right);
    }
    uint32_t word[EDIT_GROUP];
#pragma unroll
    for (int i = 0; i < EDIT_GROUP; i++)
        word[i] = word_at(from[i]);
#pragma unroll
    for (int i = 0; i < EDIT_GROUP; i++)
        put_pixel(i, inside[i] ? word[i] : (uint32_t)j.warp[step].colour);
}

/* The pixel before a position, which may be -1, and the fraction of the one after it. */
struct edit_spot {
    bool    inside;
    int32_t x, y;
    double  part_x, part_y;
};

/* Adding this to a double leaves its truncated value in the lower word, which is faster than a
 * conversion. */
constexpr double EDIT_FAR = 6755399441055744.0; /* 1.5 * 2^52 */
constexpr int    EDIT_FAR_HIGH = 0x43380000;

__device__ __forceinline__ double centre_of(int32_t x)
{
    return __hiloint2double(0x43300000, x) - 4503599627370495.5; /* 2^52 - 0.5 */
}

__device__ __forceinline__ bool is_below(double place, int32_t size)
{
    const double far = __dadd_rd(place, EDIT_FAR);
    return __double2hiint(far) == EDIT_FAR_HIGH && (uint32_t)__double2loint(far) < (uint32_t)size;
}

__device__ __forceinline__ double spot_before(double place, int32_t &before)
{
    const double at = place - 0.5, far = __dadd_rd(at, EDIT_FAR);
    before = __double2loint(far);
    return at - (far - EDIT_FAR);
}

/* As stk_edit_look_at. */
__device__ __forceinline__ edit_spot look_between(const edit_work &a, const stk_edit_warp &w,
                                                  int32_t x, int32_t y)
{
    const double centre_x = centre_of(x), centre_y = centre_of(y);
    const double at_x = stk_edit_sum(w.m[0], centre_x, w.m[1], centre_y, w.m[2]);
    const double at_y = stk_edit_sum(w.m[3], centre_x, w.m[4], centre_y, w.m[5]);
    edit_spot    s = {};
    s.inside = is_below(at_x, a.width) && is_below(at_y, a.height);
    s.part_x = spot_before(s.inside ? at_x : 0.5, s.x);
    s.part_y = spot_before(s.inside ? at_y : 0.5, s.y);
    return s;
}

/* The four pixels around a spot, in the order of stk_edit_join. */
__device__ __forceinline__ void load_corners(const edit_work &a, const edit_job &j,
                                             const edit_spot &s, uint32_t (&corner)[4])
{
    const int32_t x = min(max(s.x, 0), a.width - 2), left = j.right < 0 ? x + 1 : x;
#pragma unroll
    for (int row = 0; row < 2; row++) {
        const int32_t y = min(max(s.y + row, 0), a.height - 1);
        uint32_t      low, high;
        words_at(j.origin + (y * j.down + left * j.right), low, high);
        const uint32_t first = j.right < 0 ? high : low, second = j.right < 0 ? low : high;
        corner[2 * row] = s.x > x ? second : first;
        corner[2 * row + 1] = s.x < x ? first : second;
    }
}

/* One level of stk_edit_join. Float errors are below half of the margin, so truncation agrees
 * unless the value is closer to an integer. That happens systematically only if all corners are
 * equal, and then nothing is rounded. */
__device__ __forceinline__ float joined(const float (&corner)[4], float part_x, float part_y,
                                        bool &is_close)
{
    const float margin = LEVEL / 8192;
    const float upper = corner[1] - corner[0], lower = corner[3] - corner[2];
    const float above = fmaf(upper, part_x, corner[0]), below = fmaf(lower, part_x, corner[2]);
    const float apart = below - above, level = fmaf(apart, part_y, above);
    const float nearest = level + FAR - FAR;
    const bool  is_flat = fabsf(upper) + fabsf(lower) + fabsf(apart) == 0;
    is_close |= fabsf(level - nearest) < margin && !is_flat;
    return whole_level(level);
}

__device__ __forceinline__ uint32_t word_of(stk_edit_pixel p)
{
    return (uint32_t)(p.level[0] | p.level[1] << 8 | p.level[2] << 16);
}

__device__ __forceinline__ edit_levels join_exactly(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                                    double part_x, double part_y)
{
    const stk_edit_pixel corner[4] = {stk_edit_colour((int32_t)a), stk_edit_colour((int32_t)b),
                                      stk_edit_colour((int32_t)c), stk_edit_colour((int32_t)d)};
    const stk_edit_look  look = {true, {0, 0}, {0, 0}, part_x, part_y};
    return levels_of(word_of(stk_edit_join(corner, &look)));
}

__device__ __forceinline__ edit_levels join(const uint32_t (&word)[4], const edit_spot &s)
{
    const float part_x = (float)s.part_x, part_y = (float)s.part_y;
    bool        is_close = false;
    edit_levels p;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        float corner[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            corner[i] = level_of_byte(word[i], (uint32_t)c);
        p.of[c] = joined(corner, part_x, part_y, is_close);
    }
    if (is_close) p = join_exactly(word[0], word[1], word[2], word[3], s.part_x, s.part_y);
    return p;
}

__device__ __forceinline__ void gather_between(const edit_work &a, const edit_job &j, int step,
                                               edit_position tile)
{
#pragma unroll 1
    for (int i = 0; i < EDIT_GROUP; i++) {
        const edit_position to = spread(a, tile, i);
        const edit_spot     spot = look_between(a, j.warp[step], to.x, to.y);
        uint32_t            corner[4];
        load_corners(a, j, spot, corner);
        put_pixel(i, spot.inside ? word_of(join(corner, spot)) : (uint32_t)j.warp[step].colour);
    }
}

__device__ __forceinline__ void gather_any(const edit_work &a, int steps, edit_position tile)
{
#pragma unroll 1
    for (int i = 0; i < EDIT_GROUP; i++) {
        const edit_position to = spread(a, tile, i);
        put_pixel(i, word_of(pixel_after<STK_EDIT_OPS>(steps, to.x, to.y)));
    }
}

/* A tile after the first ops, the last of which is a warp: in this_tile(). ASKS: also handles ops
 * that need function calls, not only those reading the window or the intermediate image. */
template <bool ASKS>
__device__ __forceinline__ void gather_tile(const edit_work &a, const edit_job &j, int steps,
                                            edit_position tile)
{
    __syncwarp();
    if (ASKS && (!j.is_inside || j.asks || j.baked != steps - 1))
        gather_any(a, steps, tile);
    else if (j.warp[steps - 1].bilinear)
        gather_between(a, j, steps - 1, tile);
    else
        gather_nearest(a, j, steps - 1, tile);
    __syncwarp();
}

} // namespace stk

#endif
