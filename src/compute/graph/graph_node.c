/* Adds nodes: gathers input types, calls the op's shape rule, creates output symbols. */
#include "compute/graph/graph_table.h"
#include <stdlib.h>
#include <string.h>

int64_t stk_type_elements(const stk_tensor_type *type)
{
    int64_t count = 1;
    for (int i = 0; i < type->shape.rank; i++)
        count *= type->shape.dim[i];
    return count;
}

size_t stk_type_bytes(const stk_tensor_type *type)
{
    return (size_t)stk_type_elements(type) * stk_dtype_bytes(type->dtype);
}

void stk_instance_scratch_release(stk_instance_scratch *scratch)
{
    free(scratch->types);
    *scratch = (stk_instance_scratch){0};
}

static stk_status reserve_types(stk_instance_scratch *scratch, int count, stk_error *err)
{
    if (count <= scratch->capacity) return STK_OK;
    stk_tensor_type *grown = realloc(scratch->types, (size_t)count * sizeof *grown);
    if (!grown) return stk_fail(err, STK_E_NOMEM, "graph", NULL, "no memory for %d types", count);
    scratch->types = grown;
    scratch->capacity = count;
    return STK_OK;
}

stk_status stk_graph_instance(const stk_graph *graph, const stk_graph_node *node,
                              stk_instance_scratch *scratch, stk_op_instance *instance,
                              stk_error *err)
{
    int inputs = node->input_count, outputs = node->output_count;
    STK_TRY(reserve_types(scratch, inputs + outputs + 1,
                          err)); /* never empty, even for ops without inputs */
    for (int i = 0; i < inputs; i++)
        scratch->types[i] = stk_graph_symbol_of(graph, node->in[i])->type;
    for (int o = 0; o < outputs; o++)
        scratch->types[inputs + o] = stk_graph_symbol_of(graph, node->out[o])->type;
    *instance = (stk_op_instance){node->name, node->attrs,    inputs,
                                  outputs,    scratch->types, scratch->types + inputs};
    return STK_OK;
}

/* An input that is none means that the caller omitted it: name it. */
static stk_status check_inputs(const stk_graph *graph, const stk_graph_op *op, const stk_symbol *in,
                               int count, stk_error *err)
{
    if (count < op->inputs_min || (op->inputs_max != STK_OP_ANY && count > op->inputs_max))
        return stk_fail(err, STK_E_INVALID, op->name, graph->path, "%d inputs; it takes %d to %d",
                        count, op->inputs_min, op->inputs_max);
    for (int i = 0; i < count; i++)
        if (in[i].id == 0 || in[i].id >= graph->symbol_count)
            return stk_fail(err, STK_E_INVALID, op->name, graph->path, "input %d is no symbol", i);
    return STK_OK;
}

static stk_status infer(stk_graph *graph, const stk_graph_op *op, const stk_graph_node *node,
                        stk_tensor_type *types, stk_error *err)
{
    stk_instance_scratch scratch = {0};
    stk_op_instance      instance;
    stk_status           st = stk_graph_instance(graph, node, &scratch, &instance, err);
    if (!st) st = op->infer(&instance, types, err);
    stk_instance_scratch_release(&scratch);
    return st;
}

static stk_status build(stk_graph *graph, const stk_graph_op *op, const stk_symbol *in,
                        int input_count, const void *attrs, int output_count, stk_graph_node *node,
                        stk_tensor_type *types, stk_error *err)
{
    STK_TRY(check_inputs(graph, op, in, input_count, err));
    STK_TRY(stk_graph_grow_nodes(graph, err));
    *node = (stk_graph_node){.op = op, .phase = graph->phase, .input_count = input_count};
    node->name = stk_graph_text(graph, graph->path);
    if (!node->name) return stk_graph_check(graph, err);
    node->in = stk_arena_array(&graph->arena, (size_t)input_count + 1, sizeof *in, err);
    if (!node->in) return STK_E_NOMEM;
    if (input_count) memcpy(node->in, in, (size_t)input_count * sizeof *in);
    if (op->attrs_size) {
        void *copy = stk_arena_alloc(&graph->arena, op->attrs_size, err);
        if (!copy) return STK_E_NOMEM;
        memcpy(copy, attrs, op->attrs_size);
        node->attrs = copy;
    }
    STK_TRY(infer(graph, op, node, types, err));
    node->output_count = output_count;
    return STK_OK;
}

void stk_graph_add(stk_graph *graph, const stk_graph_op *op, const stk_symbol *in, int input_count,
                   const void *attrs, stk_symbol *out, int output_count)
{
    for (int o = 0; o < output_count; o++)
        out[o] = STK_NO_SYMBOL;
    if (graph->error.status) return;
    stk_graph_node  node;
    stk_tensor_type types[STK_OP_OUTPUTS] = {{0}};
    stk_error       err = {0};
    stk_status      st = build(graph, op, in, input_count, attrs, output_count, &node, types, &err);
    if (st) {
        err.status = st;
        if (!graph->error.status) graph->error = err;
        return;
    }
    for (int o = 0; o < output_count; o++) {
        node.out[o] = stk_graph_result_symbol(graph, &types[o], node.name, graph->node_count, o);
        if (graph->error.status) return;
    }
    graph->nodes[graph->node_count++] = node;
    memcpy(out, node.out, (size_t)output_count * sizeof *out);
}

static stk_symbol first_of(stk_graph *graph, const stk_graph_op *op, const stk_symbol *in,
                           int count, const void *attrs)
{
    stk_symbol out[STK_OP_OUTPUTS];
    stk_graph_add(graph, op, in, count, attrs, out, op->outputs);
    return out[0];
}

stk_symbol stk_graph_add1(stk_graph *graph, const stk_graph_op *op, stk_symbol a, const void *attrs)
{
    return first_of(graph, op, &a, 1, attrs);
}

stk_symbol stk_graph_add2(stk_graph *graph, const stk_graph_op *op, stk_symbol a, stk_symbol b,
                          const void *attrs)
{
    return first_of(graph, op, (stk_symbol[]){a, b}, 2, attrs);
}

stk_symbol stk_graph_add3(stk_graph *graph, const stk_graph_op *op, stk_symbol a, stk_symbol b,
                          stk_symbol c, const void *attrs)
{
    return first_of(graph, op, (stk_symbol[]){a, b, c}, 3, attrs);
}

void stk_graph_count_uses(const stk_graph *graph, uint32_t *uses)
{
    memset(uses, 0, graph->symbol_count * sizeof *uses);
    for (uint32_t n = 0; n < graph->node_count; n++)
        for (int i = 0; i < graph->nodes[n].input_count; i++)
            uses[graph->nodes[n].in[i].id]++;
    for (uint32_t i = 0; i < graph->output_count; i++)
        uses[graph->outputs[i].symbol.id]++;
    for (uint32_t i = 1; i < graph->symbol_count; i++)
        uses[graph->symbols[i].assigned.id]++;
}
