/* Transposes. A graph of [N,C,H,W] has a pair around every image op. Sinking them through the nodes
 * in between makes pairs meet and cancel. */
#include "compute/ops/broadcast_index.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "compute/ops/update_ops.h"
#include "compute/passes/rules.h"
#include <stdlib.h>
#include <stoker/ops.h>
#include <string.h>

static const stk_transpose_attrs *order_of(const stk_graph *g, stk_symbol symbol, stk_symbol *from)
{
    const stk_graph_node *node = stk_rule_producer(g, symbol, &stk_graph_op_transpose);
    if (!node) return NULL;
    *from = node->in[0];
    return node->attrs;
}

static void invert(const stk_transpose_attrs *attrs, int *back)
{
    for (int i = 0; i < attrs->rank; i++)
        back[attrs->order[i]] = i;
}

/* Whether dimensions larger than one change their order. */
static bool moves(const stk_shape *shape, const int *order)
{
    int last = -1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[order[i]] == 1) continue;
        if (order[i] < last) return true;
        last = order[i];
    }
    return false;
}

static stk_shape permuted(const stk_shape *shape, const int *order)
{
    stk_shape to = {.rank = shape->rank};
    for (int i = 0; i < shape->rank; i++)
        to.dim[i] = shape->dim[order[i]];
    return to;
}

stk_symbol stk_rule_transpose(stk_graph *g, stk_symbol x, const int *order)
{
    stk_shape shape = stk_symbol_shape(g, x);
    return moves(&shape, order) ? stk_transpose(g, x, order)
                                : stk_reshape(g, x, permuted(&shape, order));
}

/* Merges two transposes into one or none. */
static stk_symbol transpose(stk_graph *g, const stk_graph_node *node)
{
    const stk_transpose_attrs *outer = node->attrs;
    stk_symbol                 from = node->in[0];
    stk_shape                  shape = stk_symbol_shape(g, from);
    const stk_graph_node      *fill = stk_rule_producer(g, from, &stk_graph_op_fill);
    int                        order[STK_MAX_RANK];
    if (fill) {
        const stk_fill_attrs *attrs = fill->attrs;
        return stk_fill(g, (stk_dtype)attrs->dtype, permuted(&shape, outer->order), attrs->value);
    }
    const stk_transpose_attrs *inner = order_of(g, node->in[0], &from);
    if (!inner && moves(&shape, outer->order)) return STK_NO_SYMBOL;
    for (int i = 0; i < outer->rank; i++)
        order[i] = inner ? inner->order[outer->order[i]] : outer->order[i];
    return stk_rule_transpose(g, from, order);
}

/* x before the transpose by attrs if that is cheap: x is such a transpose or a broadcast of a small
 * tensor. result is the shape after the transpose. STK_NO_SYMBOL otherwise. */
static stk_symbol untransposed(stk_graph *g, stk_symbol x, const stk_transpose_attrs *attrs,
                               const stk_shape *result)
{
    stk_symbol                 from = STK_NO_SYMBOL;
    const stk_transpose_attrs *inner = order_of(g, x, &from);
    stk_shape                  shape = stk_symbol_shape(g, x);
    int                        back[STK_MAX_RANK];
    if (inner && memcmp(inner, attrs, sizeof *inner) == 0) return from;
    invert(attrs, back);
    const stk_graph_node *wide = stk_rule_producer(g, x, &stk_graph_op_broadcast);
    if (wide && stk_symbol_shape(g, wide->in[0]).rank == shape.rank)
        return stk_broadcast(g, stk_rule_transpose(g, wide->in[0], back), permuted(&shape, back));
    if (stk_shape_equal(&shape, result) && !stk_rule_producer(g, x, &stk_graph_op_fill))
        return STK_NO_SYMBOL;
    stk_shape full = {.rank = result->rank};
    for (int i = 0; i < full.rank; i++)
        full.dim[i] = i < full.rank - shape.rank ? 1 : shape.dim[i - (full.rank - shape.rank)];
    return stk_rule_transpose(g, stk_reshape(g, x, full), back);
}

