/* layer_norm: normalizes over the last dimension, then gamma and beta */
#include "compute/graph/gradients.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stdio.h>
#include <stoker/ops.h>

static stk_tensor_type per_row(const stk_shape *x)
{
    stk_tensor_type rows = {STK_DTYPE_F32, *x};
    rows.shape.dim[--rows.shape.rank] = 0;
    return rows;
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_op_check_float(&stk_graph_op_layer_norm, instance, 0, err));
    STK_TRY(stk_bn_check_channels(&stk_graph_op_layer_norm, instance, 1, 2, err));
    out[0] = instance->in[0];
    out[1] = out[2] = per_row(&instance->in[0].shape);
    return STK_OK;
}

enum { DY, X, GAMMA, MEAN, INVSTD };

static stk_status check_per_row(const stk_op_instance *instance, int which, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_layer_norm_grad;
    stk_tensor_type     rows = per_row(&instance->in[X].shape);
    if (instance->in[which].dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "input %d is %s; values per row are float32", which,
                        stk_dtype_name(instance->in[which].dtype));
    return stk_op_check_shape(op, instance, which, &rows.shape, "the rows of x", err);
}

static stk_status infer_grad(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_layer_norm_grad;
    STK_TRY(stk_op_check_float(op, instance, DY, err));
    STK_TRY(stk_bn_check_like_first(op, instance, X, err));
    STK_TRY(stk_bn_check_channels(op, instance, GAMMA, 1, err));
    STK_TRY(check_per_row(instance, MEAN, err));
    STK_TRY(check_per_row(instance, INVSTD, err));
    out[0] = instance->in[DY];
    out[1] = out[2] = instance->in[GAMMA];
    return STK_OK;
}

/* mean and invstd are used by the gradient only. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    if (stk_symbol_is_none(dout[0])) return;
    stk_graph_add(g, &stk_graph_op_layer_norm_grad,
                  (stk_symbol[]){dout[0], node->in[0], node->in[1], node->out[1], node->out[2]}, 5,
                  node->attrs, din, 3);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 7);
}

static stk_op_cost cost_grad(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 12);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_layer_norm_attrs *attrs = instance->attrs;
    const float                *gamma = in[1], *beta = in[2];
    float                      *mean = out[1], *invstd = out[2];
    int64_t width = instance->in[1].shape.dim[0], rows = stk_type_elements(&instance->out[1]);
    for (int64_t row = 0; row < rows; row++) {
        const float *x = (const float *)in[0] + row * width;
        float       *y = (float *)out[0] + row * width;
        double       sum = 0, squares = 0;
        for (int64_t c = 0; c < width; c++)
            sum += (double)x[c];
        double average = sum / (double)width;
        for (int64_t c = 0; c < width; c++)
            squares += ((double)x[c] - average) * ((double)x[c] - average);
        double by = 1 / sqrt(squares / (double)width + attrs->epsilon);
        for (int64_t c = 0; c < width; c++)
            y[c] = (float)(((double)x[c] - average) * by * (double)gamma[c] + (double)beta[c]);
        mean[row] = (float)average;
        invstd[row] = (float)by;
    }
}

/* Over all rows: dgamma = sum(dy xhat), dbeta = sum(dy). */
static void sum_rows(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *dy = in[DY], *x = in[X], *mean = in[MEAN], *invstd = in[INVSTD];
    float       *dgamma = out[1], *dbeta = out[2];
    int64_t width = instance->in[GAMMA].shape.dim[0], rows = stk_type_elements(&instance->in[MEAN]);
    for (int64_t c = 0; c < width; c++) {
        double with_x = 0, sum = 0;
        for (int64_t row = 0; row < rows; row++) {
            double d = (double)dy[row * width + c];
            with_x += d * ((double)x[row * width + c] - (double)mean[row]) * (double)invstd[row];
            sum += d;
        }
        dgamma[c] = (float)with_x;
        dbeta[c] = (float)sum;
    }
}

/* With h = dy gamma: dx = invstd (h - mean(h) - xhat mean(h xhat)) per row. dx may alias dy, so the
 * sums over rows come first. */
static void reference_grad(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *gamma = in[GAMMA], *mean = in[MEAN], *invstd = in[INVSTD];
    int64_t width = instance->in[GAMMA].shape.dim[0], rows = stk_type_elements(&instance->in[MEAN]);
    sum_rows(instance, in, out);
    for (int64_t row = 0; row < rows; row++) {
        const float *dy = (const float *)in[DY] + row * width;
        const float *x = (const float *)in[X] + row * width;
        float       *dx = (float *)out[0] + row * width;
        double       average = (double)mean[row], by = (double)invstd[row], sum = 0, with_x = 0;
        for (int64_t c = 0; c < width; c++) {
            double h = (double)dy[c] * (double)gamma[c];
            sum += h / (double)width;
            with_x += h * ((double)x[c] - average) * by / (double)width;
        }
        for (int64_t c = 0; c < width; c++) {
            double h = (double)dy[c] * (double)gamma[c], xhat = ((double)x[c] - average) * by;
            dx[c] = (float)(by * (h - sum - xhat * with_x));
        }
    }
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "epsilon=%g", ((const stk_layer_norm_attrs *)attrs)->epsilon);
}

const stk_graph_op stk_graph_op_layer_norm = {
    .name = "layer_norm",
    .inputs_min = 3,
    .inputs_max = 3,
    .outputs = 3,
    .attrs_size = sizeof(stk_layer_norm_attrs),
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_smaller,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

const stk_graph_op stk_graph_op_layer_norm_grad = {
    .name = "layer_norm_grad",
    .inputs_min = 5,
    .inputs_max = 5,
    .outputs = 3,
    .attrs_size = sizeof(stk_layer_norm_attrs),
    .inplace = {DY + 1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_smaller,
    .infer = infer_grad,
    .cost = cost_grad,
    .reference = reference_grad,
    .print = print,
};

stk_symbol stk_layer_normalize(stk_graph *g, stk_symbol x, stk_symbol gamma, stk_symbol beta,
                               double epsilon)
{
    stk_shape shape = stk_symbol_shape(g, x);
    stk_shape channels = stk_shape_1d(shape.rank ? shape.dim[shape.rank - 1] : 0);
    if (epsilon == 0) epsilon = 1e-5;
    if (!(epsilon > 0))
        return stk_graph_fail(g, STK_E_INVALID, "layer_norm", g->path,
                              "epsilon is %g; it must be above 0", epsilon);
    if (stk_symbol_is_none(gamma)) gamma = stk_fill(g, STK_DTYPE_F32, channels, 1);
    if (stk_symbol_is_none(beta)) beta = stk_fill(g, STK_DTYPE_F32, channels, 0);
    return stk_graph_add3(g, &stk_graph_op_layer_norm, x, gamma, beta,
                          &(stk_layer_norm_attrs){epsilon});
}
