/* sgd, lars, adamw, lamb, ema, lookahead and accumulate: elementwise in the format of the
 * parameter. Padding is zero in all tensors and stays zero. */
#include "compute/ops/update.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/cpu_kernels/squares.h"
#include "compute/ops/graph_ops.h"

typedef struct update_part {
    const stk_update *u;
    const float      *w, *g, *m, *v;
    float            *to_w, *to_m, *to_v;
    int64_t           count;
} update_part;

#define STK_LOOPS "compute/cpu_kernels/update_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_kernel_call *call;
    const stk_cpu         *cpu;
    stk_update             u;
    int64_t                count;
    float                  trust; /* lars: trust ratio; lamb: times the rate */
    float                  weight, rest;
} job;

enum { PIECE = 16384 };

static update_part part_at(const job *j, int64_t begin, int64_t end)
{
    const void *const *in = j->call->in;
    void *const       *out = j->call->out;
    update_part        p = {.u = &j->u,
                            .w = (const float *)in[0] + begin,
                            .g = (const float *)in[1] + begin,
                            .m = (const float *)in[2] + begin,
                            .to_w = (float *)out[0] + begin,
                            .to_m = (float *)out[1] + begin,
                            .count = end - begin};
    if (j->call->instance.output_count < 3) return p;
    p.v = (const float *)in[3] + begin;
    p.to_v = (float *)out[2] + begin;
    return p;
}

static void sgd_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    update_part p = part_at(j, begin, end);
    STK_PICK(j->cpu, sgd)(&p, j->trust);
}

static void adamw_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    update_part p = part_at(j, begin, end);
    STK_PICK(j->cpu, adamw)(&p);
}

static void lamb_moments_part(void *context, int part, int parts)
{
    const job *j = context;
    float     *partial = j->call->scratch;
    int64_t    begin, end;
    __auto_type moments = STK_PICK(j->cpu, lamb_moments);
    stk_team_share((j->count + PIECE - 1) / PIECE, 1, part, parts, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t     last = (k + 1) * PIECE < j->count ? (k + 1) * PIECE : j->count;
        update_part p = part_at(j, k * PIECE, last);
        partial[k] = moments(&p);
    }
}

static void lamb_step_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    update_part p = part_at(j, begin, end);
    STK_PICK(j->cpu, lamb_step)(&p, j->trust);
}

/* Skips the update. */
static void keep(const job *j)
{
    const stk_kernel_call *call = j->call;
    for (int o = 0; o < call->instance.output_count; o++) {
        const void *from = call->in[call->op->inplace[o] - 1];
        if (call->out[o] != from) memcpy(call->out[o], from, (size_t)j->count * sizeof(float));
    }
}

static job job_of(const stk_kernel_call *call)
{
    return (job){.call = call,
                 .cpu = stk_cpu_of(call->device),
                 .count = stk_call_floats(call, &call->instance.in[0], call->in_format[0]),
                 .trust = 1};
}

static stk_status prepare_norms(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    *scratch = stk_squares_bytes(stk_call_floats(call, &call->instance.in[0], call->in_format[0]));
    return STK_OK;
}

static stk_status run_sgd(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    j.u = stk_update_read(call->instance.attrs, call->in[3], call->in[4]);
    if (j.u.skip) {
        keep(&j);
        return STK_OK;
    }
    if (call->op == &stk_graph_op_lars)
        j.trust = stk_lars_trust(
            call->instance.attrs, stk_squares(j.cpu, call->in[0], j.count, 1, call->scratch, NULL),
            stk_squares(j.cpu, call->in[1], j.count, j.u.multiply, call->scratch, NULL));
    stk_work(j.cpu, j.count * 20, sgd_part, &j);
    return STK_OK;
}

static stk_status run_adamw(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    j.u = stk_update_read(call->instance.attrs, call->in[4], call->in[5]);
    if (j.u.skip)
        keep(&j);
    else
        stk_work(j.cpu, j.count * 28, adamw_part, &j);
    return STK_OK;
}

