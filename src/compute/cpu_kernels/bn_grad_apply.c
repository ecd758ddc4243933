/* bn_grad_apply in one pass: dx = by dz + by_x (x - mean) + constant, with three values per channel
 * derived from the sums. Writes dz too if requested. */
#include "compute/cpu_kernels/bn_grad.h"
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"

enum { DY, X, MEAN, INVSTD, GAMMA, DGAMMA, DBETA, MASK };

typedef struct apply_tile {
    stk_bn_tile  tile;
    const float *by, *by_x, *constant;
    float       *dx, *dz; /* dz may be NULL */
    bool         stream_dx, stream_dz;
} apply_tile;

#define STK_LOOPS "compute/cpu_kernels/bn_grad_apply_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_cpu           *cpu;
    const stk_kernel_call   *call;
    const stk_bn_grad_attrs *attrs;
    stk_channel_tiling       tiling;
    bool                     stream_dx, stream_dz;
    void (*loop)(const apply_tile *tile);
} job;

enum { BY, BY_X, CONSTANTS, MEANS, SCALES, SHIFTS, VALUES };

static void enter_run(const job *j, int64_t run, float scratch[VALUES][STK_TILE_CAPACITY],
                      const float *values[VALUES])
{
    const float *made = j->call->scratch;
    for (int k = 0; k <= CONSTANTS; k++)
        values[k] =
            stk_channel_tiling_values(&j->tiling, run, made + k * j->tiling.channels, scratch[k]);
    values[MEANS] = stk_channel_tiling_values(&j->tiling, run, j->call->in[MEAN], scratch[MEANS]);
    for (int k = 0; k < 2 && j->attrs->mask == STK_BN_MASK_INPUT; k++)
        values[SCALES + k] =
            stk_channel_tiling_values(&j->tiling, run, j->call->in[MASK + k], scratch[SCALES + k]);
}

/* Materializes dz for an expensive activation. */
static void tile_by_dz(const job *j, apply_tile *s)
{
    float      scratch[STK_TILE_CAPACITY], *dz = s->dz ? s->dz : scratch;
    apply_tile piece = *s;
    int64_t    done = 0;
    piece.dz = NULL;
    for (; done < s->tile.count; done += piece.tile.count) {
        int64_t     left = s->tile.count - done;
        stk_bn_tile in = s->tile;
        in.count = left < STK_TILE_CAPACITY ? left : STK_TILE_CAPACITY;
        in.dy += done, in.x += done, in.mean += done;
        if (in.y) in.y += done;
        if (in.scale) in.scale += done, in.shift += done;
        float *to = s->dz ? dz + done : dz;
        stk_bn_grad_dz(j->cpu, j->attrs, &in, to);
        piece.tile = in;
        piece.tile.dy = to;
        piece.by = s->by + done, piece.by_x = s->by_x + done, piece.constant = s->constant + done;
        piece.dx = s->dx + done;
        j->loop(&piece);
    }
}

static void work(void *context, int part, int parts)
{
    const job             *j = context;
    const stk_kernel_call *call = j->call;
    float                  scratch[VALUES][STK_TILE_CAPACITY], *dz = NULL;
    const float           *values[VALUES] = {0};
    if (call->instance.output_count > 1) dz = call->out[1];
    for (stk_tile_iter iter = stk_tile_iter_begin(&j->tiling, part, parts);
         stk_tile_iter_next(&iter);) {
        if (iter.entered) enter_run(j, iter.run, scratch, values);
        apply_tile s = {.tile = {.dy = (const float *)call->in[DY] + iter.offset,
                                 .x = (const float *)call->in[X] + iter.offset,
                                 .mean = values[MEANS],
                                 .scale = values[SCALES],
                                 .shift = values[SHIFTS],
                                 .count = iter.count,
                                 .a = j->attrs->act.a,
                                 .b = j->attrs->act.b},
                        .by = values[BY],
                        .by_x = values[BY_X],
                        .constant = values[CONSTANTS],
                        .dx = (float *)call->out[0] + iter.offset,
                        .dz = dz ? dz + iter.offset : NULL};
        if (j->attrs->mask == STK_BN_MASK_OUTPUT)
            s.tile.y = (const float *)call->in[MASK] + iter.offset;
        s.stream_dx = j->stream_dx && stk_can_stream(s.dx);
        s.stream_dz = j->stream_dz && stk_can_stream(s.dz);
        if (stk_bn_grad_is_cheap(j->attrs))
            j->loop(&s);
        else
            tile_by_dz(j, &s);
    }
    if (j->stream_dx || j->stream_dz) stk_stream_end();
}

static void make_values(const stk_kernel_call *call, const stk_channel_tiling *tiling)
{
    const float *invstd = call->in[INVSTD], *gamma = call->in[GAMMA];
    const float *dgamma = call->in[DGAMMA], *dbeta = call->in[DBETA];
    float       *made = call->scratch;
    double       m = (double)(tiling->pixels * (tiling->runs / tiling->blocks));
    for (int64_t c = 0; c < tiling->channels; c++) {
        double inverse = (double)invstd[c], by = (double)gamma[c] * inverse;
        made[BY * tiling->channels + c] = (float)by;
        made[BY_X * tiling->channels + c] = (float)(-by * inverse * (double)dgamma[c] / m);
        made[CONSTANTS * tiling->channels + c] = (float)(-by * (double)dbeta[c] / m);
    }
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    *scratch = 3 * stk_type_bytes(&call->instance.in[MEAN]);
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu           *cpu = stk_cpu_of(call->device);
    const stk_bn_grad_attrs *attrs = call->instance.attrs;
    bool                     cheap = stk_bn_grad_is_cheap(attrs);
    job                      j = {.cpu = cpu,
                                  .call = call,
                                  .attrs = attrs,
                                  .tiling = stk_channel_tiling_of(&call->instance.in[X], call->in_format[X])};
    (void)err;
    j.loop = cheap ? STK_PICK(cpu, apply_loops)[attrs->mask][stk_act_kind_of(&attrs->act)]
                   : STK_PICK(cpu, apply_none);
    make_values(call, &j.tiling);
    int64_t bytes = stk_call_floats(call, &call->instance.in[X], call->in_format[X]) * 4;
    j.stream_dx = cheap && stk_worth_streaming(call->in[DY], call->out[0], bytes);
    j.stream_dz =
        cheap && call->instance.output_count > 1 && stk_worth_streaming(NULL, call->out[1], bytes);
    stk_work(cpu, bytes * 3, work, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_bn_grad_apply = {.op = &stk_graph_op_bn_grad_apply,
                                          .name = "native",
                                          .can = stk_bn_grad_can,
                                          .formats = stk_formats_images,
                                          .prepare = prepare,
                                          .run = run};
