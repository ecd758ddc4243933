/* conv2d: images [N,H,W,C] with weights [out,in/groups,kh,kw]; dgrad and wgrad */
#include "compute/ops/conv2d.h"
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/window.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <string.h>

static stk_kernel_window down(const stk_conv2d_attrs *a, const stk_conv2d_shape *s)
{
    return stk_window_of(s->in_h, s->kernel_h, a->stride[0], a->dilation[0], a->pad[0], a->pad[1]);
}

static stk_kernel_window across(const stk_conv2d_attrs *a, const stk_conv2d_shape *s)
{
    return stk_window_of(s->in_w, s->kernel_w, a->stride[1], a->dilation[1], a->pad[2], a->pad[3]);
}

static void take_input(stk_conv2d_shape *s, const stk_shape *x)
{
    s->batch = x->dim[0], s->in_h = x->dim[1], s->in_w = x->dim[2], s->in_c = x->dim[3];
}

static void take_weight(stk_conv2d_shape *s, const stk_shape *w)
{
    s->out_c = w->dim[0], s->kernel_h = w->dim[2], s->kernel_w = w->dim[3];
}

stk_conv2d_shape stk_conv2d_shape_of(const stk_graph_op *op, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    const stk_shape        *first = &instance->in[0].shape, *second = &instance->in[1].shape;
    stk_conv2d_shape        s = {0};
    if (op == &stk_graph_op_conv2d) {
        take_input(&s, first);
        take_weight(&s, second);
    } else if (op == &stk_graph_op_conv2d_grad_input) {
        s.batch = first->dim[0], s.in_h = attrs->size[0], s.in_w = attrs->size[1];
        s.in_c = second->dim[1] * attrs->groups;
        take_weight(&s, second);
    } else {
        take_input(&s, first);
        s.out_c = second->dim[3], s.kernel_h = attrs->size[0], s.kernel_w = attrs->size[1];
    }
    s.out_h = down(attrs, &s).count, s.out_w = across(attrs, &s).count;
    return s;
}

static stk_status check_attrs(const stk_graph_op *op, const stk_op_instance *instance,
                              stk_error *err)
{
    const stk_conv2d_attrs *a = instance->attrs;
    if (a->stride[0] < 1 || a->stride[1] < 1 || a->dilation[0] < 1 || a->dilation[1] < 1 ||
        a->groups < 1)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "stride %d,%d, dilation %d,%d, groups %d: none may be below 1",
                        a->stride[0], a->stride[1], a->dilation[0], a->dilation[1], a->groups);
    if (a->pad[0] < 0 || a->pad[1] < 0 || a->pad[2] < 0 || a->pad[3] < 0)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "padding %d,%d,%d,%d: none may be below 0", a->pad[0], a->pad[1], a->pad[2],
                        a->pad[3]);
    for (int i = 0; i < 2; i++) {
        STK_TRY(stk_op_check_rank(op, instance, i, 4, err));
        STK_TRY(stk_op_check_float(op, instance, i, err));
    }
    return STK_OK;
}

static stk_status check_fit(const stk_graph_op *op, const stk_op_instance *instance,
                            const stk_conv2d_shape *s, stk_error *err)
{
    const stk_conv2d_attrs *a = instance->attrs;
    if (s->out_c < 1 || s->out_c % a->groups || s->in_c % a->groups)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "%lld channels in and %lld out cannot be split into %d groups",
                        (long long)s->in_c, (long long)s->out_c, a->groups);
    if (s->out_h < 1 || s->out_w < 1)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "a kernel of %lldx%lld, dilation %d,%d, does not fit into %lldx%lld with "
                        "padding %d,%d,%d,%d",
                        (long long)s->kernel_h, (long long)s->kernel_w, a->dilation[0],
                        a->dilation[1], (long long)s->in_h, (long long)s->in_w, a->pad[0],
                        a->pad[1], a->pad[2], a->pad[3]);
    return STK_OK;
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op     *op = &stk_graph_op_conv2d;
    const stk_conv2d_attrs *attrs = instance->attrs;
    STK_TRY(check_attrs(op, instance, err));
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    STK_TRY(check_fit(op, instance, &s, err));
    if (s.in_c / attrs->groups != instance->in[1].shape.dim[1])
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "x has %lld channels in %d groups but the weight takes %lld in each",
                        (long long)s.in_c, attrs->groups, (long long)instance->in[1].shape.dim[1]);
    out[STK_CONV2D_Y] =
        (stk_tensor_type){instance->in[0].dtype, stk_shape_4d(s.batch, s.out_h, s.out_w, s.out_c)};
    out[STK_CONV2D_MEAN] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_1d(s.out_c)};
    out[STK_CONV2D_VAR] = out[STK_CONV2D_MEAN];
    if (instance->output_count > 1 && stk_type_elements(&out[STK_CONV2D_Y]) == 0)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name, "no elements to average");
    if (instance->input_count < 3) return STK_OK;
    stk_shape bias = stk_shape_1d(s.out_c);
    STK_TRY(stk_op_check_float(op, instance, 2, err));
    return stk_op_check_shape(op, instance, 2, &bias, "the channels of the result", err);
}

