/* Sums over the pixels of each channel. */
#include "compute/cpu_kernels/sums.h"
#include <string.h>

enum { CHUNK_FLOATS = 32768, CHUNK_PIXELS = 64, ROW_FLOATS = 64, TILE = 512 };

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t in_parts_of(int64_t count, int64_t part)
{
    return (count + part - 1) / part;
}

stk_sums stk_sums_plan(const stk_tensor_type *type, stk_format format, bool by_image)
{
    stk_sums p = {.tiling = by_image ? stk_channel_tiling_of_images(type, format)
                                     : stk_channel_tiling_of(type, format)};
    int64_t  block = at_least(p.tiling.block, 1), pixels = at_least(p.tiling.pixels, 1);
    p.images = p.tiling.blocks ? p.tiling.runs / p.tiling.blocks : 0;
    p.chunk = by_image ? pixels : at_least(CHUNK_FLOATS / block, CHUNK_PIXELS);
    p.group = by_image ? 1 : at_least(p.chunk / pixels, 1);
    p.groups = in_parts_of(p.images, p.group);
    p.chunks = in_parts_of(p.tiling.pixels, p.chunk);
    p.tile = block > TILE ? TILE : block;
    p.tiles = in_parts_of(p.tiling.block, p.tile);
    p.pieces = p.groups * p.chunks;
    p.items = p.pieces * p.tiling.blocks * p.tiles;
    p.padded = p.tiling.blocks * p.tiling.block;
    p.tiling.tile = stk_tile_pixels(block, ROW_FLOATS);
    return p;
}

size_t stk_sums_bytes(const stk_sums *plan, int sums)
{
    return (size_t)(plan->pieces * plan->padded * sums) * sizeof(double);
}

int64_t stk_sums_pixels(const stk_sums *plan, int64_t piece)
{
    int64_t image = piece / plan->chunks * plan->group, pixel = piece % plan->chunks * plan->chunk;
    int64_t images = plan->images - image, pixels = plan->tiling.pixels - pixel;
    return (images < plan->group ? images : plan->group) *
           (pixels < plan->chunk ? pixels : plan->chunk);
}

stk_sum_item stk_sum_item_at(const stk_sums *plan, int64_t index)
{
    stk_sum_item item = {.lanes = plan->tile};
    int64_t      tile = index % plan->tiles;
    item.block = index / plan->tiles % plan->tiling.blocks;
    item.piece = index / plan->tiles / plan->tiling.blocks;
    item.first = item.block * plan->tiling.block + tile * plan->tile;
    if (item.lanes > plan->tiling.block - tile * plan->tile)
        item.lanes = plan->tiling.block - tile * plan->tile;
    item.image = item.piece / plan->chunks * plan->group;
    item.last_image = item.image + plan->group;
    if (item.last_image > plan->images) item.last_image = plan->images;
    item.begin = item.piece % plan->chunks * plan->chunk;
    item.pixel = item.begin;
    item.end = item.begin + plan->chunk;
    if (item.end > plan->tiling.pixels) item.end = plan->tiling.pixels;
    item.tile = plan->tiles > 1 ? 1 : plan->tiling.tile;
    return item;
}

bool stk_sum_next(const stk_sums *plan, stk_sum_item *item)
{
    if (item->pixel == item->end) {
        item->image++;
        item->pixel = item->begin;
    }
    if (item->image >= item->last_image || item->pixel == item->end) return false;
    int64_t left = item->end - item->pixel, tile = left < item->tile ? left : item->tile;
    int64_t run = item->image * plan->tiling.blocks + item->block;
    item->offset = (run * plan->tiling.pixels + item->pixel) * plan->tiling.block + item->first -
                   item->block * plan->tiling.block;
    item->rows = left / tile;
    item->stride = tile * plan->tiling.block;
    item->width = tile * item->lanes;
    item->pixel += item->rows * tile;
    return true;
}

void stk_sum_spread(const stk_sum_item *item, const float *values, float scratch[STK_TILE_CAPACITY])
{
    for (int64_t s = 0; s < item->tile; s++)
        memcpy(scratch + s * item->lanes, values, (size_t)item->lanes * sizeof *scratch);
}

void stk_sum_values(const stk_sums *plan, const stk_sum_item *item, const float *values,
                    float scratch[STK_TILE_CAPACITY])
{
    float lanes[TILE];
    for (int64_t c = 0; c < item->lanes; c++)
        lanes[c] = item->first + c < plan->tiling.channels ? values[item->first + c] : 0;
    stk_sum_spread(item, lanes, scratch);
}

void stk_sum_fold(const stk_sums *plan, const stk_sum_item *item, const float *row, double *partial,
                  int which, int sums)
{
    double *to = partial + (item->piece * sums + which) * plan->padded + item->first;
    for (int64_t c = 0; c < item->lanes; c++) {
        double sum = 0;
        for (int64_t s = 0; s < item->tile; s++)
            sum += (double)row[s * item->lanes + c];
        to[c] = sum;
    }
}
