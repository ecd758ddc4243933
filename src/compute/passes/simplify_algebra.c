/* Algebraic rules: identities, and pairs that merge into one. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "compute/passes/rules.h"
#include <stoker/ops.h>

const stk_graph_node *stk_rule_producer(const stk_graph *g, stk_symbol symbol,
                                        const stk_graph_op *op)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(g, symbol);
    if (symbol.id == 0 || s->role != STK_SYMBOL_RESULT) return NULL;
    const stk_graph_node *node = &g->nodes[s->node];
    return node->op == op ? node : NULL;
}

static bool same_shape(const stk_graph *g, stk_symbol a, const stk_shape *shape)
{
    stk_shape has = stk_symbol_shape(g, a);
    return stk_shape_equal(&has, shape);
}

static const stk_fill_attrs *fill_of(const stk_graph *g, stk_symbol symbol)
{
    const stk_graph_node *fill = stk_rule_producer(g, symbol, &stk_graph_op_fill);
    return fill ? fill->attrs : NULL;
}

static stk_symbol refill(stk_graph *g, const stk_fill_attrs *fill, stk_shape shape)
{
    return stk_fill(g, (stk_dtype)fill->dtype, shape, fill->value);
}

static stk_symbol scale(stk_graph *g, const stk_graph_node *node)
{
    const stk_scale_attrs *outer = node->attrs;
    if (outer->scale == 1 && outer->shift == 0) return node->in[0];
    const stk_graph_node *in = stk_rule_producer(g, node->in[0], &stk_graph_op_scale);
    if (in) {
        const stk_scale_attrs *inner = in->attrs;
        return stk_scale(g, in->in[0], inner->scale * outer->scale,
                         inner->shift * outer->scale + outer->shift);
    }
    const stk_fill_attrs *fill = fill_of(g, node->in[0]);
    if (!fill) return STK_NO_SYMBOL;
    return stk_fill(g, (stk_dtype)fill->dtype, fill->shape,
                    fill->value * outer->scale + outer->shift);
}

static stk_symbol reshape(stk_graph *g, const stk_graph_node *node)
{
    const stk_shape *shape = &((const stk_shape_attrs *)node->attrs)->shape;
    if (same_shape(g, node->in[0], shape)) return node->in[0];
    const stk_graph_node *in = stk_rule_producer(g, node->in[0], &stk_graph_op_reshape);
    if (in) return stk_reshape(g, in->in[0], *shape);
    const stk_fill_attrs *fill = fill_of(g, node->in[0]);
    return fill ? refill(g, fill, *shape) : STK_NO_SYMBOL;
}

static stk_symbol broadcast(stk_graph *g, const stk_graph_node *node)
{
    const stk_shape *shape = &((const stk_shape_attrs *)node->attrs)->shape;
    if (same_shape(g, node->in[0], shape)) return node->in[0];
    const stk_graph_node *in = stk_rule_producer(g, node->in[0], &stk_graph_op_broadcast);
    if (in) return stk_broadcast(g, in->in[0], *shape);
    const stk_fill_attrs *fill = fill_of(g, node->in[0]);
    return fill ? refill(g, fill, *shape) : STK_NO_SYMBOL;
}

/* Reductions over dimensions of size one. */
static stk_symbol reduce(stk_graph *g, const stk_graph_node *node)
{
    const stk_reduce_attrs *attrs = node->attrs;
    stk_shape               shape = stk_symbol_shape(g, node->in[0]), kept = {0};
    for (int i = 0; i < shape.rank; i++) {
        bool reduced = attrs->axes >> i & 1;
        if (reduced && shape.dim[i] != 1) return STK_NO_SYMBOL;
        if (!reduced || attrs->keep) kept.dim[kept.rank++] = shape.dim[i];
    }
    return stk_reshape(g, node->in[0], kept);
}

