/* Convolutions, dgrad and wgrad by oneDNN. Images are in channel blocks. Only the first layer, with
 * few channels, is planar (CHW), which oneDNN reads without padding to a block. 3x3 convolutions of
 * many channels use Winograd. */
#include "compute/cpu/dnnl_state.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

typedef struct conv {
    stk_cpu                *cpu;
    const stk_op_instance  *instance;
    const stk_conv2d_attrs *attrs;
    stk_dnnl_direction      pass;
    const stk_tensor_type  *x, *w, *bias, *y; /* or their gradients; bias may be NULL */
} conv;

static conv conv_of(const stk_device *device, const stk_op_instance *instance,
                    stk_dnnl_direction pass)
{
    conv c = {
        .cpu = stk_cpu_of(device), .instance = instance, .attrs = instance->attrs, .pass = pass};
    if (pass == STK_DNNL_FORWARD) {
        c.x = &instance->in[0], c.w = &instance->in[1], c.y = &instance->out[0];
        if (instance->input_count > 2) c.bias = &instance->in[2];
    } else if (pass == STK_DNNL_GRAD_INPUT) {
        c.y = &instance->in[0], c.w = &instance->in[1], c.x = &instance->out[0];
    } else {
        c.x = &instance->in[0], c.y = &instance->in[1], c.w = &instance->out[0];
        if (instance->output_count > 1) c.bias = &instance->out[1];
    }
    return c;
}

/* Formats and algorithm of one attempt. */
typedef struct attempt {
    stk_format      x, w, y; /* w may be STK_FORMAT_ANY */
    dnnl_alg_kind_t algorithm;
} attempt;

static dnnl_status_t describe_weights(const conv *c, dnnl_format_tag_t tag, stk_md *out)
{
    const int64_t    *d = c->w->shape.dim;
    int64_t           groups = c->attrs->groups;
    const dnnl_dims_t one = {d[0], d[1], d[2], d[3]};
    const dnnl_dims_t several = {groups, d[0] / groups, d[1], d[2], d[3]};
    if (tag == dnnl_abcd && groups > 1) tag = dnnl_abcde;
    return stk_md_by_tag(out, groups > 1 ? 5 : 4, groups > 1 ? several : one,
                         stk_dnnl_type(c->w->dtype), tag);
}

static dnnl_status_t describe_weights_in(const conv *c, stk_format format, stk_md *out)
{
    stk_md plain = {0};
    if (format == (stk_format)STK_FORMAT_ANY) return describe_weights(c, dnnl_format_tag_any, out);
    dnnl_status_t st = describe_weights(c, dnnl_abcd, &plain);
    if (!st) st = stk_dnnl_format_md(c->cpu, format, stk_md_get(&plain), out);
    stk_md_release(&plain);
    return st;
}

static void describe_window(const stk_conv2d_attrs *attrs, stk_dnnl_layer *l)
{
    for (int i = 0; i < 2; i++) {
        l->stride[i] = attrs->stride[i];
        l->dilation[i] = attrs->dilation[i] - 1; /* oneDNN counts gaps */
        l->pad_before[i] = attrs->pad[2 * i];
        l->pad_after[i] = attrs->pad[2 * i + 1];
    }
}

/* One channel is both NHWC and planar. For a blocked result it must be described as planar. */
static dnnl_status_t describe_input(const conv *c, const attempt *w, stk_md *out)
{
    const int64_t    *d = c->x->shape.dim;
    const dnnl_dims_t dims = {d[0], d[3], d[1], d[2]};
    if (d[3] > 1 || w->x != STK_FORMAT_PLAIN || w->y == STK_FORMAT_PLAIN)
        return stk_dnnl_image(c->cpu, c->x, w->x, out);
    return stk_md_by_tag(out, 4, dims, stk_dnnl_type(c->x->dtype), dnnl_nchw);
}

static dnnl_status_t describe(const conv *c, const attempt *w, stk_dnnl_layer *l)
{
    *l = (stk_dnnl_layer){.pass = c->pass, .algorithm = w->algorithm};
    const stk_activation *act = c->pass == STK_DNNL_FORWARD ? &c->attrs->act : NULL;
    const dnnl_dims_t     channels = {c->y->shape.dim[3]};
    describe_window(c->attrs, l);
    dnnl_status_t st = stk_dnnl_attr_make(&l->attr, act);
    if (!st) st = describe_input(c, w, &l->src);
    if (!st) st = describe_weights_in(c, w->w, &l->weights);
    if (!st) st = stk_dnnl_image(c->cpu, c->y, w->y, &l->dst);
    if (st || !c->bias) return st;
    return stk_md_by_tag(&l->bias, 1, channels, stk_dnnl_type(c->bias->dtype), dnnl_a);
}

