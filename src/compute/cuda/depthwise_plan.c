/* Work division of depthwise convolutions. */
#include "compute/cuda_kernels/depthwise.h"
#include <math.h>

enum { WIDE_MAX = 64, SEGMENTS_MAX = 16, WORD = 4 };
/* Limits of a multiprocessor: blocks, bytes of shared memory, and its overhead per block. */
enum { BLOCKS_MAX = 32, SHARED_ALL = 224 * 1024, SHARED_EACH = 1024 };

/* Parameters of a kernel variant. */
typedef struct figure {
    int height, width;   /* of results */
    int columns;         /* per thread */
    int turns;           /* per step */
    int rows, lead;      /* result rows per turn; turns before the first result */
    int per_group, halo; /* pixels of a slot: per group, and in addition */
    int threads;         /* of a multiprocessor */
    int ahead;           /* slots minus one */
} figure;

static figure figure_of(const stk_cuda_conv_args *a, stk_cuda_depthwise_kind kind)
{
    int    k = a->down.kernel, s = a->down.stride, columns = STK_CUDA_DW_COLUMNS(k, s);
    figure f = {.height = a->down.count,
                .width = a->across.count,
                .columns = columns,
                .turns = STK_CUDA_DW_TURNS(k, s),
                .rows = 1,
                .lead = (k - 1) / s,
                .per_group = columns * s * s,
                .halo = (k - s) * s,
                .threads = STK_CUDA_DW_RESIDENT(k, s) * STK_CUDA_DW_THREADS};
    if (kind == STK_CUDA_DW_SPREAD) {
        f.height = a->down.size + a->down.before % 2;
        f.width = a->across.size + a->across.before % 2;
        f.rows = 2, f.lead = (k - 1) / 2;
        f.per_group = columns / 2, f.halo = (k - 1) / 2;
    }
    if (kind == STK_CUDA_DW_WEIGHT) f.per_group += columns;
    f.per_group *= f.turns, f.halo *= f.turns;
    f.ahead = STK_CUDA_DW_AHEAD(f.per_group);
    return f;
}

static int up(int64_t a, int64_t b)
{
    return (int)((a + b - 1) / b);
}

static int shared_bytes(const figure *f, int wide, int groups)
{
    return (groups * f->per_group + f->halo) * wide * (f->ahead + 1) * WORD;
}

/* Resident blocks per multiprocessor. */
static int resident_blocks(const figure *f, int wide, int groups)
{
    int by_threads = f->threads / (wide * groups);
    int by_shared = SHARED_ALL / (shared_bytes(f, wide, groups) + SHARED_EACH);
    int min_of = by_threads < by_shared ? by_threads : by_shared;
    return min_of > BLOCKS_MAX ? BLOCKS_MAX : min_of;
}

/* Efficiency of a block size: used fractions of threads, warp lanes and bytes in flight. A pixel's
 * words should fill sectors, better lines. */
static double worth(const figure *f, int words, int wide, int groups)
{
    int    all = up(f->width, f->columns), threads = wide * groups;
    double used = (double)words / (up(words, wide) * wide) * f->width /
                  ((double)up(all, groups) * groups * f->columns);
    double lanes = (double)threads / (up(threads, 32) * 32);
    double fresh = 1 - 0.7 * f->halo / (groups * f->per_group + f->halo);
    double busy = (double)resident_blocks(f, wide, groups) * threads / (f->threads);
    double lines = wide == words || wide % 32 == 0 ? 1 : wide % 8 == 0 ? 0.97 : 0.94;
    return used * lanes * fresh * lines * (0.8 + 0.2 * busy) * (wide < 16 ? 0.8 : 1);
}

static void choose_block(const figure *f, stk_cuda_depthwise_plan *p)
{
    double best = 0;
    int    max_of = p->words < WIDE_MAX ? p->words : WIDE_MAX, all = up(f->width, f->columns);
    for (int wide = p->unit; wide <= max_of; wide += p->unit)
        for (int groups = 1; groups <= all && wide * groups <= STK_CUDA_DW_THREADS; groups++) {
            double here = worth(f, p->words, wide, groups);
            if (here <= best || shared_bytes(f, wide, groups) > STK_CUDA_DW_SHARED) continue;
            best = here, p->wide = wide, p->groups = groups;
        }
    p->chunks = up(p->words, p->wide);
    p->strips = up(all, p->groups);
}

/* Balances segments so that blocks end together; each segment costs some steps. */
static const double WORTH_IT = 0.95;

static void choose_rows(const figure *f, int64_t batch, int slots, stk_cuda_depthwise_plan *p)
{
    double best = INFINITY;
    for (int segments = 1; segments <= SEGMENTS_MAX && segments <= f->height; segments++) {
        int     turns = up(up(f->height, segments), f->rows), rows = turns * f->rows;
        int     steps = up(turns + f->lead, f->turns);
        int64_t items = batch * p->strips * up(f->height, rows);
        double  cost = (double)((items + slots - 1) / slots) * steps;
        if (cost > best * WORTH_IT) continue;
        best = cost;
        p->rows = rows, p->segments = up(f->height, rows), p->steps = steps;
        p->items = (int)items;
    }
    p->blocks = p->items < slots ? p->items : slots;
    if (p->blocks < 1) p->blocks = 1;
}

stk_cuda_depthwise_plan stk_cuda_depthwise_plan_of(const stk_cuda_conv_args *args,
                                                   stk_cuda_depthwise_kind kind, int processors)
{
    figure                  f = figure_of(args, kind);
    stk_cuda_depthwise_plan p = {.words =
                                     args->dtype == STK_DTYPE_F32 ? args->in_c : args->in_c / 2};
    p.unit = p.words % 4 == 0 ? 4 : 1;
    choose_block(&f, &p);
    int slots = processors * resident_blocks(&f, p.wide, p.groups) / p.chunks;
    choose_rows(&f, args->batch, slots < 1 ? 1 : slots, &p);
    p.plain = !args->addend && args->low == -INFINITY && args->high == INFINITY;
    p.shared = shared_bytes(&f, p.wide, p.groups);
    return p;
}
