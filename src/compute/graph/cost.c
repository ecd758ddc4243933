/* Cost of a graph: the sum of its ops' costs. */
#include "compute/graph/cost.h"

static double bytes_of(const stk_op_instance *instance)
{
    double bytes = 0;
    for (int i = 0; i < instance->input_count; i++)
        bytes += (double)stk_type_bytes(&instance->in[i]);
    for (int o = 0; o < instance->output_count; o++)
        bytes += (double)stk_type_bytes(&instance->out[o]);
    return bytes;
}

stk_op_cost stk_op_cost_of_input(const stk_op_instance *instance, double flops)
{
    return (stk_op_cost){flops * (double)stk_type_elements(&instance->in[0]), bytes_of(instance)};
}

stk_op_cost stk_op_count(const stk_graph_op *op, const stk_op_instance *instance)
{
    if (op->cost) return op->cost(instance);
    stk_op_cost cost = {.bytes = bytes_of(instance)};
    if (op->traits & STK_OP_VIEW) return (stk_op_cost){0};
    if (instance->output_count) cost.flops = (double)stk_type_elements(&instance->out[0]);
    return cost;
}

static uint64_t result_bytes(const stk_graph_node *node, const stk_op_instance *instance)
{
    uint64_t bytes = 0;
    if (node->op->traits & STK_OP_VIEW) return 0;
    for (int o = 0; o < instance->output_count; o++)
        bytes += stk_type_bytes(&instance->out[o]);
    return bytes;
}

stk_graph_cost stk_graph_count(const stk_graph *graph)
{
    stk_graph_cost       total = {0};
    stk_instance_scratch scratch = {0};
    stk_error            err;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const stk_graph_node *node = &graph->nodes[n];
        stk_op_instance       instance;
        if (stk_graph_instance(graph, node, &scratch, &instance, &err)) break;
        stk_op_cost cost = stk_op_count(node->op, &instance);
        total.flops += cost.flops;
        total.bytes += cost.bytes;
        total.operations++;
        total.activations += result_bytes(node, &instance);
    }
    stk_instance_scratch_release(&scratch);
    for (uint32_t i = 1; i < graph->symbol_count; i++)
        if (graph->symbols[i].role == STK_SYMBOL_VARIABLE &&
            graph->symbols[i].variable.role == STK_VARIABLE_PARAMETER)
            total.parameters += (uint64_t)stk_type_elements(&graph->symbols[i].type);
    return total;
}

stk_graph_node_info stk_graph_node_at(const stk_graph *graph, size_t index)
{
    stk_graph_node_info  info = {0};
    stk_instance_scratch scratch = {0};
    stk_op_instance      instance;
    stk_error            err;
    if (index >= graph->node_count) return info;
    const stk_graph_node *node = &graph->nodes[index];
    if (!stk_graph_instance(graph, node, &scratch, &instance, &err)) {
        info = (stk_graph_node_info){.operation = node->op->name,
                                     .name = node->name,
                                     .flops = stk_op_count(node->op, &instance).flops,
                                     .bytes = result_bytes(node, &instance)};
        if (instance.output_count) info.shape = instance.out[0].shape;
    }
    stk_instance_scratch_release(&scratch);
    return info;
}
