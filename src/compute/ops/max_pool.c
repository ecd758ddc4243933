/* max_pool: maximum of each window and its index */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"

stk_status stk_max_pool_infer(const stk_graph_op *op, const stk_op_instance *instance,
                              stk_tensor_type *out, stk_error *err)
{
    const stk_pool_attrs *attrs = instance->attrs;
    STK_TRY(stk_pool_infer(op, instance, out, err));
    if ((int64_t)attrs->kernel[0] * attrs->kernel[1] > STK_POOL_WINDOW_MAX)
        return stk_fail(err, STK_E_LIMIT, op->name, instance->name,
                        "a kernel of %dx%d has more than %d elements", attrs->kernel[0],
                        attrs->kernel[1], STK_POOL_WINDOW_MAX);
    out[1] = (stk_tensor_type){STK_DTYPE_U8, out[0].shape};
    return STK_OK;
}

stk_status stk_max_pool_grad_infer(const stk_graph_op *op, const stk_op_instance *instance,
                                   stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_pool_infer(op, instance, out, err));
    if (instance->in[1].dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name, "the indices are %s, not uint8",
                        stk_dtype_name(instance->in[1].dtype));
    return stk_op_check_shape(op, instance, 1, &instance->in[0].shape, "the gradient that comes in",
                              err);
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_max_pool_infer(&stk_graph_op_max_pool, instance, out, err);
}

static stk_status grad_infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_max_pool_grad_infer(&stk_graph_op_max_pool_grad, instance, out, err);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    stk_pool_attrs attrs = stk_pool_grad_attrs(g, node);
    din[0] = stk_graph_add2(g, &stk_graph_op_max_pool_grad, dout[0], node->out[1], &attrs);
}

uint8_t stk_max_pool_index(const stk_pool_shape *s, const float *x, const int64_t at[3], int64_t c,
                           bool smallest, float *value)
{
    bool    found = false;
    uint8_t index = 0;
    for (int64_t ky = 0; ky < s->down.kernel; ky++)
        for (int64_t kx = 0; kx < s->across.kernel; kx++) {
            int64_t iy = stk_window_element(&s->down, at[1], ky);
            int64_t ix = stk_window_element(&s->across, at[2], kx);
            if (iy < 0 || ix < 0) continue;
            float here = x[stk_pool_x_at(s, at[0], iy, ix) + c];
            bool  more = smallest ? here < *value : here > *value;
            if (found && !more && here == here) continue;
            found = true;
            *value = here;
            index = (uint8_t)(ky * s->across.kernel + kx);
        }
    return index;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    uint8_t       *indices = instance->output_count > 1 ? out[1] : NULL;
    int64_t        at[3];
    for (at[0] = 0; at[0] < s.batch; at[0]++)
        for (at[1] = 0; at[1] < s.down.count; at[1]++)
            for (at[2] = 0; at[2] < s.across.count; at[2]++)
                for (int64_t c = 0; c < s.channels; c++) {
                    int64_t to = stk_pool_y_at(&s, at[0], at[1], at[2]) + c;
                    uint8_t index =
                        stk_max_pool_index(&s, in[0], at, c, false, (float *)out[0] + to);
                    if (indices) indices[to] = index;
                }
}

double stk_max_pool_gradient(const stk_pool_shape *s, const float *dy, const uint8_t *indices,
                             const int64_t at[3], int64_t c)
{
    double sum = 0;
    for (int64_t ky = 0; ky < s->down.kernel; ky++)
        for (int64_t kx = 0; kx < s->across.kernel; kx++) {
            int64_t oy = stk_window_of_element(&s->down, at[1], ky);
            int64_t ox = stk_window_of_element(&s->across, at[2], kx);
            if (oy < 0 || ox < 0) continue;
            int64_t from = stk_pool_y_at(s, at[0], oy, ox) + c;
            if (indices[from] == ky * s->across.kernel + kx) sum += (double)dy[from];
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
                        (float)stk_max_pool_gradient(&s, in[0], in[1], at, c);
}

const stk_graph_op stk_graph_op_max_pool = {
    .name = "max_pool",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 2,
    .outputs_min = 1,
    .attrs_size = sizeof(stk_pool_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .cost = stk_pool_cost,
    .reference = reference,
    .print = stk_pool_print,
};

const stk_graph_op stk_graph_op_max_pool_grad = {
    .name = "max_pool_grad",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_pool_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = grad_infer,
    .cost = stk_pool_cost,
    .reference = grad_reference,
    .print = stk_pool_print,
};

stk_symbol stk_max_pool(stk_graph *g, stk_symbol x, const stk_pool_options *options)
{
    stk_pool_attrs attrs = stk_pool_attrs_of(options);
    attrs.count_pad = 0; /* padding is never the maximum */
    return stk_from_nhwc(g, stk_graph_add1(g, &stk_graph_op_max_pool, stk_to_nhwc(g, x), &attrs));
}
