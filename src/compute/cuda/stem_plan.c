/* Work division of a first convolution. */
#include "compute/cuda_kernels/stem.h"

enum { SHARED_MAX = 72 * 1024, TILES_MIN = 12, ROWS_MAX = 8, LARGE = 7, SMALL = 3 };
enum { EIGHTS_MAX = 4, EIGHTS_MIN = 2, SIXTEENS_MAX = 4 };

static int up(int64_t a, int64_t b)
{
    return (int)((a + b - 1) / b);
}

static bool choose_kernel(const stk_cuda_conv_args *a, stk_cuda_stem_plan *p)
{
    const stk_cuda_window *down = &a->down, *across = &a->across;
    int                    stride = across->stride;
    if (down->stride != stride || stride > 2 || down->dilation != 1 || across->dilation != 1)
        return false;
    p->lead = stride == 2 ? across->before % 2 : 0;
    int columns = across->kernel + p->lead;
    p->kernel = down->kernel <= SMALL && columns <= STK_CUDA_STEM_COLUMNS(SMALL) ? SMALL : LARGE;
    return p->kernel == SMALL ||
           (stride == 2 && down->kernel <= LARGE && columns <= STK_CUDA_STEM_COLUMNS(LARGE));
}

/* Divides channels among warps: as many of each as possible, and no idle warp. */
static bool choose_groups(int channels, stk_cuda_stem_plan *p)
{
    int min_of = p->kernel == LARGE ? EIGHTS_MAX : EIGHTS_MIN;
    for (p->eights = EIGHTS_MAX; p->eights >= min_of; p->eights--) {
        p->groups = channels / (8 * p->eights);
        if (channels % (8 * p->eights) == 0 && p->groups > 0 && p->groups <= STK_CUDA_STEM_WARPS &&
            STK_CUDA_STEM_WARPS % p->groups == 0)
            return true;
    }
    return false;
}

/* Bytes of a wgrad block's dy rows, in units of 16 channels by 16; one unit of padding each avoids
 * bank conflicts among eight of them. */
static int dy_bytes(const stk_cuda_conv_args *a, const stk_cuda_stem_plan *p)
{
    int units = STK_CUDA_STEM_SIXTEENS(a->out_c) * 2 + 1;
    return 2 * p->rows * p->tiles * STK_CUDA_STEM_TILE * units * STK_CUDA_STEM_UNIT;
}

static void set_rows(const stk_cuda_conv_args *a, bool by_weight, int rows, stk_cuda_stem_plan *p)
{
    p->rows = rows;
    p->steps = up(a->down.count, rows);
    p->ring = 2 * (p->kernel + (rows - 1) * a->down.stride);
    p->shared = p->ring * p->pitch * STK_CUDA_STEM_UNIT + (by_weight ? dy_bytes(a, p) : 0);
}

/* Enough rows to pay for a step's barrier; fewer if blocks would be idle. */
static bool choose_rows(const stk_cuda_conv_args *a, bool by_weight, stk_cuda_stem_plan *p)
{
    int apart = a->across.stride == 2 ? 1 : 2, units = STK_CUDA_STEM_COLUMNS(p->kernel) / 2;
    int rows = ROWS_MAX;
    p->tiles = up(a->across.count, STK_CUDA_STEM_TILE);
    if (p->tiles > SHARED_MAX / STK_CUDA_STEM_UNIT) return false;
    p->pitch = p->tiles * STK_CUDA_STEM_TILE + (units - 1) * apart;
    int min_of = by_weight && p->kernel == LARGE ? TILES_MIN / 2 : TILES_MIN;
    while (rows > 1 && (rows / 2 * p->tiles >= min_of || rows / 2 >= a->down.count))
        rows /= 2;
    set_rows(a, by_weight, rows, p);
    while (rows > 1 && (a->batch * p->steps < p->blocks || p->shared > SHARED_MAX))
        set_rows(a, by_weight, rows /= 2, p);
    return p->shared <= SHARED_MAX;
}

/* A wgrad block stores all weights, which costs as much as some steps. */
static int blocks_of(int64_t steps, bool by_weight, int processors, int max_of)
{
    enum { STEPS_MIN = 4 };
    int64_t wanted = by_weight ? steps / STEPS_MIN : steps;
    if (wanted < processors) wanted = steps < processors ? steps : processors;
    return wanted < max_of ? (int)wanted : max_of;
}

bool stk_cuda_stem_plan_of(const stk_cuda_conv_args *args, bool by_weight, int processors,
                           stk_cuda_stem_plan *out)
{
    *out = (stk_cuda_stem_plan){.partials = 1};
    if (!choose_kernel(args, out)) return false;
    out->blocks = processors * STK_CUDA_STEM_RESIDENT(out->kernel);
    if (by_weight) out->partials = out->kernel == SMALL ? STK_CUDA_STEM_WARPS / 2 : 1;
    if (!choose_groups(args->out_c, out)) return false;
    if (by_weight && (args->out_c > SIXTEENS_MAX * 16 ||
                      (out->kernel == LARGE && args->out_c <= SIXTEENS_MAX / 2 * 16)))
        return false;
    if (!choose_rows(args, by_weight, out)) return false;
    out->blocks = blocks_of(args->batch * out->steps, by_weight, processors, out->blocks);
    return true;
}