static dnnl_status_t make(const conv *c, const attempt *w, dnnl_primitive_desc_t *pd)
{
    stk_dnnl_layer l;
    dnnl_status_t  st = describe(c, w, &l);
    if (!st) st = stk_dnnl_layer_make(c->cpu, &l, pd);
    stk_dnnl_layer_release(&l);
    return st;
}

/* For few channels or tiles the transforms cost more than they save. With asymmetric padding oneDNN
 * 2.6.3 computes a wrong dgrad. */
static bool winograd(const conv *c)
{
    enum { CHANNELS = 32, TILE = 4, TILES = 32 };
    const int64_t          *w = c->w->shape.dim, *y = c->y->shape.dim;
    int64_t                 tiles = y[0] * ((y[1] + TILE - 1) / TILE) * ((y[2] + TILE - 1) / TILE);
    const stk_conv2d_attrs *a = c->attrs;
    return !c->cpu->no_winograd && tiles >= TILES && c->x->dtype == STK_DTYPE_F32 &&
           w[0] >= CHANNELS && w[1] >= CHANNELS && w[2] == 3 && w[3] == 3 && a->groups == 1 &&
           a->stride[0] == 1 && a->stride[1] == 1 && a->dilation[0] == 1 && a->dilation[1] == 1 &&
           a->pad[0] == a->pad[1] && a->pad[2] == a->pad[3];
}

static stk_status fail(const conv *c, dnnl_status_t status, const char *what, stk_error *err)
{
    return stk_dnnl_fail(status, c->instance->name, what, stk_dnnl_use_bytes(c->instance), err);
}

/* The planar format (CHW). */
static stk_status planes(const conv *c, stk_format *out, stk_error *err)
{
    const int64_t    *d = c->x->shape.dim;
    const dnnl_dims_t dims = {d[0], d[3], d[1], d[2]};
    stk_md            md = {0}, plain = {0};
    dnnl_status_t     made = stk_md_by_tag(&md, 4, dims, stk_dnnl_type(c->x->dtype), dnnl_nchw);
    if (!made) made = stk_dnnl_image(c->cpu, c->x, STK_FORMAT_PLAIN, &plain);
    stk_status st = made
                        ? fail(c, made, "a description", err)
                        : stk_dnnl_format_of(c->cpu, stk_md_get(&md), stk_md_get(&plain), out, err);
    stk_md_release(&md);
    stk_md_release(&plain);
    return st;
}

enum { ATTEMPTS = 4, FEW_CHANNELS_MAX = 4, BEST = 2 };

/* Lists formats to try, best first. */
static stk_status list_attempts(const conv *c, attempt *attempts, int *count, stk_error *err)
{
    stk_format block = c->cpu->dnnl->block, flat = STK_FORMAT_PLAIN;
    int64_t    channels = c->x->shape.dim[3];
    bool       first = c->pass != STK_DNNL_GRAD_INPUT && c->attrs->groups == 1 && channels < block;
    if (first) STK_TRY(planes(c, &flat, err));
    *count = 0;
    if (first && channels <= FEW_CHANNELS_MAX)
        attempts[(*count)++] = (attempt){.x = flat, .y = block};
    attempts[(*count)++] = (attempt){.x = block, .y = block};
    attempts[(*count)++] = (attempt){.x = STK_FORMAT_PLAIN, .y = STK_FORMAT_PLAIN};
    if (first && channels > FEW_CHANNELS_MAX)
        attempts[(*count)++] = (attempt){.x = flat, .y = block};
    return STK_OK;
}

