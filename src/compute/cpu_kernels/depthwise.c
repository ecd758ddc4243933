/* dgrad and wgrad of 3x3 and 5x5 depthwise convolutions on blocked images. With one filter per
 * channel there is no GEMM: rows are read once from memory and a few times from cache. oneDNN is as
 * fast in the forward direction, and in wgrad on small planes. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/window.h"

/* TILE divides common image sides: 112, 56, 28, 14, 7. */
enum { DW_TILE = 7, DW_KERNEL_MAX = 5, DW_STRIDE_MAX = 2 };

typedef struct dw_row {
    stk_kernel_window across;
    const float      *rows[DW_KERNEL_MAX]; /* of dy under the taps; zeros outside of the image */
    const float      *dy;                  /* spreading: the plane of dy */
    const float      *w;                   /* [kernel * kernel][block] */
    float            *dx;                  /* the row of dx */
    int64_t           at, begin, end;  /* spreading: the row with padding; range of vertical taps */
    int64_t           inside, outside; /* columns from, to: all taps are inside the image */
} dw_row;

typedef struct dw_weights {
    stk_kernel_window across;
    const float      *x, *dy;            /* the plane, the row */
    float            *dw, *dbias;        /* dbias may be NULL */
    int64_t           first, begin, end; /* the row under tap 0; range of vertical taps inside */
    int64_t           inside, outside;
} dw_weights;

typedef struct dw_loops {
    void (*row)(const dw_row *row);
    void (*spread)(const dw_row *row);
    void (*weigh)(const dw_weights *row);
} dw_loops;

#define STK_LOOPS "compute/cpu_kernels/depthwise_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_cpu         *cpu;
    const stk_kernel_call *call;
    stk_conv2d_shape       shape;
    stk_kernel_window      down, across;
    stk_channels           channels; /* of the images */
    int64_t                inside, outside;
    dw_loops               loops;
    float                 *w;     /* per block: [taps][block] */
    float                 *zeros; /* one row */
} job;

/* Columns [*inside, *outside) have all their taps in the image. */
static void find_inside(const stk_kernel_window *w, int64_t *inside, int64_t *outside)
{
    *inside = (w->before + w->stride - 1) / w->stride;
    *outside = (w->size + w->before - w->kernel) / w->stride + 1;
    if (w->size + w->before < w->kernel) *outside = 0;
    if (*outside > w->count) *outside = w->count;
    if (*inside > w->count) *inside = w->count;
    if (*outside < *inside) *outside = *inside;
}

static job job_of(const stk_kernel_call *call, stk_format format)
{
    const stk_conv2d_attrs *a = call->instance.attrs;
    stk_conv2d_shape        s = stk_conv2d_shape_of(call->op, &call->instance);
    stk_tensor_type         type = {STK_DTYPE_F32, stk_shape_4d(s.batch, s.in_h, s.in_w, s.in_c)};
    job                     j = {.cpu = stk_cpu_of(call->device), .call = call, .shape = s};
    j.down = stk_window_of(s.in_h, s.kernel_h, a->stride[0], 1, a->pad[0], a->pad[1]);
    j.across = stk_window_of(s.in_w, s.kernel_w, a->stride[1], 1, a->pad[2], a->pad[3]);
    j.channels = stk_channels_of(&type, format);
    find_inside(&j.across, &j.inside, &j.outside);
    j.loops = STK_PICK(j.cpu, loops)[s.kernel_h == 5][a->stride[0] == 2];
    j.w = call->scratch;
    j.zeros = j.w + j.channels.blocks * j.channels.block * s.kernel_h * s.kernel_w;
    return j;
}

static bool can(const stk_device *device, const stk_op_instance *instance, const stk_graph_op *op)
{
    const stk_conv2d_attrs *a = instance->attrs;
    stk_conv2d_shape        s = stk_conv2d_shape_of(op, instance);
    for (int i = 0; i < 4; i++)
        if (a->pad[i] >= s.kernel_h) return false;
    return stk_cpu_float32(device, instance) && a->groups == s.in_c && s.out_c == s.in_c &&
           s.in_c >= STK_FORMAT_C8 && s.kernel_h == s.kernel_w &&
           (s.kernel_h == 3 || s.kernel_h == 5) && a->stride[0] == a->stride[1] &&
           (a->stride[0] == 1 || a->stride[0] == 2) && a->dilation[0] == 1 && a->dilation[1] == 1;
}

static bool can_input(const stk_device *device, const stk_op_instance *instance)
{
    return can(device, instance, &stk_graph_op_conv2d_grad_input);
}

