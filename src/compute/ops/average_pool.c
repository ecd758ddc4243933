/* average_pool: mean of each window, with or without padding; global average pooling */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_pool_infer(&stk_graph_op_average_pool, instance, out, err);
}

static stk_status grad_infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_pool_infer(&stk_graph_op_average_pool_grad, instance, out, err);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    stk_pool_attrs attrs = stk_pool_grad_attrs(g, node);
    din[0] = stk_graph_add1(g, &stk_graph_op_average_pool_grad, dout[0], &attrs);
}

static int64_t elements_in(const stk_kernel_window *w, int64_t window)
{
    int64_t count = 0;
    for (int64_t tap = 0; tap < w->kernel; tap++)
        count += stk_window_element(w, window, tap) >= 0;
    return count;
}

/* Divisor of a window's sum. */
static double divisor(const stk_pool_attrs *attrs, const stk_pool_shape *s, int64_t oy, int64_t ox)
{
    return attrs->count_pad ? (double)(s->down.kernel * s->across.kernel)
                            : (double)(elements_in(&s->down, oy) * elements_in(&s->across, ox));
}

static double sum_window(const stk_pool_shape *s, const float *x, const int64_t at[3], int64_t c)
{
    double sum = 0;
    for (int64_t ky = 0; ky < s->down.kernel; ky++)
        for (int64_t kx = 0; kx < s->across.kernel; kx++) {
            int64_t iy = stk_window_element(&s->down, at[1], ky);
            int64_t ix = stk_window_element(&s->across, at[2], kx);
            if (iy >= 0 && ix >= 0) sum += (double)x[stk_pool_x_at(s, at[0], iy, ix) + c];
        }
    return sum;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    float         *y = out[0];
    int64_t        at[3];
    for (at[0] = 0; at[0] < s.batch; at[0]++)
        for (at[1] = 0; at[1] < s.down.count; at[1]++)
            for (at[2] = 0; at[2] < s.across.count; at[2]++)
                for (int64_t c = 0; c < s.channels; c++)
                    y[stk_pool_y_at(&s, at[0], at[1], at[2]) + c] =
                        (float)(sum_window(&s, in[0], at, c) /
                                divisor(instance->attrs, &s, at[1], at[2]));
}

static double gather(const stk_pool_attrs *attrs, const stk_pool_shape *s, const float *dy,
                     const int64_t at[3], int64_t c)
{
    double sum = 0;
    for (int64_t ky = 0; ky < s->down.kernel; ky++)
        for (int64_t kx = 0; kx < s->across.kernel; kx++) {
            int64_t oy = stk_window_of_element(&s->down, at[1], ky);
            int64_t ox = stk_window_of_element(&s->across, at[2], kx);
            if (oy < 0 || ox < 0) continue;
            sum += (double)dy[stk_pool_y_at(s, at[0], oy, ox) + c] / divisor(attrs, s, oy, ox);
        }
    return sum;
}

static void grad_reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    float         *dx = out[0];
    int64_t        at[3];
    for (at[0] = 0; at[0] < s.batch; at[0]++)
        for (at[1] = 0; at[1] < s.down.size; at[1]++)
            for (at[2] = 0; at[2] < s.across.size; at[2]++)
                for (int64_t c = 0; c < s.channels; c++)
                    dx[stk_pool_x_at(&s, at[0], at[1], at[2]) + c] =
                        (float)gather(instance->attrs, &s, in[0], at, c);
}

const stk_graph_op stk_graph_op_average_pool = {
    .name = "average_pool",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_pool_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .cost = stk_pool_cost,
    .reference = reference,
    .print = stk_pool_print,
};

const stk_graph_op stk_graph_op_average_pool_grad = {
    .name = "average_pool_grad",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_pool_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = grad_infer,
    .cost = stk_pool_cost,
    .reference = grad_reference,
    .print = stk_pool_print,
};

stk_symbol stk_average_pool(stk_graph *g, stk_symbol x, const stk_pool_options *options)
{
    stk_pool_attrs attrs = stk_pool_attrs_of(options);
    return stk_from_nhwc(g,
                         stk_graph_add1(g, &stk_graph_op_average_pool, stk_to_nhwc(g, x), &attrs));
}

/* Converts to [N,H,W,C] in either layout: the transpose cancels against that of the op before. */
stk_symbol stk_global_average_pool(stk_graph *g, stk_symbol x)
{
    stk_shape shape = stk_symbol_shape(g, x);
    char      text[96];
    if (stk_symbol_is_none(x)) return STK_NO_SYMBOL;
    if (shape.rank != 4)
        return stk_graph_fail(g, STK_E_SHAPE, "global_average_pool", g->path,
                              "x has shape %s; it takes 4 dimensions",
                              stk_shape_text(&shape, text, sizeof text));
    return stk_reduce_mean(g, stk_to_nhwc(g, x), 1u << 1 | 1u << 2, false);
}
