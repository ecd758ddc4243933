/* matmul: [..,m,k] x [..,k,n], operands optionally transposed, with bias and activation */
#include "compute/ops/matmul.h"
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include <stdio.h>
#include <stoker/ops.h>

static int64_t leading(const stk_shape *shape)
{
    int64_t count = 1;
    for (int i = 0; i < shape->rank - 2; i++)
        count *= shape->dim[i];
    return count;
}

stk_matmul_shape stk_matmul_shape_of(const stk_op_instance *instance)
{
    const stk_matmul_attrs *attrs = instance->attrs;
    const stk_shape        *a = &instance->in[0].shape, *b = &instance->in[1].shape;
    stk_matmul_shape        s = {.batch = leading(a),
                                 .m = a->dim[a->rank - (attrs->transpose_a ? 1 : 2)],
                                 .k = a->dim[a->rank - (attrs->transpose_a ? 2 : 1)],
                                 .n = b->dim[b->rank - (attrs->transpose_b ? 2 : 1)]};
    if (b->rank == 2) { /* a single b: leading dimensions are rows */
        s.m *= s.batch;
        s.batch = 1;
    }
    return s;
}

static stk_status check_shapes(const stk_op_instance *instance, stk_error *err)
{
    const stk_matmul_attrs *attrs = instance->attrs;
    const stk_shape        *a = &instance->in[0].shape, *b = &instance->in[1].shape;
    char                    ta[96], tb[96];
    stk_shape_text(a, ta, sizeof ta);
    stk_shape_text(b, tb, sizeof tb);
    if (a->rank < 2 || b->rank < 2 || (b->rank != 2 && a->rank != b->rank) ||
        (attrs->transpose_a && a->rank != b->rank))
        return stk_fail(err, STK_E_SHAPE, "matmul", instance->name,
                        "operands are %s and %s; they take two dimensions and equal ones before",
                        ta, tb);
    for (int i = 0; b->rank > 2 && i < a->rank - 2; i++)
        if (a->dim[i] != b->dim[i])
            return stk_fail(err, STK_E_SHAPE, "matmul", instance->name,
                            "operands are %s and %s: dimension %d differs", ta, tb, i);
    int64_t ka = a->dim[a->rank - (attrs->transpose_a ? 2 : 1)];
    int64_t kb = b->dim[b->rank - (attrs->transpose_b ? 1 : 2)];
    if (ka != kb)
        return stk_fail(err, STK_E_SHAPE, "matmul", instance->name,
                        "a %s has %lld columns but b %s has %lld rows", ta, (long long)ka, tb,
                        (long long)kb);
    return STK_OK;
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_matmul_attrs *attrs = instance->attrs;
    const stk_shape        *a = &instance->in[0].shape, *b = &instance->in[1].shape;
    STK_TRY(stk_op_check_float(&stk_graph_op_matmul, instance, 0, err));
    STK_TRY(check_shapes(instance, err));
    out[0] = instance->in[0];
    out[0].shape.dim[a->rank - 2] = a->dim[a->rank - (attrs->transpose_a ? 1 : 2)];
    out[0].shape.dim[a->rank - 1] = b->dim[b->rank - (attrs->transpose_b ? 2 : 1)];
    if (instance->input_count < 3) return STK_OK;
    stk_shape bias = stk_shape_1d(out[0].shape.dim[a->rank - 1]);
    return stk_op_check_shape(&stk_graph_op_matmul, instance, 2, &bias, "the columns of the result",
                              err);
}

static stk_symbol product(stk_graph *g, stk_symbol a, bool ta, stk_symbol b, bool tb)
{
    return stk_matmul(g, a, b, &(stk_matmul_options){ta, tb});
}

/* x[..,k] as rows, for a single b. */
static stk_symbol as_rows(stk_graph *g, stk_symbol x)
{
    stk_shape shape = stk_symbol_shape(g, x);
    return shape.rank == 2 ? x : stk_reshape(g, x, stk_shape_2d(-1, shape.dim[shape.rank - 1]));
}

/* With y = a b: da = dy b^T, db = a^T dy. Transposed operands swap sides. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    const stk_matmul_attrs *attrs = node->attrs;
    stk_symbol              a = node->in[0], b = node->in[1], dy = dout[0];
    bool                    ta = attrs->transpose_a, tb = attrs->transpose_b;
    bool                    one_b = stk_symbol_shape(g, b).rank == 2;
    din[0] = ta ? product(g, b, tb, dy, true) : product(g, dy, false, b, !tb);
    if (one_b && !ta) a = as_rows(g, a), dy = as_rows(g, dy);
    din[1] = tb ? product(g, dy, true, a, ta) : product(g, a, !ta, dy, false);
    if (node->input_count > 2) din[2] = stk_reduce_sum(g, as_rows(g, dout[0]), 1u << 0, false);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    stk_matmul_shape s = stk_matmul_shape_of(instance);
    stk_op_cost      c = {2.0 * (double)s.batch * (double)s.m * (double)s.n * (double)s.k, 0};
    for (int i = 0; i < instance->input_count; i++)
        c.bytes += (double)stk_type_bytes(&instance->in[i]);
    c.bytes += (double)stk_type_bytes(&instance->out[0]);
    return c;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_matmul_attrs *attrs = instance->attrs;
    stk_matmul_shape        s = stk_matmul_shape_of(instance);
    const float            *bias = instance->input_count > 2 ? in[2] : NULL;
    int64_t a_row = attrs->transpose_a ? 1 : s.k, a_col = attrs->transpose_a ? s.m : 1;
    int64_t b_row = attrs->transpose_b ? 1 : s.n, b_col = attrs->transpose_b ? s.k : 1;
    for (int64_t p = 0; p < s.batch; p++) {
        const float *a = (const float *)in[0] + p * s.m * s.k;
        const float *b = (const float *)in[1] + p * s.k * s.n;
        float       *y = (float *)out[0] + p * s.m * s.n;
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t j = 0; j < s.n; j++) {
                double sum = bias ? (double)bias[j] : 0;
                for (int64_t k = 0; k < s.k; k++)
                    sum += (double)a[i * a_row + k * a_col] * (double)b[k * b_row + j * b_col];
                y[i * s.n + j] = stk_activate(&attrs->act, (float)sum);
            }
    }
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_matmul_attrs *attrs = attrs_;
    snprintf(text, capacity, "%s%s", attrs->transpose_a ? "ta " : "",
             attrs->transpose_b ? "tb" : "");
    stk_activation_print(&attrs->act, text, capacity);
}

const stk_graph_op stk_graph_op_matmul = {
    .name = "matmul",
    .inputs_min = 2,
    .inputs_max = 3,
    .outputs = 1,
    .attrs_size = sizeof(stk_matmul_attrs),
    .precision = STK_PRECISION_ALLOW,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

stk_symbol stk_matmul(stk_graph *g, stk_symbol a, stk_symbol b, const stk_matmul_options *options)
{
    stk_matmul_attrs attrs = {0};
    if (options) attrs.transpose_a = options->transpose_a, attrs.transpose_b = options->transpose_b;
    return stk_graph_add2(g, &stk_graph_op_matmul, a, b, &attrs);
}

stk_symbol stk_dense(stk_graph *g, stk_symbol x, stk_symbol weight, stk_symbol bias)
{
    stk_matmul_attrs attrs = {.transpose_b = true};
    if (stk_symbol_is_none(bias)) return stk_graph_add2(g, &stk_graph_op_matmul, x, weight, &attrs);
    return stk_graph_add3(g, &stk_graph_op_matmul, x, weight, bias, &attrs);
}