static bool can_weight(const stk_device *device, const stk_op_instance *instance)
{
    enum { WORTH_IT = 56 * 56 };
    const stk_shape *x = &instance->in[0].shape;
    return x->dim[1] * x->dim[2] >= WORTH_IT &&
           can(device, instance, &stk_graph_op_conv2d_grad_weight);
}

/* Size of the widest row of x or dy. */
static int64_t zeros_of(const stk_conv2d_shape *s)
{
    return (s->in_w > s->out_w ? s->in_w : s->out_w) * STK_FORMAT_C16;
}

/* Reorders weights [C][taps] to blocks of [taps][block]; flip rotates the filter by 180 degrees. */
static void block_weights(const job *j, const float *w, bool flip)
{
    int64_t taps = j->shape.kernel_h * j->shape.kernel_w, block = j->channels.block;
    for (int64_t c = 0; c < j->channels.blocks * block; c++) {
        bool real = c < j->channels.channels;
        for (int64_t t = 0; t < taps; t++)
            j->w[(c / block * taps + (flip ? taps - 1 - t : t)) * block + c % block] =
                real ? w[c * taps + t] : 0;
    }
    memset(j->zeros, 0, (size_t)zeros_of(&j->shape) * sizeof *j->zeros);
}

/* A row of zeros replaces rows outside, so that edges need no special case. */
static void find_rows(const job *j, const float *plane, int64_t window, const float **rows)
{
    for (int64_t ky = 0; ky < j->down.kernel; ky++) {
        int64_t y = stk_window_element(&j->down, window, ky);
        rows[ky] = y < 0 ? j->zeros : plane + y * j->across.size * j->channels.block;
    }
}

/* Without layout assignment, which serves debugging, tensors are row-major. */
static bool run_plain(const stk_kernel_call *call)
{
    if (call->in_format[0] != STK_FORMAT_PLAIN) return false;
    call->op->reference(&call->instance, call->in, call->out);
    return true;
}

static void row_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end, block = j->channels.block, taps = j->down.kernel * j->across.kernel;
    int64_t    width = j->across.count * block;
    stk_team_share(j->channels.outer * j->channels.blocks * j->down.count, 1, part, parts, &begin,
                   &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t plane = k / j->down.count, b = plane % j->channels.blocks;
        dw_row  r = {.across = j->across,
                     .w = j->w + b * taps * block,
                     .dx = (float *)j->call->out[0] + k * width,
                     .inside = j->inside,
                     .outside = j->outside};
        find_rows(j, (const float *)j->call->in[0] + plane * j->down.size * j->across.size * block,
                  k % j->down.count, r.rows);
        j->loops.row(&r);
    }
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_conv2d_shape s = stk_conv2d_shape_of(call->op, &call->instance);
    int64_t          padded = (s.in_c + STK_FORMAT_C16 - 1) / STK_FORMAT_C16 * STK_FORMAT_C16;
    (void)err;
    *scratch = (size_t)(padded * s.kernel_h * s.kernel_w + zeros_of(&s)) * sizeof(float);
    return STK_OK;
}

static int64_t bytes_of(const job *j)
{
    return j->channels.outer * j->channels.blocks * j->channels.inner * j->channels.block * 8;
}

static void spread_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end, block = j->channels.block, taps = j->down.kernel * j->across.kernel;
    int64_t    width = j->across.size * block;
    stk_team_share(j->channels.outer * j->channels.blocks * j->down.size, 1, part, parts, &begin,
                   &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t plane = k / j->down.size, at = k % j->down.size + j->down.before;
        int64_t past = at - (j->down.count - 1) * j->down.stride; /* tap of the last window */
        float  *dx = (float *)j->call->out[0] + k * width;
        memset(dx, 0, (size_t)width * sizeof *dx);
        j->loops.spread(&(dw_row){.across = j->across,
                                  .dy = (const float *)j->call->in[0] +
                                        plane * j->down.count * j->across.count * block,
                                  .w = j->w + plane % j->channels.blocks * taps * block,
                                  .dx = dx,
                                  .at = at,
                                  .begin = past > 0 ? past : 0,
                                  .end = at + 1 < j->down.kernel ? at + 1 : j->down.kernel,
                                  .inside = j->inside,
                                  .outside = j->outside});
    }
}

/* With stride 1 dgrad is a convolution of dy with the rotated filter and matching padding. */
static stk_status run_input(const stk_kernel_call *call, stk_error *err)
{
    (void)err;
    if (run_plain(call)) return STK_OK;
    job j = job_of(call, call->in_format[0]);
    block_weights(&j, call->in[1], j.down.stride == 1);
    if (j.down.stride > 1) {
        stk_work(j.cpu, bytes_of(&j), spread_part, &j);
        return STK_OK;
    }
    stk_kernel_window *sides[2] = {&j.down, &j.across};
    for (int i = 0; i < 2; i++) {
        stk_kernel_window *w = sides[i];
        *w = (stk_kernel_window){w->count, w->kernel, 1, 1, w->kernel - 1 - w->before, w->size};
    }
    find_inside(&j.across, &j.inside, &j.outside);
    stk_work(j.cpu, bytes_of(&j), row_part, &j);
    return STK_OK;
}

