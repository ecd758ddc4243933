#include "compute/cuda/channel_rows.h"

/* Reductions: one block per multiprocessor (512 threads of 128 bytes) keeps enough bytes in flight.
 * Tiles are narrow, so each has few blocks and the last has few partials to add; 8 threads still
 * read 128 contiguous bytes. */
enum {
    WARP = 32,
    TILES_MAX = 65535,
    MAP_THREADS = 256,
    MAP_STEPS = 32, /* per block, to amortize loading values per channel */
    MAP_STEPS_MIN = 6,
    MAP_WAVE = 3, /* resident blocks per multiprocessor: 3 or 4, limited by registers */
    MAP_WAVES = 12,
    SUM_THREADS = 512,
    SUM_TILE = 8,
    SUM_TILE_SINGLE = 128,
    SUM_STEPS = 8, /* rows per thread for which one block suffices */
    TILE_BLOCKS = 128,
    TILE_ROWS_MIN = 96, /* per block, to pay for synchronization in a cluster */
    TILE_WAVES = 2      /* at most, if a block cannot hold all rows */
};

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static stk_cuda_rows rows_of(const stk_tensor_type *type, stk_format format, int wide)
{
    stk_cuda_layout l = stk_cuda_layout_of(type, format);
    stk_cuda_rows   r = {.channels = l.channels, .stride = l.padded};
    int             widest = (int)(16 / stk_dtype_bytes(type->dtype));
    r.rows = l.padded ? l.elements / l.padded : 0;
    r.wide = wide ? wide : l.padded % widest ? 1 : widest;
    return r;
}

static void tile(stk_cuda_rows *r, int threads, int widest)
{
    int64_t groups = max_of(r->stride / r->wide, 1);
    r->tiles = (int)ceil_div(groups, widest);
    r->across = (int)ceil_div(groups, r->tiles);
    r->down = (int)max_of(threads / r->across, 1);
}

static void tile_to_sum(stk_cuda_rows *r)
{
    tile(r, SUM_THREADS, r->wide == 1 ? SUM_TILE_SINGLE : SUM_TILE);
}

static void divide(stk_cuda_rows *r, int64_t blocks)
{
    r->blocks = (int)max_of(blocks, 1);
    int64_t sweep = (int64_t)r->blocks * r->down;
    r->step = sweep * r->stride;
    r->sweeps = (int)(r->rows / sweep);
    r->more = (int)(r->rows % sweep);
}

/* Blocks take equal time, so an incomplete last wave is lost. A dozen blocks per multiprocessor are
 * complete waves for 3 or 4 resident ones. */
static int64_t blocks_to_map(const stk_cuda_rows *r, int64_t steps, int64_t processors)
{
    int64_t all = steps * r->tiles, waves = processors * MAP_WAVES;
    if (all < waves * MAP_STEPS_MIN) return processors * MAP_WAVE / r->tiles;
    return waves * max_of(all / (waves * MAP_STEPS), 1) / r->tiles;
}

stk_cuda_rows stk_cuda_rows_to_map(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format, int wide)
{
    stk_cuda_rows r = rows_of(type, format, wide);
    tile(&r, MAP_THREADS, MAP_THREADS);
    int64_t steps = ceil_div(r.rows, r.down);
    divide(&r, min_of(steps, blocks_to_map(&r, steps, stk_cuda_of(device)->processors)));
    return r;
}

stk_cuda_rows stk_cuda_rows_to_sum(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format)
{
    stk_cuda_rows r = rows_of(type, format, 0);
    tile_to_sum(&r);
    int64_t steps = ceil_div(r.rows, r.down), all = stk_cuda_of(device)->processors;
    divide(&r, min_of(ceil_div(steps, SUM_STEPS), all / r.tiles));
    return r;
}

bool stk_cuda_rows_can_sum(const stk_tensor_type *type)
{
    stk_cuda_rows r = rows_of(type, STK_FORMAT_PLAIN, 0);
    tile_to_sum(&r);
    return r.tiles <= STK_CUDA_COUNTERS;
}

size_t stk_cuda_rows_bytes(const stk_cuda_rows *r, int values)
{
    return sizeof(float) * (size_t)values * (size_t)(r->across * r->wide) * (size_t)r->tiles *
           (size_t)r->blocks;
}

enum { OF_BLOCK = STK_CUDA_FEW_ROWS * STK_CUDA_FEW_THREADS };

/* Two threads across read full sectors; one if blocks would be too few. */
static int across_per_block(const stk_cuda_rows *r, int64_t groups, int default_blocks)
{
    enum { TWO = STK_CUDA_FEW_ACROSS };
    bool enough = groups % TWO == 0 && groups / TWO * default_blocks >= TILE_BLOCKS / 2;
    return enough && r->rows <= default_blocks * OF_BLOCK / TWO ? TWO : 1;
}

/* Enough for the rows, and up to default_blocks while multiprocessors and rows suffice. */
static int blocks_per_tile(const stk_cuda_rows *r, int default_blocks, int max_blocks)
{
    int64_t fit = OF_BLOCK / r->across;
    int     blocks = 1;
    while (2 * blocks <= max_blocks && blocks * fit < r->rows)
        blocks *= 2;
    while (2 * blocks <= default_blocks && 2 * blocks * r->tiles <= TILE_BLOCKS &&
           2 * blocks * TILE_ROWS_MIN <= r->rows)
        blocks *= 2;
    return blocks;
}

stk_cuda_rows stk_cuda_rows_per_block(const stk_tensor_type *type, int max_blocks)
{
    stk_cuda_rows r = rows_of(type, STK_FORMAT_PLAIN, 0);
    int64_t       groups = r.stride / r.wide;
    int           default_blocks = (int)min_of(max_blocks, STK_CUDA_CLUSTER);
    r.across = across_per_block(&r, groups, default_blocks);
    r.tiles = (int)(groups / r.across);
    int blocks = blocks_per_tile(&r, default_blocks, max_blocks), warp_rows = WARP / r.across;
    r.down = (int)(ceil_div(r.rows, (int64_t)warp_rows * STK_CUDA_FEW_ROWS * blocks) * warp_rows);
    divide(&r, blocks);
    return r;
}

bool stk_cuda_rows_fit_cluster(const stk_tensor_type *type, int max_blocks)
{
    stk_cuda_rows r = rows_of(type, STK_FORMAT_PLAIN, 0);
    if (stk_dtype_bytes(type->dtype) != 2 || r.wide != 8 || r.rows == 0 ||
        r.rows > max_blocks * OF_BLOCK || r.stride / r.wide > TILES_MAX)
        return false;
    r = stk_cuda_rows_per_block(type, max_blocks);
    int waves = r.blocks > STK_CUDA_CLUSTER ? 1 : TILE_WAVES;
    return r.rows <= OF_BLOCK || r.tiles * r.blocks <= waves * TILE_BLOCKS;
}
