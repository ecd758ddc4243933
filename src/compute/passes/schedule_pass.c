/* Orders nodes. Updates run right after their gradients, while these are cached, and their memory
 * is reused. An update waits for other readers of the variable it overwrites, so that it works in
 * place. All other nodes keep the order in which they were built.
 *
 * For backends that launch many small kernels as one, casts of variables come first and updates
 * last, as late as their readers allow. */
#include "compute/ops/graph_ops.h"
#include "compute/passes/passes.h"
#include <stdlib.h>

typedef struct edge { /* node `to` waits for the owner of the list */
    uint32_t to, next;
} edge;

typedef struct scheduler {
    stk_rewrite rewrite;
    uint32_t   *waiting; /* by node: edges from nodes that have not run */
    uint32_t   *first;   /* by node: its first edge, as index + 1 */
    edge       *edges;
    uint32_t    edge_count, edge_capacity;
    bool       *done;
    uint32_t   *ready; /* updates without pending edges, from head to tail */
    uint32_t    head, tail;
} scheduler;

static bool is_update(const stk_graph_node *node)
{
    return node->phase == STK_PHASE_UPDATE;
}

static stk_status add_edge(scheduler *s, uint32_t from, uint32_t to, stk_error *err)
{
    if (s->edge_count == s->edge_capacity) {
        uint32_t capacity = s->edge_capacity ? s->edge_capacity * 2 : 256;
        edge    *grown = realloc(s->edges, capacity * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "schedule", NULL, "no memory");
        s->edges = grown;
        s->edge_capacity = capacity;
    }
    s->edges[s->edge_count] = (edge){to, s->first[from]};
    s->first[from] = ++s->edge_count;
    s->waiting[to]++;
    return STK_OK;
}

/* The node that computes the next value of a variable; node_count: none. */
static uint32_t writer_of(const stk_graph *g, stk_symbol variable)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(g, variable);
    if (s->role != STK_SYMBOL_VARIABLE || !s->assigned.id) return g->node_count;
    const stk_graph_symbol *value = stk_graph_symbol_of(g, s->assigned);
    return value->role == STK_SYMBOL_RESULT ? value->node : g->node_count;
}

/* Only updates wait for readers, and only for earlier ones: a later reader may depend on the
 * update. */
static stk_status find_edges(scheduler *s, stk_error *err)
{
    const stk_graph *g = s->rewrite.from;
    for (uint32_t n = 0; n < g->node_count; n++)
        for (int i = 0; i < g->nodes[n].input_count; i++) {
            stk_symbol              in = g->nodes[n].in[i];
            const stk_graph_symbol *symbol = stk_graph_symbol_of(g, in);
            uint32_t                writer = writer_of(g, in);
            if (is_update(&g->nodes[n]) && symbol->role == STK_SYMBOL_RESULT)
                STK_TRY(add_edge(s, symbol->node, n, err));
            if (writer < g->node_count && n < writer && is_update(&g->nodes[writer]))
                STK_TRY(add_edge(s, n, writer, err));
        }
    return STK_OK;
}

static void run(scheduler *s, uint32_t n)
{
    stk_rewrite_copy(&s->rewrite, &s->rewrite.from->nodes[n]);
    s->done[n] = true;
    for (uint32_t e = s->first[n]; e; e = s->edges[e - 1].next) {
        uint32_t to = s->edges[e - 1].to;
        if (--s->waiting[to] == 0) s->ready[s->tail++] = to;
    }
}

/* Newest first: the update that became ready last reads the newest result. */
static void run_in_build_order(scheduler *s)
{
    const stk_graph *g = s->rewrite.from;
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (s->done[n] || (is_update(&g->nodes[n]) && s->waiting[n] != 0)) continue;
        run(s, n);
        while (s->tail)
            run(s, s->ready[--s->tail]);
    }
}

static void run_ready(scheduler *s)
{
    while (s->head < s->tail)
        run(s, s->ready[s->head++]);
}

static bool is_cast_of_variable(const stk_graph *g, const stk_graph_node *node)
{
    return node->op == &stk_graph_op_cast && !is_update(node) &&
           stk_graph_symbol_of(g, node->in[0])->role == STK_SYMBOL_VARIABLE;
}

static bool waits_for_update(const scheduler *s, const stk_graph_node *node)
{
    for (int i = 0; i < node->input_count; i++) {
        const stk_graph_symbol *in = stk_graph_symbol_of(s->rewrite.from, node->in[i]);
        if (in->role == STK_SYMBOL_RESULT && !s->done[in->node]) return true;
    }
    return false;
}

static void run_grouped(scheduler *s)
{
    const stk_graph *g = s->rewrite.from;
    for (uint32_t n = 0; n < g->node_count; n++) /* before running nodes makes more of them ready */
        if (is_update(&g->nodes[n]) && s->waiting[n] == 0) s->ready[s->tail++] = n;
    for (uint32_t n = 0; n < g->node_count; n++)
        if (is_cast_of_variable(g, &g->nodes[n])) run(s, n);
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (s->done[n] || is_update(&g->nodes[n])) continue;
        if (waits_for_update(s, &g->nodes[n])) run_ready(s);
        run(s, n);
    }
    run_ready(s);
}

static stk_status run_all(scheduler *s, bool group, stk_error *err)
{
    size_t capacity = (size_t)s->rewrite.from->node_count + 1;
    s->waiting = calloc(capacity, sizeof *s->waiting);
    s->first = calloc(capacity, sizeof *s->first);
    s->done = calloc(capacity, sizeof *s->done);
    s->ready = calloc(capacity, sizeof *s->ready);
    if (!s->waiting || !s->first || !s->done || !s->ready)
        return stk_fail(err, STK_E_NOMEM, "schedule", NULL, "no memory");
    STK_TRY(find_edges(s, err));
    if (group)
        run_grouped(s);
    else
        run_in_build_order(s);
    return STK_OK;
}

stk_status stk_pass_schedule(const stk_graph *from, const stk_pass_context *context,
                             stk_graph **out, stk_error *err)
{
    scheduler s = {0};
    *out = NULL;
    STK_TRY(stk_rewrite_begin(&s.rewrite, from, err));
    stk_status st = run_all(&s, context->group_small_ops, err);
    if (st)
        stk_rewrite_release(&s.rewrite);
    else
        st = stk_rewrite_finish(&s.rewrite, out, err);
    free(s.waiting);
    free(s.first);
    free(s.edges);
    free(s.done);
    free(s.ready);
    return st;
}