/* Binary ops broadcast; other elementwise ops need inputs of the result's shape. */
static bool can_move_through(const stk_graph *g, const stk_graph_node *node, stk_shape *result)
{
    bool binary = node->op == &stk_graph_op_add || node->op == &stk_graph_op_sub ||
                  node->op == &stk_graph_op_mul;
    if (!(node->op->traits & STK_OP_ELEMENTWISE) || node->output_count != 1) return false;
    if (node->input_count < 1 || node->input_count > 2) return false;
    *result = stk_symbol_shape(g, node->in[0]);
    for (int i = 1; i < node->input_count; i++) {
        stk_shape shape = stk_symbol_shape(g, node->in[i]), both;
        if (!binary && !stk_shape_equal(&shape, result)) return false;
        if (!stk_broadcast_shapes(&shape, result, &both)) return false;
        *result = both;
    }
    return true;
}

/* op(transpose(a), transpose(b)) = transpose(op(a, b)). */
static stk_symbol move_elementwise(stk_graph *g, const stk_graph_node *node)
{
    stk_shape                  result;
    stk_symbol                 from = STK_NO_SYMBOL, in[2];
    const stk_transpose_attrs *found = NULL;
    if (!can_move_through(g, node, &result)) return STK_NO_SYMBOL;
    for (int i = 0; i < node->input_count && !found; i++) {
        stk_shape shape = stk_symbol_shape(g, node->in[i]);
        if (stk_shape_equal(&shape, &result)) found = order_of(g, node->in[i], &from);
    }
    if (!found) return STK_NO_SYMBOL;
    stk_transpose_attrs attrs = *found;
    for (int i = 0; i < node->input_count; i++) {
        in[i] = untransposed(g, node->in[i], &attrs, &result);
        if (stk_symbol_is_none(in[i])) return STK_NO_SYMBOL;
    }
    stk_symbol out;
    stk_graph_add(g, node->op, in, node->input_count, node->attrs, &out, 1);
    return stk_transpose(g, out, attrs.order);
}

/* A reduction of a transpose is a reduction over the permuted dimensions. */
static stk_symbol move_reduce(stk_graph *g, const stk_graph_node *node)
{
    const stk_reduce_attrs    *attrs = node->attrs;
    stk_symbol                 from, out;
    const stk_transpose_attrs *moved = order_of(g, node->in[0], &from);
    if (!moved) return STK_NO_SYMBOL;
    stk_transpose_attrs order = *moved;
    stk_reduce_attrs    now = {0, attrs->keep};
    int                 kept[STK_MAX_RANK], rank = 0, result_dim[STK_MAX_RANK];
    for (int i = 0; i < order.rank; i++)
        if (attrs->axes >> i & 1) now.axes |= 1u << order.order[i];
    for (int i = 0, at = 0; i < order.rank; i++)
        result_dim[i] = now.axes >> i & 1 ? -1 : at++; /* index of a kept dimension in the result */
    for (int i = 0; i < order.rank; i++)
        if (attrs->keep || result_dim[order.order[i]] >= 0)
            kept[rank++] = attrs->keep ? order.order[i] : result_dim[order.order[i]];
    stk_graph_add(g, node->op, &from, 1, &now, &out, 1);
    return stk_rule_transpose(g, out, kept);
}

