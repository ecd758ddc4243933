/* embedding: rows of a table by index */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stdio.h>
#include <stoker/ops.h>

static stk_status check_ids(const stk_graph_op *op, const stk_op_instance *instance, stk_error *err)
{
    stk_dtype dtype = instance->in[1].dtype;
    if (dtype == STK_DTYPE_I32 || dtype == STK_DTYPE_I64) return STK_OK;
    return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                    "ids are %s; it takes int32 or int64", stk_dtype_name(dtype));
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_embedding;
    const stk_shape    *table = &instance->in[0].shape, *ids = &instance->in[1].shape;
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_rank(op, instance, 0, 2, err));
    STK_TRY(check_ids(op, instance, err));
    if (ids->rank >= STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "ids have %d dimensions; it takes at most %d", ids->rank, STK_MAX_RANK - 1);
    out[0] = (stk_tensor_type){instance->in[0].dtype, *ids};
    out[0].shape.dim[out[0].shape.rank++] = table->dim[1];
    return STK_OK;
}

static stk_status grad_infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op        *op = &stk_graph_op_embedding_grad;
    const stk_embedding_attrs *attrs = instance->attrs;
    const stk_shape           *dy = &instance->in[0].shape;
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(check_ids(op, instance, err));
    stk_shape rows = *dy;
    rows.rank = dy->rank > 0 ? dy->rank - 1 : 0;
    STK_TRY(
        stk_op_check_shape(op, instance, 1, &rows, "the rows of the gradient that comes in", err));
    out[0] =
        (stk_tensor_type){instance->in[0].dtype, stk_shape_2d(attrs->rows, dy->dim[rows.rank])};
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_graph_add2(g, &stk_graph_op_embedding_grad, dout[0], node->in[1], node->attrs);
}

static int64_t id_at(const stk_op_instance *instance, const void *ids, int64_t i)
{
    return instance->in[1].dtype == STK_DTYPE_I64 ? ((const int64_t *)ids)[i]
                                                  : ((const int32_t *)ids)[i];
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int64_t      rows = instance->in[0].shape.dim[0], width = instance->in[0].shape.dim[1];
    int64_t      count = stk_type_elements(&instance->in[1]);
    const float *table = in[0];
    float       *y = out[0];
    for (int64_t i = 0; i < count; i++) {
        int64_t id = id_at(instance, in[1], i);
        for (int64_t d = 0; d < width; d++)
            y[i * width + d] = id >= 0 && id < rows ? table[id * width + d] : NAN;
    }
}

static void grad_reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int64_t      rows = instance->out[0].shape.dim[0], width = instance->out[0].shape.dim[1];
    int64_t      count = stk_type_elements(&instance->in[1]);
    const float *dy = in[0];
    float       *dtable = out[0];
    for (int64_t row = 0; row < rows; row++)
        for (int64_t d = 0; d < width; d++) {
            double sum = 0;
            for (int64_t i = 0; i < count; i++)
                if (id_at(instance, in[1], i) == row) sum += (double)dy[i * width + d];
            dtable[row * width + d] = (float)sum;
        }
}

/* Bytes of the rows that are read, not of the table. */
static stk_op_cost cost(const stk_op_instance *instance)
{
    double moved = 2 * (double)stk_type_bytes(&instance->out[0]);
    return (stk_op_cost){0, moved + (double)stk_type_bytes(&instance->in[1])};
}

static stk_op_cost grad_cost(const stk_op_instance *instance)
{
    return (stk_op_cost){(double)stk_type_elements(&instance->in[0]),
                         (double)(stk_type_bytes(&instance->in[0]) +
                                  stk_type_bytes(&instance->in[1]) +
                                  stk_type_bytes(&instance->out[0]))};
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "rows=%lld", (long long)((const stk_embedding_attrs *)attrs)->rows);
}

const stk_graph_op stk_graph_op_embedding = {
    .name = "embedding",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_embedding_attrs),
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

const stk_graph_op stk_graph_op_embedding_grad = {
    .name = "embedding_grad",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_embedding_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = grad_infer,
    .cost = grad_cost,
    .reference = grad_reference,
    .print = print,
};

stk_symbol stk_embedding(stk_graph *g, stk_symbol table, stk_symbol ids)
{
    stk_embedding_attrs attrs = {.rows = stk_symbol_shape(g, table).dim[0]};
    return stk_graph_add2(g, &stk_graph_op_embedding, table, ids, &attrs);
}
