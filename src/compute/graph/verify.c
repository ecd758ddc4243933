/* Verifies a graph after a pass: order, types, names. */
#include "compute/graph/graph_node.h"

static stk_status check_order(const stk_graph *graph, uint32_t index, stk_error *err)
{
    const stk_graph_node *node = &graph->nodes[index];
    for (int i = 0; i < node->input_count; i++) {
        const stk_graph_symbol *in = stk_graph_symbol_of(graph, node->in[i]);
        if (node->in[i].id == 0 || node->in[i].id >= graph->symbol_count)
            return stk_fail(err, STK_E_INVALID, node->op->name, node->name, "input %d is no symbol",
                            i);
        if (in->role == STK_SYMBOL_RESULT && in->node >= index)
            return stk_fail(err, STK_E_INVALID, node->op->name, node->name,
                            "node %u reads %%%u, which node %u makes later", index, node->in[i].id,
                            in->node);
    }
    return STK_OK;
}

static stk_status check_types(const stk_graph *graph, const stk_graph_node *node,
                              stk_instance_scratch *scratch, stk_error *err)
{
    stk_op_instance instance;
    stk_tensor_type types[STK_OP_OUTPUTS] = {{0}};
    STK_TRY(stk_graph_instance(graph, node, scratch, &instance, err));
    STK_TRY(node->op->infer(&instance, types, err));
    for (int o = 0; o < node->output_count; o++) {
        const stk_tensor_type *has = &instance.out[o];
        char                   a[96], b[96];
        if (has->dtype == types[o].dtype && stk_shape_equal(&has->shape, &types[o].shape)) continue;
        return stk_fail(err, STK_E_SHAPE, node->op->name, node->name,
                        "output %d is %s%s but its inputs make it %s%s", o,
                        stk_dtype_name(has->dtype), stk_shape_text(&has->shape, a, sizeof a),
                        stk_dtype_name(types[o].dtype),
                        stk_shape_text(&types[o].shape, b, sizeof b));
    }
    return STK_OK;
}

static stk_status check_assignments(const stk_graph *graph, stk_error *err)
{
    for (uint32_t i = 1; i < graph->symbol_count; i++) {
        const stk_graph_symbol *to = &graph->symbols[i];
        const stk_graph_symbol *from = stk_graph_symbol_of(graph, to->assigned);
        char                    a[96], b[96];
        if (!to->assigned.id || stk_shape_equal(&to->type.shape, &from->type.shape)) continue;
        return stk_fail(err, STK_E_SHAPE, "assign", to->name, "the variable is %s but the value %s",
                        stk_shape_text(&to->type.shape, a, sizeof a),
                        stk_shape_text(&from->type.shape, b, sizeof b));
    }
    return STK_OK;
}

stk_status stk_graph_verify(const stk_graph *graph, stk_error *err)
{
    STK_TRY(stk_graph_check(graph, err));
    stk_instance_scratch scratch = {0};
    stk_status           st = STK_OK;
    for (uint32_t n = 0; n < graph->node_count && !st; n++) {
        st = check_order(graph, n, err);
        if (!st) st = check_types(graph, &graph->nodes[n], &scratch, err);
    }
    stk_instance_scratch_release(&scratch);
    return st ? st : check_assignments(graph, err);
}
