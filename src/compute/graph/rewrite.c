/* Rewrites: leaves first, then the nodes of the pass, outputs and assignments last. */
#include "compute/graph/rewrite.h"
#include <stdlib.h>

static void copy_leaves(stk_rewrite *r)
{
    for (uint32_t i = 1; i < r->from->symbol_count; i++) {
        const stk_graph_symbol *s = &r->from->symbols[i];
        stk_symbol             *to = &r->map[i];
        switch (s->role) {
        case STK_SYMBOL_INPUT:
            *to = stk_graph_input(r->to, s->name, s->type.dtype, s->type.shape);
            break;
        case STK_SYMBOL_CONSTANT:
            *to = stk_graph_constant(r->to, s->name, s->type.dtype, s->type.shape, s->data);
            break;
        case STK_SYMBOL_VARIABLE:
            *to = stk_graph_variable(r->to, s->name, s->type.dtype, s->type.shape, &s->variable);
            break;
        case STK_SYMBOL_RESULT:
            break;
        }
    }
}

void stk_rewrite_release(stk_rewrite *rewrite)
{
    free(rewrite->map);
    stk_graph_free(rewrite->to);
    *rewrite = (stk_rewrite){0};
}

stk_status stk_rewrite_begin(stk_rewrite *rewrite, const stk_graph *from, stk_error *err)
{
    *rewrite = (stk_rewrite){.from = from};
    stk_graph_options options = from->options;
    options.adjust = NULL; /* variables are copied with their adjusted options */
    STK_TRY(stk_graph_new(&rewrite->to, &options, err));
    rewrite->map = calloc(from->symbol_count, sizeof *rewrite->map);
    if (!rewrite->map) {
        stk_rewrite_release(rewrite);
        return stk_fail(err, STK_E_NOMEM, "graph", NULL, "no memory to rewrite a graph");
    }
    rewrite->to->random_count = from->random_count;
    copy_leaves(rewrite);
    return STK_OK;
}

stk_symbol stk_rewrite_symbol(const stk_rewrite *rewrite, stk_symbol old)
{
    return rewrite->map[old.id];
}

void stk_rewrite_replace(stk_rewrite *rewrite, stk_symbol old, stk_symbol new_symbol)
{
    rewrite->map[old.id] = new_symbol;
}

void stk_rewrite_at(stk_rewrite *rewrite, const stk_graph_node *node)
{
    rewrite->to->phase = node->phase;
    stk_graph_set_path(rewrite->to, node->name);
}

void stk_rewrite_copy(stk_rewrite *rewrite, const stk_graph_node *node)
{
    stk_graph *to = rewrite->to;
    stk_rewrite_at(rewrite, node);
    stk_symbol *in = malloc(((size_t)node->input_count + 1) * sizeof *in);
    if (!in) {
        stk_graph_fail(to, STK_E_NOMEM, "graph", node->name, "no memory to copy a node");
        return;
    }
    for (int i = 0; i < node->input_count; i++)
        in[i] = rewrite->map[node->in[i].id];
    stk_symbol out[STK_OP_OUTPUTS];
    stk_graph_add(to, node->op, in, node->input_count, node->attrs, out, node->output_count);
    for (int o = 0; o < node->output_count; o++)
        rewrite->map[node->out[o].id] = out[o];
    free(in);
}

static void copy_ends(stk_rewrite *r)
{
    for (uint32_t i = 1; i < r->from->symbol_count; i++)
        if (r->from->symbols[i].assigned.id)
            stk_graph_assign(r->to, r->map[i], r->map[r->from->symbols[i].assigned.id]);
    for (uint32_t i = 0; i < r->from->output_count; i++)
        stk_graph_output(r->to, r->from->outputs[i].name, r->map[r->from->outputs[i].symbol.id]);
}

static bool is_live(const stk_graph_node *node, const bool *live)
{
    if (node->op->traits & STK_OP_KEEP) return true;
    for (int o = 0; o < node->output_count; o++)
        if (live[node->out[o].id]) return true;
    return false;
}

/* Removes dead nodes. Their symbols keep their ids, unused. */
static stk_status drop_dead(stk_graph *graph, stk_error *err)
{
    bool *live = calloc(graph->symbol_count, sizeof *live);
    if (!live) return stk_fail(err, STK_E_NOMEM, "graph", NULL, "no memory to rewrite a graph");
    for (uint32_t i = 0; i < graph->output_count; i++)
        live[graph->outputs[i].symbol.id] = true;
    for (uint32_t i = 1; i < graph->symbol_count; i++)
        live[graph->symbols[i].assigned.id] = true;
    for (uint32_t n = graph->node_count; n-- > 0;) {
        const stk_graph_node *node = &graph->nodes[n];
        if (!is_live(node, live)) continue;
        for (int o = 0; o < node->output_count; o++)
            live[node->out[o].id] = true;
        for (int i = 0; i < node->input_count; i++)
            live[node->in[i].id] = true;
    }
    uint32_t live_count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (!is_live(&graph->nodes[n], live)) continue;
        graph->nodes[live_count] = graph->nodes[n];
        for (int o = 0; o < graph->nodes[live_count].output_count; o++)
            graph->symbols[graph->nodes[live_count].out[o].id].node = live_count;
        live_count++;
    }
    graph->node_count = live_count;
    free(live);
    return STK_OK;
}

stk_status stk_rewrite_finish(stk_rewrite *rewrite, stk_graph **out, stk_error *err)
{
    *out = NULL;
    if (!rewrite->has_ends) copy_ends(rewrite);
    stk_status st = stk_graph_check(rewrite->to, err);
    if (!st) st = drop_dead(rewrite->to, err);
    if (!st) st = stk_graph_verify(rewrite->to, err);
    if (!st) {
        *out = rewrite->to;
        rewrite->to = NULL;
    }
    stk_rewrite_release(rewrite);
    return st;
}