/* Replaces best by w if its implementation has a higher grade. */
static stk_status try_attempt(const conv *c, attempt w, attempt *best, int *grade, stk_error *err)
{
    dnnl_primitive_desc_t pd;
    stk_md                plain = {0};
    stk_status            st = STK_OK;
    dnnl_status_t         made = make(c, &w, &pd);
    if (stk_dnnl_is_failure(made)) return fail(c, made, "a convolution", err);
    if (made) return STK_OK;
    int found = stk_dnnl_grade(pd);
    if (found > *grade) {
        bool       gradient = c->pass == STK_DNNL_GRAD_WEIGHT;
        stk_md_ref weights =
            stk_onednn_pd_md(pd, gradient ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
        made = describe_weights(c, dnnl_abcd, &plain);
        st = made ? fail(c, made, "a description", err)
                  : stk_dnnl_format_of(c->cpu, weights, stk_md_get(&plain), &w.w, err);
        *grade = found;
        *best = w;
    }
    stk_md_release(&plain);
    stk_onednn_pd_destroy(pd);
    return st;
}

/* Weights keep their format if its implementation is as good as that of oneDNN's choice. */
static stk_status choose(const conv *c, stk_format weights, attempt *best, stk_error *err)
{
    const dnnl_alg_kind_t algorithms[] = {dnnl_convolution_winograd, dnnl_convolution_direct};
    attempt               attempts[ATTEMPTS];
    int                   count, grade = -1;
    bool known = weights >= STK_FORMAT_OPAQUE && weights != (stk_format)STK_FORMAT_ANY;
    STK_TRY(list_attempts(c, attempts, &count, err));
    for (int i = 0; i < count; i++)
        for (int a = winograd(c) ? 0 : 1; a < 2; a++) {
            attempts[i].algorithm = algorithms[a];
            attempts[i].w = weights;
            if (known && grade < BEST) STK_TRY(try_attempt(c, attempts[i], best, &grade, err));
            attempts[i].w = STK_FORMAT_ANY;
            if (grade < BEST) STK_TRY(try_attempt(c, attempts[i], best, &grade, err));
        }
    return grade < 0 ? fail(c, dnnl_unimplemented, "a convolution", err) : STK_OK;
}

static stk_status forward_formats(stk_device *device, const stk_op_instance *instance,
                                  const stk_format *have, stk_format *in, stk_format *out,
                                  stk_error *err)
{
    attempt best = {0};
    conv    c = conv_of(device, instance, STK_DNNL_FORWARD);
    STK_TRY(choose(&c, have[1], &best, err));
    in[0] = best.x, in[1] = best.w, out[0] = best.y;
    if (c.bias) in[2] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_status grad_input_formats(stk_device *device, const stk_op_instance *instance,
                                     const stk_format *have, stk_format *in, stk_format *out,
                                     stk_error *err)
{
    attempt best = {0};
    conv    c = conv_of(device, instance, STK_DNNL_GRAD_INPUT);
    STK_TRY(choose(&c, have[1], &best, err));
    in[0] = best.y, in[1] = best.w, out[0] = best.x;
    return STK_OK;
}

/* dw takes the format of w in the forward layer, so that the update needs no reorder. */
static stk_status grad_weight_formats(stk_device *device, const stk_op_instance *instance,
                                      const stk_format *have, stk_format *in, stk_format *out,
                                      stk_error *err)
{
    attempt forward = {0}, best = {0};
    conv    c = conv_of(device, instance, STK_DNNL_GRAD_WEIGHT), f = c;
    (void)have;
    f.pass = STK_DNNL_FORWARD;
    f.bias = NULL;
    STK_TRY(choose(&f, STK_FORMAT_ANY, &forward, err));
    STK_TRY(choose(&c, forward.w, &best, err));
    in[0] = best.x, in[1] = best.y, out[0] = best.w;
    if (c.bias) out[1] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    return stk_dnnl_can_compute(stk_cpu_of(device), instance) && stk_dnnl_can_fuse(&attrs->act);
}

static stk_status prepare(stk_kernel_call *call, const conv *c, attempt w, const stk_dnnl_arg *args,
                          size_t *scratch, stk_error *err)
{
    dnnl_primitive_desc_t pd;
    dnnl_status_t         st = dnnl_unimplemented;
    w.algorithm = dnnl_convolution_winograd;
    if (winograd(c)) st = make(c, &w, &pd);
    w.algorithm = dnnl_convolution_direct;
    if (st && !stk_dnnl_is_failure(st)) st = make(c, &w, &pd);
    if (st) return fail(c, st, call->op->name, err);
    return stk_dnnl_kernel_prepare(call, pd, args, scratch, err);
}

static stk_status prepare_forward(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    conv    c = conv_of(call->device, &call->instance, STK_DNNL_FORWARD);
    attempt w = {call->in_format[0], call->in_format[1], call->out_format[0], 0};
    return prepare(call, &c, w, stk_dnnl_forward_args(&call->instance), scratch, err);
}

static stk_status prepare_grad_input(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    conv    c = conv_of(call->device, &call->instance, STK_DNNL_GRAD_INPUT);
    attempt w = {call->out_format[0], call->in_format[1], call->in_format[0], 0};
    return prepare(call, &c, w, stk_dnnl_grad_input_args, scratch, err);
}

static stk_status prepare_grad_weight(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    static const stk_dnnl_arg args[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                        {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                                        {DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md, 0},
                                        {DNNL_ARG_DIFF_BIAS, dnnl_query_diff_weights_md, 1}};
    conv                      c = conv_of(call->device, &call->instance, STK_DNNL_GRAD_WEIGHT);
    attempt                   w = {call->in_format[0], call->out_format[0], call->in_format[1], 0};
    return prepare(call, &c, w, args, scratch, err);
}

#define KERNEL(id, pass)                                                                           \
    const stk_kernel stk_dnnl_##id = {.op = &stk_graph_op_##id,                                    \
                                      .name = "onednn",                                            \
                                      .can = can,                                                  \
                                      .formats = pass##_formats,                                   \
                                      .prepare = prepare_##pass,                                   \
                                      .run = stk_dnnl_kernel_run,                                  \
                                      .release = stk_dnnl_kernel_release,                          \
                                      .detail = stk_dnnl_kernel_detail}

KERNEL(conv2d, forward);
KERNEL(conv2d_grad_input, grad_input);
KERNEL(conv2d_grad_weight, grad_weight);