/* Computes the moments first. With the trust ratio known, it recomputes the direction from them. */
static stk_status run_lamb(const stk_kernel_call *call, stk_error *err)
{
    job          j = job_of(call);
    const float *partial = call->scratch;
    double       squares = 0;
    (void)err;
    j.u = stk_update_read(call->instance.attrs, call->in[4], call->in[5]);
    if (j.u.skip) {
        keep(&j);
        return STK_OK;
    }
    stk_work(j.cpu, j.count * 24, lamb_moments_part, &j);
    for (int64_t k = 0; k < (j.count + PIECE - 1) / PIECE; k++)
        squares += (double)partial[k];
    double of_w = stk_squares(j.cpu, call->in[0], j.count, 1, call->scratch, NULL);
    j.trust = j.u.rate * stk_lamb_trust(call->instance.attrs, of_w, squares);
    stk_work(j.cpu, j.count * 16, lamb_step_part, &j);
    return STK_OK;
}

static void ema_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    const float *average = j->call->in[0], *w = j->call->in[1];
    __auto_type ema = STK_PICK(j->cpu, ema);
    ema(average + begin, w + begin, (float *)j->call->out[0] + begin, end - begin, j->weight,
        j->rest);
}

static stk_status run_ema(const stk_kernel_call *call, stk_error *err)
{
    const stk_ema_attrs *attrs = call->instance.attrs;
    const float         *guard = call->in[2];
    job                  j = job_of(call);
    (void)err;
    j.weight = (float)(1 - attrs->decay);
    j.rest = (float)attrs->decay;
    if (guard[STK_GUARD_SKIP] != 0)
        keep(&j);
    else if (guard[STK_GUARD_STEPS] <= 1)
        memcpy(call->out[0], call->in[1], (size_t)j.count * sizeof(float));
    else
        stk_work(j.cpu, j.count * 12, ema_part, &j);
    return STK_OK;
}

static void lookahead_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    const float *slow = j->call->in[0], *w = j->call->in[1];
    float       *to_slow = j->call->out[0], *to_w = j->call->out[1];
    __auto_type ema = STK_PICK(j->cpu, ema);
    ema(slow + begin, w + begin, to_slow + begin, end - begin, j->weight, j->rest);
    memcpy(to_w + begin, to_slow + begin, (size_t)(end - begin) * sizeof *to_w);
}

static stk_status run_lookahead(const stk_kernel_call *call, stk_error *err)
{
    const float *hyper = call->in[2];
    job          j = job_of(call);
    (void)err;
    j.rest = hyper[STK_HYPER_LOOKAHEAD];
    j.weight = 1 - j.rest;
    stk_work(j.cpu, j.count * 16, lookahead_part, &j);
    return STK_OK;
}

static void accumulate_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    const float *sum = j->call->in[0], *g = j->call->in[1];
    __auto_type add = STK_PICK(j->cpu, accumulate);
    add(sum + begin, g + begin, (float *)j->call->out[0] + begin, end - begin);
}

static stk_status run_accumulate(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    stk_work(j.cpu, j.count * 12, accumulate_part, &j);
    return STK_OK;
}

/* A variable keeps its format; without one it takes that of the gradient or parameter. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)err;
    int lead = have[0] == (stk_format)STK_FORMAT_ANY ? 1 : 0;
    return stk_formats_follow(instance, have, lead, in, out);
}

#define KERNEL(id, prepare_, run_)                                                                 \
    const stk_kernel stk_cpu_##id = {.op = &stk_graph_op_##id,                                     \
                                     .name = "native",                                             \
                                     .can = stk_cpu_float32,                                       \
                                     .formats = formats,                                           \
                                     .prepare = prepare_,                                          \
                                     .run = run_}

KERNEL(sgd, NULL, run_sgd);
KERNEL(lars, prepare_norms, run_sgd);
KERNEL(adamw, NULL, run_adamw);
KERNEL(lamb, prepare_norms, run_lamb);
KERNEL(ema, NULL, run_ema);
KERNEL(lookahead, NULL, run_lookahead);
KERNEL(accumulate, NULL, run_accumulate);