static stk_status grad_input_infer(const stk_op_instance *instance, stk_tensor_type *out,
                                   stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_conv2d_grad_input;
    STK_TRY(check_attrs(op, instance, err));
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    STK_TRY(check_fit(op, instance, &s, err));
    stk_shape dy = stk_shape_4d(s.batch, s.out_h, s.out_w, s.out_c);
    out[0] =
        (stk_tensor_type){instance->in[0].dtype, stk_shape_4d(s.batch, s.in_h, s.in_w, s.in_c)};
    STK_TRY(stk_op_check_shape(op, instance, 0, &dy, "the result of the convolution", err));
    if (instance->input_count < 3) return STK_OK;
    STK_TRY(stk_op_check_float(op, instance, 2, err));
    return stk_op_check_shape(op, instance, 2, &out[0].shape, "the input of the convolution", err);
}

static stk_status grad_weight_infer(const stk_op_instance *instance, stk_tensor_type *out,
                                    stk_error *err)
{
    const stk_graph_op     *op = &stk_graph_op_conv2d_grad_weight;
    const stk_conv2d_attrs *attrs = instance->attrs;
    STK_TRY(check_attrs(op, instance, err));
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    STK_TRY(check_fit(op, instance, &s, err));
    stk_shape dy = stk_shape_4d(s.batch, s.out_h, s.out_w, s.out_c);
    stk_shape dw = stk_shape_4d(s.out_c, s.in_c / attrs->groups, s.kernel_h, s.kernel_w);
    out[0] = (stk_tensor_type){instance->in[1].dtype, dw};
    out[1] = (stk_tensor_type){instance->in[1].dtype, stk_shape_1d(s.out_c)};
    return stk_op_check_shape(op, instance, 1, &dy, "the result of the convolution", err);
}

/* Forward, dgrad and wgrad are one trilinear form, so gradients are these ops again. A pass makes
 * the bias gradient an output of wgrad. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    stk_conv2d_attrs attrs = *(const stk_conv2d_attrs *)node->attrs;
    stk_shape        x = stk_symbol_shape(g, node->in[0]), w = stk_symbol_shape(g, node->in[1]);
    if (attrs.act.row) {
        stk_graph_fail(g, STK_E_UNSUPPORTED, "conv2d", node->name,
                       "gradients come before the pass that gave it the activation %s",
                       attrs.act.row->name);
        return;
    }
    attrs.size[0] = (int)x.dim[1], attrs.size[1] = (int)x.dim[2];
    din[0] = stk_graph_add2(g, &stk_graph_op_conv2d_grad_input, dout[0], node->in[1], &attrs);
    attrs.size[0] = (int)w.dim[2], attrs.size[1] = (int)w.dim[3];
    stk_graph_add(g, &stk_graph_op_conv2d_grad_weight, (stk_symbol[]){node->in[0], dout[0]}, 2,
                  &attrs, &din[1], 1);
    if (node->input_count > 2) din[2] = stk_reduce_sum(g, dout[0], 7u, false);
}

static stk_op_cost cost_of(const stk_graph_op *op, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    stk_conv2d_shape        s = stk_conv2d_shape_of(op, instance);
    double                  results = (double)s.batch * (double)s.out_h * (double)s.out_w;
    stk_op_cost             c = {2 * results * (double)s.out_c * (double)(s.kernel_h * s.kernel_w) *
                                     (double)(s.in_c / attrs->groups),
                                 0};
    for (int i = 0; i < instance->input_count; i++)
        c.bytes += (double)stk_type_bytes(&instance->in[i]);
    for (int o = 0; o < instance->output_count; o++)
        c.bytes += (double)stk_type_bytes(&instance->out[o]);
    return c;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return cost_of(&stk_graph_op_conv2d, instance);
}

static stk_op_cost grad_input_cost(const stk_op_instance *instance)
{
    return cost_of(&stk_graph_op_conv2d_grad_input, instance);
}

static stk_op_cost grad_weight_cost(const stk_op_instance *instance)
{
    return cost_of(&stk_graph_op_conv2d_grad_weight, instance);
}

/* Sizes and indices, shared by the references. */
typedef struct iter {
    stk_conv2d_shape  s;
    stk_kernel_window down, across;
    int64_t           group_in, group_out; /* channels per group */
} iter;

