/* The fuse pass: merges nodes that one kernel can compute. Tries all patterns on every node, in
 * rounds until none applies. */
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"
#include <stdlib.h>

enum { ROUNDS_MAX = 16, INPUTS_MAX = 16 };

static const stk_fuse_pattern *const patterns[] = {
    &stk_fuse_bias,          &stk_fuse_activation,      &stk_fuse_bias_gradient,
    &stk_fuse_norm_residual, &stk_fuse_norm_activation, &stk_fuse_norm_gradient,
    &stk_fuse_gradient_sum,  &stk_fuse_mask_bits,       &stk_fuse_statistics,
    &stk_fuse_norm_stats,    &stk_fuse_grad_norm,       &stk_fuse_norm_pool,
};

enum { PATTERNS = sizeof patterns / sizeof *patterns };

const stk_graph_node *stk_fuse_producer(const stk_fuser *f, stk_symbol symbol)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(f->from, symbol);
    return symbol.id && s->role == STK_SYMBOL_RESULT ? &f->from->nodes[s->node] : NULL;
}

const stk_graph_node *stk_fuse_only_use(const stk_fuser *f, stk_symbol symbol,
                                        const stk_graph_op *op)
{
    const stk_graph_node *node = stk_fuse_producer(f, symbol);
    return node && node->op == op && f->uses[symbol.id] == 1 ? node : NULL;
}

stk_symbol stk_fuse_symbol(const stk_fuser *f, stk_symbol old)
{
    return stk_rewrite_symbol(&f->rewrite, old);
}

void stk_fuse_replace(stk_fuser *f, const stk_graph_node *node, const stk_graph_node *like,
                      const stk_symbol *old_in, int count, const void *attrs)
{
    stk_symbol in[INPUTS_MAX], out[STK_OP_OUTPUTS];
    for (int i = 0; i < count; i++)
        in[i] = stk_fuse_symbol(f, old_in[i]);
    stk_rewrite_at(&f->rewrite, like);
    stk_graph_add(f->rewrite.to, like->op, in, count, attrs, out, node->output_count);
    for (int o = 0; o < node->output_count; o++)
        stk_rewrite_replace(&f->rewrite, node->out[o], out[o]);
}

/* Uses `uses` as the write cursor. */
static void list_readers(stk_fuser *f)
{
    const stk_graph *g = f->from;
    for (uint32_t n = 0; n < g->node_count; n++)
        for (int i = 0; i < g->nodes[n].input_count; i++)
            f->first[g->nodes[n].in[i].id + 1]++;
    for (uint32_t i = 1; i <= g->symbol_count; i++)
        f->first[i] += f->first[i - 1];
    for (uint32_t n = 0; n < g->node_count; n++)
        for (int i = 0; i < g->nodes[n].input_count; i++) {
            uint32_t id = g->nodes[n].in[i].id;
            f->readers[f->first[id] + f->uses[id]++] = n;
        }
}

static stk_status index_uses(stk_fuser *f, stk_error *err)
{
    const stk_graph *g = f->from;
    size_t           edges = 1;
    for (uint32_t n = 0; n < g->node_count; n++)
        edges += (size_t)g->nodes[n].input_count;
    f->uses = calloc(g->symbol_count, sizeof *f->uses);
    f->first = calloc((size_t)g->symbol_count + 1, sizeof *f->first);
    f->readers = calloc(edges, sizeof *f->readers);
    if (!f->uses || !f->first || !f->readers)
        return stk_fail(err, STK_E_NOMEM, "fuse", NULL, "no memory for %u symbols",
                        g->symbol_count);
    list_readers(f);
    stk_graph_count_uses(g, f->uses);
    return STK_OK;
}

static void fuse_node(stk_fuser *f, uint32_t index, uint32_t *counts, uint32_t *changes)
{
    for (size_t p = 0; p < PATTERNS; p++) {
        if ((patterns[p]->needs & f->fusions) != patterns[p]->needs) continue;
        stk_fuse_result answer = patterns[p]->apply(f, index);
        counts[p] += answer == STK_FUSE_DONE;
        if (answer == STK_FUSE_NO) continue;
        ++*changes;
        return;
    }
    stk_rewrite_copy(&f->rewrite, &f->from->nodes[index]);
}

static stk_status fuse_all(stk_fuser *f, uint32_t *counts, uint32_t *changes, stk_error *err)
{
    STK_TRY(index_uses(f, err));
    for (uint32_t n = 0; n < f->from->node_count; n++) {
        fuse_node(f, n, counts, changes);
        STK_TRY(stk_graph_check(f->rewrite.to, err));
    }
    return STK_OK;
}

static stk_status one_round(const stk_graph *from, unsigned fusions, stk_graph **out,
                            uint32_t *counts, uint32_t *changes, stk_error *err)
{
    stk_fuser f = {.from = from, .fusions = fusions};
    *changes = 0;
    STK_TRY(stk_rewrite_begin(&f.rewrite, from, err));
    stk_status st = fuse_all(&f, counts, changes, err);
    if (st)
        stk_rewrite_release(&f.rewrite);
    else
        st = stk_rewrite_finish(&f.rewrite, out, err);
    free(f.uses);
    free(f.first);
    free(f.readers);
    return st;
}

static stk_status add_notes(const stk_pass_context *context, const uint32_t *counts, stk_error *err)
{
    for (size_t p = 0; p < PATTERNS; p++)
        STK_TRY(stk_pass_note(context, err, "%s: %u", patterns[p]->name, counts[p]));
    return STK_OK;
}

stk_status stk_pass_fuse(const stk_graph *from, const stk_pass_context *context, stk_graph **out,
                         stk_error *err)
{
    uint32_t   counts[PATTERNS] = {0}, changes = 1;
    stk_status st = STK_OK;
    *out = NULL;
    for (int round = 0; round < ROUNDS_MAX && changes && !st; round++) {
        stk_graph *next = NULL;
        st = one_round(*out ? *out : from, context->fusions, &next, counts, &changes, err);
        stk_graph_free(*out);
        *out = next;
    }
    if (!st) st = add_notes(context, counts, err);
    if (st) stk_graph_free(*out), *out = NULL;
    return st;
}
