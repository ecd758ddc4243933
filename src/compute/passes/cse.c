/* Hash table with linear probing. */
#include "compute/passes/cse.h"
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_of(const stk_graph_node *node)
{
    uint64_t hash = mix(0xcbf29ce484222325u, &node->op, sizeof node->op);
    hash = mix(hash, node->in, (size_t)node->input_count * sizeof *node->in);
    return mix(hash, node->attrs, node->attrs ? node->op->attrs_size : 0);
}

static bool computes_same(const stk_graph_node *a, const stk_graph_node *b)
{
    if (a->op != b->op || a->input_count != b->input_count || a->output_count != b->output_count)
        return false;
    if (a->input_count && memcmp(a->in, b->in, (size_t)a->input_count * sizeof *a->in) != 0)
        return false;
    return a->op->attrs_size == 0 || memcmp(a->attrs, b->attrs, a->op->attrs_size) == 0;
}

stk_status stk_cse_table_init(stk_cse_table *table, uint32_t nodes, stk_error *err)
{
    *table = (stk_cse_table){.capacity = 64};
    while (table->capacity / 2 < nodes)
        table->capacity *= 2;
    table->slots = calloc(table->capacity, sizeof *table->slots);
    if (table->slots) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "simplify", NULL, "no memory for %u nodes", nodes);
}

void stk_cse_table_release(stk_cse_table *table)
{
    free(table->slots);
    *table = (stk_cse_table){0};
}

const stk_graph_node *stk_cse_table_find(const stk_cse_table *table, const stk_graph *graph,
                                         const stk_graph_node *node)
{
    if (node->op->traits & STK_OP_KEEP) return NULL;
    for (uint64_t at = hash_of(node);; at++) {
        uint32_t slot = table->slots[at & (table->capacity - 1)];
        if (!slot) return NULL;
        if (computes_same(&graph->nodes[slot - 1], node)) return &graph->nodes[slot - 1];
    }
}

void stk_cse_table_add(stk_cse_table *table, const stk_graph *graph, uint32_t index)
{
    uint64_t at = hash_of(&graph->nodes[index]);
    if (table->count >= table->capacity / 2) return;
    while (table->slots[at & (table->capacity - 1)])
        at++;
    table->slots[at & (table->capacity - 1)] = index + 1;
    table->count++;
}
