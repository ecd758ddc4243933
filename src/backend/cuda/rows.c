#include "backend/cuda/rows.h"

/* Sums: a block per multiprocessor has enough bytes on their way (512 threads, 128 each). Its tiles
 * are narrow, so that each has few blocks and the last of them little to add; 16 threads still read
 * 256 bytes in a row. */
enum {
    MAP_THREADS = 256,
    MAP_STEPS = 32, /* a block's, so that reading values per channel does not matter */
    MAP_RESIDENT = 8,
    SUM_THREADS = 512,
    SUM_TILE = 16,
    SUM_TILE_SINGLE = 128,
    SUM_STEPS = 4
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
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
    int64_t groups = most(r->stride / r->wide, 1);
    r->tiles = (int)ceil_div(groups, widest);
    r->across = (int)ceil_div(groups, r->tiles);
    r->down = (int)most(threads / r->across, 1);
}

static void tile_to_sum(stk_cuda_rows *r)
{
    tile(r, SUM_THREADS, r->wide == 1 ? SUM_TILE_SINGLE : SUM_TILE);
}

static void divide(stk_cuda_rows *r, int64_t blocks)
{
    r->blocks = (int)most(blocks, 1);
    int64_t sweep = (int64_t)r->blocks * r->down;
    r->step = sweep * r->stride;
    r->sweeps = (int)(r->rows / sweep);
    r->more = (int)(r->rows % sweep);
}

stk_cuda_rows stk_cuda_rows_to_map(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format, int wide)
{
    stk_cuda_rows r = rows_of(type, format, wide);
    tile(&r, MAP_THREADS, MAP_THREADS);
    int64_t steps = ceil_div(r.rows, r.down);
    int64_t enough = (int64_t)stk_cuda_of(device)->processors * MAP_RESIDENT;
    divide(&r, least(steps, most(enough / r.tiles, steps / MAP_STEPS)));
    return r;
}

stk_cuda_rows stk_cuda_rows_to_sum(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format)
{
    stk_cuda_rows r = rows_of(type, format, 0);
    tile_to_sum(&r);
    int64_t steps = ceil_div(r.rows, r.down), all = stk_cuda_of(device)->processors;
    divide(&r, least(ceil_div(steps, SUM_STEPS), all / r.tiles));
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