/* Concatenates before a common transpose. */
static stk_symbol move_concat(stk_graph *g, const stk_graph_node *node)
{
    stk_symbol                 from, out;
    const stk_transpose_attrs *found = order_of(g, node->in[0], &from);
    if (!found) return STK_NO_SYMBOL;
    stk_symbol *in = malloc((size_t)node->input_count * sizeof *in);
    if (!in) return stk_graph_fail(g, STK_E_NOMEM, "simplify", node->name, "no memory");
    stk_transpose_attrs order = *found;
    bool                alike = true;
    for (int i = 0; i < node->input_count; i++) {
        const stk_transpose_attrs *inner = order_of(g, node->in[i], &in[i]);
        alike &= inner && memcmp(inner, &order, sizeof order) == 0;
    }
    stk_concat_attrs attrs = {order.order[((const stk_concat_attrs *)node->attrs)->axis]};
    if (alike) stk_graph_add(g, node->op, in, node->input_count, &attrs, &out, 1);
    free(in);
    return alike ? stk_transpose(g, out, order.order) : STK_NO_SYMBOL;
}

static stk_symbol move_slice(stk_graph *g, const stk_graph_node *node)
{
    const stk_slice_attrs     *old = node->attrs;
    stk_slice_attrs            attrs = {.start = {0}};
    stk_symbol                 from;
    const stk_transpose_attrs *order = order_of(g, node->in[0], &from);
    if (!order) return STK_NO_SYMBOL;
    for (int i = 0; i < order->rank; i++) {
        attrs.start[order->order[i]] = old->start[i];
        attrs.size[order->order[i]] = old->size[i];
    }
    return stk_transpose(g, stk_graph_add1(g, node->op, from, &attrs), order->order);
}

static stk_symbol move_pad(stk_graph *g, const stk_graph_node *node)
{
    const stk_pad_attrs       *old = node->attrs;
    stk_pad_attrs              attrs = {.value = old->value};
    stk_symbol                 from;
    const stk_transpose_attrs *order = order_of(g, node->in[0], &from);
    if (!order) return STK_NO_SYMBOL;
    for (int i = 0; i < order->rank; i++) {
        attrs.before[order->order[i]] = old->before[i];
        attrs.after[order->order[i]] = old->after[i];
    }
    return stk_transpose(g, stk_graph_add1(g, node->op, from, &attrs), order->order);
}

/* Dropout of rows does not depend on the order of other dimensions. */
static stk_symbol move_dropout(stk_graph *g, const stk_graph_node *node)
{
    stk_symbol                 from;
    const stk_transpose_attrs *order = order_of(g, node->in[0], &from);
    if (!order || order->order[0] != 0 || !((const stk_dropout_attrs *)node->attrs)->rows)
        return STK_NO_SYMBOL;
    return stk_transpose(g, stk_graph_add2(g, node->op, from, node->in[1], node->attrs),
                         order->order);
}

static stk_symbol move_any(stk_graph *g, const stk_graph_node *node)
{
    return node->op->traits & STK_OP_ELEMENTWISE ? move_elementwise(g, node) : STK_NO_SYMBOL;
}

/* transpose(broadcast(x)) = broadcast(transpose(x)). */
static stk_symbol repeat_after(stk_graph *g, const stk_graph_node *node)
{
    const stk_transpose_attrs *attrs = node->attrs;
    const stk_graph_node      *wide = stk_rule_producer(g, node->in[0], &stk_graph_op_broadcast);
    stk_shape                  shape = stk_symbol_shape(g, node->in[0]);
    if (!wide || stk_symbol_shape(g, wide->in[0]).rank != shape.rank) return STK_NO_SYMBOL;
    return stk_broadcast(g, stk_rule_transpose(g, wide->in[0], attrs->order),
                         permuted(&shape, attrs->order));
}

const stk_rule_row stk_rules_transpose[] = {
    {&stk_graph_op_transpose, repeat_after},
    {&stk_graph_op_transpose, transpose},
    {&stk_graph_op_reduce_sum, move_reduce},
    {&stk_graph_op_reduce_mean, move_reduce},
    {&stk_graph_op_concat, move_concat},
    {&stk_graph_op_slice, move_slice},
    {&stk_graph_op_pad, move_pad},
    {&stk_graph_op_dropout, move_dropout},
    {NULL, move_any},
    {NULL, NULL},
};