/* wgrad of one plane and block, into partial sums of its own. */
static void weigh_plane(const job *j, int64_t plane, float *dw)
{
    int64_t      block = j->channels.block, taps = j->down.kernel * j->across.kernel;
    const float *x = j->call->in[0], *dy = j->call->in[1];
    memset(dw, 0, (size_t)((taps + 1) * block) * sizeof *dw);
    for (int64_t oy = 0; oy < j->down.count; oy++) {
        int64_t first = oy * j->down.stride - j->down.before, left = j->down.size - first;
        j->loops.weigh(
            &(dw_weights){.across = j->across,
                          .x = x + plane * j->down.size * j->across.size * block,
                          .dy = dy + (plane * j->down.count + oy) * j->across.count * block,
                          .dw = dw,
                          .dbias = j->call->instance.output_count > 1 ? dw + taps * block : NULL,
                          .first = first,
                          .begin = first < 0 ? -first : 0,
                          .end = left < j->down.kernel ? left : j->down.kernel,
                          .inside = j->inside,
                          .outside = j->outside});
    }
}

static void weigh_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end, sums = (j->down.kernel * j->across.kernel + 1) * j->channels.block;
    stk_team_share(j->channels.outer * j->channels.blocks, 1, part, parts, &begin, &end);
    for (int64_t plane = begin; plane < end; plane++)
        weigh_plane(j, plane, j->w + plane * sums);
}

/* Sums images in order, in double. */
static void merge_part(void *context, int part, int parts)
{
    const job   *j = context;
    const float *partial = j->w;
    float       *dw = j->call->out[0], *dbias = NULL;
    int64_t      begin, end, block = j->channels.block, taps = j->down.kernel * j->across.kernel;
    if (j->call->instance.output_count > 1) dbias = j->call->out[1];
    stk_team_share(j->channels.channels, 16, part, parts, &begin, &end);
    for (int64_t c = begin; c < end; c++)
        for (int64_t t = 0; t <= taps; t++) {
            double sum = 0;
            for (int64_t n = 0; n < j->channels.outer; n++)
                sum += (double)
                    partial[((n * j->channels.blocks + c / block) * (taps + 1) + t) * block +
                            c % block];
            if (t < taps) dw[c * taps + t] = (float)sum;
            if (t == taps && dbias) dbias[c] = (float)sum;
        }
}

static stk_status prepare_weight(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_conv2d_shape s = stk_conv2d_shape_of(call->op, &call->instance);
    int64_t          padded = (s.in_c + STK_FORMAT_C16 - 1) / STK_FORMAT_C16 * STK_FORMAT_C16;
    (void)err;
    *scratch =
        (size_t)(s.batch * padded * (s.kernel_h * s.kernel_w + 1) + zeros_of(&s)) * sizeof(float);
    return STK_OK;
}

static stk_status run_weight(const stk_kernel_call *call, stk_error *err)
{
    (void)err;
    if (run_plain(call)) return STK_OK;
    job j = job_of(call, call->in_format[0]);
    stk_work(j.cpu, bytes_of(&j), weigh_part, &j);
    stk_work(j.cpu, j.channels.outer * j.channels.channels * 40, merge_part, &j);
    return STK_OK;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)have, (void)err;
    stk_format format = stk_format_preferred(device, &instance->in[0]);
    for (int i = 0; i < instance->input_count; i++)
        in[i] = STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = STK_FORMAT_PLAIN;
    in[0] = out[0] = format;
    return STK_OK;
}

static stk_status formats_weight(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    STK_TRY(formats(device, instance, have, in, out, err));
    in[1] = in[0];
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

const stk_kernel stk_cpu_depthwise_grad_input = {.op = &stk_graph_op_conv2d_grad_input,
                                                 .name = "native",
                                                 .can = can_input,
                                                 .requires_formats = true,
                                                 .formats = formats,
                                                 .prepare = prepare,
                                                 .run = run_input};
const stk_kernel stk_cpu_depthwise_grad_weight = {.op = &stk_graph_op_conv2d_grad_weight,
                                                  .name = "native",
                                                  .can = can_weight,
                                                  .requires_formats = true,
                                                  .formats = formats_weight,
                                                  .prepare = prepare_weight,
                                                  .run = run_weight};
