/* reshape: the same elements in the same order with another shape */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stoker/ops.h>
#include <string.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_shape_attrs *attrs = instance->attrs;
    char                   a[96], b[96];
    out[0] = (stk_tensor_type){instance->in[0].dtype, attrs->shape};
    if (stk_type_elements(&instance->in[0]) == stk_type_elements(&out[0])) return STK_OK;
    return stk_fail(err, STK_E_SHAPE, "reshape", instance->name, "%s has other elements than %s",
                    stk_shape_text(&instance->in[0].shape, a, sizeof a),
                    stk_shape_text(&attrs->shape, b, sizeof b));
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_reshape(g, dout[0], stk_symbol_shape(g, node->in[0]));
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    memcpy(out[0], in[0],
           (size_t)stk_type_elements(&instance->in[0]) *
               stk_reference_element(instance->in[0].dtype));
}

const stk_graph_op stk_graph_op_reshape = {
    .name = "reshape",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_shape_attrs),
    .traits = STK_OP_VIEW,
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .reference = reference,
};

/* Infers the dimension given as -1. */
static bool find_missing(stk_graph *g, stk_symbol x, stk_shape *shape)
{
    stk_tensor_type type = {STK_DTYPE_U8, stk_symbol_shape(g, x)};
    int64_t         known = 1, all = stk_type_elements(&type);
    int             missing = -1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] >= 0) {
            known *= shape->dim[i];
        } else if (missing < 0) {
            missing = i;
        } else {
            return false;
        }
    }
    if (missing < 0) return true;
    if (known == 0 || all % known) return false;
    shape->dim[missing] = all / known;
    return true;
}

stk_symbol stk_reshape(stk_graph *g, stk_symbol x, stk_shape shape)
{
    char      a[96], b[96];
    stk_shape from = stk_symbol_shape(g, x);
    if (stk_symbol_is_none(x)) return STK_NO_SYMBOL;
    if (!find_missing(g, x, &shape))
        return stk_graph_fail(g, STK_E_SHAPE, "reshape", g->path, "%s does not fit into %s",
                              stk_shape_text(&from, a, sizeof a),
                              stk_shape_text(&shape, b, sizeof b));
    if (stk_shape_equal(&from, &shape)) return x;
    return stk_graph_add1(g, &stk_graph_op_reshape, x, &(stk_shape_attrs){shape});
}

stk_symbol stk_flatten(stk_graph *g, stk_symbol x)
{
    stk_shape shape = stk_symbol_shape(g, x);
    if (shape.rank < 1)
        return stk_graph_fail(g, STK_E_SHAPE, "flatten", g->path, "a scalar has no rows to keep");
    return stk_reshape(g, x, stk_shape_2d(shape.dim[0], -1));
}