static iter iter_of(const stk_graph_op *op, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    stk_conv2d_shape        s = stk_conv2d_shape_of(op, instance);
    return (iter){s, down(attrs, &s), across(attrs, &s), s.in_c / attrs->groups,
                  s.out_c / attrs->groups};
}

static int64_t x_at(const iter *k, int64_t n, int64_t y, int64_t x)
{
    return ((n * k->s.in_h + y) * k->s.in_w + x) * k->s.in_c;
}

static int64_t y_at(const iter *k, int64_t n, int64_t y, int64_t x)
{
    return ((n * k->s.out_h + y) * k->s.out_w + x) * k->s.out_c;
}

static int64_t w_at(const iter *k, int64_t oc, int64_t ic, int64_t ky, int64_t kx)
{
    return ((oc * k->group_in + ic) * k->s.kernel_h + ky) * k->s.kernel_w + kx;
}

static double one_result(const iter *k, const float *x, const float *w, const int64_t at[3],
                         int64_t oc)
{
    int64_t first = oc / k->group_out * k->group_in;
    double  sum = 0;
    for (int64_t ky = 0; ky < k->s.kernel_h; ky++)
        for (int64_t kx = 0; kx < k->s.kernel_w; kx++) {
            int64_t iy = stk_window_element(&k->down, at[1], ky);
            int64_t ix = stk_window_element(&k->across, at[2], kx);
            if (iy < 0 || ix < 0) continue;
            const float *from = x + x_at(k, at[0], iy, ix) + first;
            for (int64_t ic = 0; ic < k->group_in; ic++)
                sum += (double)from[ic] * (double)w[w_at(k, oc, ic, ky, kx)];
        }
    return sum;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    iter                    k = iter_of(&stk_graph_op_conv2d, instance);
    const float            *bias = instance->input_count > 2 ? in[2] : NULL;
    float                  *y = out[0];
    int64_t                 at[3];
    for (at[0] = 0; at[0] < k.s.batch; at[0]++)
        for (at[1] = 0; at[1] < k.s.out_h; at[1]++)
            for (at[2] = 0; at[2] < k.s.out_w; at[2]++)
                for (int64_t oc = 0; oc < k.s.out_c; oc++) {
                    double sum = one_result(&k, in[0], in[1], at, oc);
                    if (bias) sum += (double)bias[oc];
                    y[y_at(&k, at[0], at[1], at[2]) + oc] = stk_activate(&attrs->act, (float)sum);
                }
    if (instance->output_count > 1)
        stk_graph_op_bn_stats.reference(&(stk_op_instance){instance->name, NULL, 1, 2,
                                                           &instance->out[STK_CONV2D_Y],
                                                           &instance->out[STK_CONV2D_MEAN]},
                                        (const void *const[]){y}, &out[STK_CONV2D_MEAN]);
}

static double one_of_input(const iter *k, const float *dy, const float *w, const int64_t at[3],
                           int64_t c)
{
    int64_t first = c / k->group_in * k->group_out;
    double  sum = 0;
    for (int64_t ky = 0; ky < k->s.kernel_h; ky++)
        for (int64_t kx = 0; kx < k->s.kernel_w; kx++) {
            int64_t oy = stk_window_of_element(&k->down, at[1], ky);
            int64_t ox = stk_window_of_element(&k->across, at[2], kx);
            if (oy < 0 || ox < 0) continue;
            const float *from = dy + y_at(k, at[0], oy, ox);
            for (int64_t oc = first; oc < first + k->group_out; oc++)
                sum += (double)from[oc] * (double)w[w_at(k, oc, c % k->group_in, ky, kx)];
        }
    return sum;
}

static void grad_input_reference(const stk_op_instance *instance, const void *const *in,
                                 void *const *out)
{
    iter         k = iter_of(&stk_graph_op_conv2d_grad_input, instance);
    const float *addend = instance->input_count > 2 ? in[2] : NULL;
    float       *dx = out[0];
    int64_t      at[3];
    for (at[0] = 0; at[0] < k.s.batch; at[0]++)
        for (at[1] = 0; at[1] < k.s.in_h; at[1]++)
            for (at[2] = 0; at[2] < k.s.in_w; at[2]++)
                for (int64_t c = 0; c < k.s.in_c; c++) {
                    int64_t to = x_at(&k, at[0], at[1], at[2]) + c;
                    double  sum = one_of_input(&k, in[0], in[1], at, c);
                    dx[to] = (float)(addend ? sum + (double)addend[to] : sum);
                }
}