static stk_shape shape_of_result(const stk_graph *g, const stk_graph_node *node)
{
    stk_shape a = stk_symbol_shape(g, node->in[0]), b = stk_symbol_shape(g, node->in[1]);
    stk_shape both = a.rank > b.rank ? a : b;
    for (int i = 1; i <= a.rank && i <= b.rank; i++)
        if (both.dim[both.rank - i] == 1)
            both.dim[both.rank - i] =
                a.dim[a.rank - i] == 1 ? b.dim[b.rank - i] : a.dim[a.rank - i];
    return both;
}

/* The operand that is not a fill, if it has the shape of the result. *value receives the fill's
 * value. */
static stk_symbol operand_of_fill(const stk_graph *g, const stk_graph_node *node, int fill_at,
                                  double *value)
{
    stk_shape             both = shape_of_result(g, node);
    const stk_fill_attrs *fill = fill_of(g, node->in[fill_at]);
    stk_symbol            other = node->in[1 - fill_at];
    if (!fill || !same_shape(g, other, &both)) return STK_NO_SYMBOL;
    *value = fill->value;
    return other;
}

static stk_symbol add(stk_graph *g, const stk_graph_node *node)
{
    for (int i = 0; i < 2; i++) {
        double     value;
        stk_symbol other = operand_of_fill(g, node, i, &value);
        if (!stk_symbol_is_none(other)) return value == 0 ? other : stk_scale(g, other, 1, value);
    }
    return STK_NO_SYMBOL;
}

static stk_symbol sub(stk_graph *g, const stk_graph_node *node)
{
    double     value;
    stk_symbol other = operand_of_fill(g, node, 1, &value);
    if (stk_symbol_is_none(other)) return STK_NO_SYMBOL;
    return value == 0 ? other : stk_scale(g, other, 1, -value);
}

static stk_symbol mul(stk_graph *g, const stk_graph_node *node)
{
    for (int i = 0; i < 2; i++) {
        double     value;
        stk_symbol other = operand_of_fill(g, node, i, &value);
        if (!stk_symbol_is_none(other)) return value == 1 ? other : stk_scale(g, other, value, 0);
    }
    return STK_NO_SYMBOL;
}

/* Drops a cast to a wider type and back; casts before a broadcast. */
static stk_symbol cast(stk_graph *g, const stk_graph_node *node)
{
    stk_dtype dtype = (stk_dtype)((const stk_cast_attrs *)node->attrs)->dtype;
    if (stk_symbol_dtype(g, node->in[0]) == dtype) return node->in[0];
    const stk_graph_node *in = stk_rule_producer(g, node->in[0], &stk_graph_op_cast);
    if (in && stk_symbol_dtype(g, in->in[0]) == dtype &&
        stk_symbol_dtype(g, node->in[0]) == STK_DTYPE_F32 &&
        (dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16))
        return in->in[0];
    in = stk_rule_producer(g, node->in[0], &stk_graph_op_broadcast);
    if (in && (dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16))
        return stk_broadcast(g, stk_cast(g, in->in[0], dtype), stk_symbol_shape(g, node->in[0]));
    const stk_fill_attrs *fill = fill_of(g, node->in[0]);
    if (!fill || (dtype != STK_DTYPE_F16 && dtype != STK_DTYPE_BF16)) return STK_NO_SYMBOL;
    return stk_fill(g, dtype, fill->shape, fill->value);
}

const stk_rule_row stk_rules_algebra[] = {
    {&stk_graph_op_scale, scale},
    {&stk_graph_op_reshape, reshape},
    {&stk_graph_op_broadcast, broadcast},
    {&stk_graph_op_reduce_sum, reduce},
    {&stk_graph_op_reduce_mean, reduce},
    {&stk_graph_op_add, add},
    {&stk_graph_op_sub, sub},
    {&stk_graph_op_mul, mul},
    {&stk_graph_op_cast, cast},
    {NULL, NULL},
};