static double one_of_weight(const iter *k, const float *x, const float *dy, int64_t oc, int64_t ic,
                            const int64_t tap[2])
{
    int64_t c = oc / k->group_out * k->group_in + ic;
    double  sum = 0;
    for (int64_t n = 0; n < k->s.batch; n++)
        for (int64_t oy = 0; oy < k->s.out_h; oy++)
            for (int64_t ox = 0; ox < k->s.out_w; ox++) {
                int64_t iy = stk_window_element(&k->down, oy, tap[0]);
                int64_t ix = stk_window_element(&k->across, ox, tap[1]);
                if (iy < 0 || ix < 0) continue;
                sum += (double)x[x_at(k, n, iy, ix) + c] * (double)dy[y_at(k, n, oy, ox) + oc];
            }
    return sum;
}

static void sum_bias(const iter *k, const float *dy, float *dbias)
{
    for (int64_t oc = 0; oc < k->s.out_c; oc++) {
        double sum = 0;
        for (int64_t i = 0; i < k->s.batch * k->s.out_h * k->s.out_w; i++)
            sum += (double)dy[i * k->s.out_c + oc];
        dbias[oc] = (float)sum;
    }
}

static void grad_weight_reference(const stk_op_instance *instance, const void *const *in,
                                  void *const *out)
{
    iter    k = iter_of(&stk_graph_op_conv2d_grad_weight, instance);
    float  *dw = out[0];
    int64_t tap[2];
    for (int64_t oc = 0; oc < k.s.out_c; oc++)
        for (int64_t ic = 0; ic < k.group_in; ic++)
            for (tap[0] = 0; tap[0] < k.s.kernel_h; tap[0]++)
                for (tap[1] = 0; tap[1] < k.s.kernel_w; tap[1]++)
                    dw[w_at(&k, oc, ic, tap[0], tap[1])] =
                        (float)one_of_weight(&k, in[0], in[1], oc, ic, tap);
    if (instance->output_count > 1 && out[1]) sum_bias(&k, in[1], out[1]);
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_conv2d_attrs *a = attrs_;
    int used = snprintf(text, capacity, "stride=%d,%d pad=%d,%d,%d,%d", a->stride[0], a->stride[1],
                        a->pad[0], a->pad[1], a->pad[2], a->pad[3]);
    if (a->dilation[0] != 1 || a->dilation[1] != 1)
        used += snprintf(text + used, capacity - (size_t)used, " dilation=%d,%d", a->dilation[0],
                         a->dilation[1]);
    if (a->groups != 1) snprintf(text + used, capacity - (size_t)used, " groups=%d", a->groups);
    stk_activation_print(&a->act, text, capacity);
}

const stk_graph_op stk_graph_op_conv2d = {
    .name = "conv2d",
    .inputs_min = 2,
    .inputs_max = 3,
    .outputs = STK_CONV2D_OUTPUTS,
    .outputs_min = 1,
    .attrs_size = sizeof(stk_conv2d_attrs),
    .precision = STK_PRECISION_ALLOW,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

const stk_graph_op stk_graph_op_conv2d_grad_input = {
    .name = "conv2d_grad_input",
    .inputs_min = 2,
    .inputs_max = 3,
    .outputs = 1,
    .attrs_size = sizeof(stk_conv2d_attrs),
    .inplace = {3},
    .precision = STK_PRECISION_ALLOW,
    .infer = grad_input_infer,
    .cost = grad_input_cost,
    .reference = grad_input_reference,
    .print = print,
};

const stk_graph_op stk_graph_op_conv2d_grad_weight = {
    .name = "conv2d_grad_weight",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 2,
    .outputs_min = 1,
    .attrs_size = sizeof(stk_conv2d_attrs),
    .precision = STK_PRECISION_ALLOW,
    .infer = grad_weight_infer,
    .cost = grad_weight_cost,
    .reference = grad_weight_reference,
    .print = print,
};

static stk_conv2d_attrs with_defaults(const stk_conv2d_options *options)
{
    stk_conv2d_attrs attrs = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1};
    if (!options) return attrs;
    for (int i = 0; i < 2; i++) {
        if (options->stride[i]) attrs.stride[i] = options->stride[i];
        if (options->dilation[i]) attrs.dilation[i] = options->dilation[i];
    }
    if (options->groups) attrs.groups = options->groups;
    memcpy(attrs.pad, options->pad, sizeof attrs.pad);
    return attrs;
}

stk_symbol stk_conv2d(stk_graph *g, stk_symbol x, stk_symbol weight, stk_symbol bias,
                      const stk_conv2d_options *options)
{
    stk_conv2d_attrs attrs = with_defaults(options);
    stk_symbol       out, in[3] = {stk_to_nhwc(g, x), weight, bias};
    stk_graph_add(g, &stk_graph_op_conv2d, in, stk_symbol_is_none(bias) ? 2 : 3, &attrs, &out, 1);
    return stk_from_nhwc(g, out);
}
