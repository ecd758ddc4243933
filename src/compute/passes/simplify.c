/* The simplify pass: replaces each node by the first rule that applies or by an equal node (CSE).
 * Replacements enable others, so rounds repeat until nothing changes. */
#include "compute/passes/cse.h"
#include "compute/passes/passes.h"
#include "compute/passes/rules.h"
#include <stdlib.h>

enum { ROUNDS_MAX = 32 };

typedef struct simplifier {
    stk_rewrite   rewrite;
    stk_cse_table seen;
    bool         *is_end; /* by old symbol: an output or an assigned value */
    uint32_t      changes;
} simplifier;

static stk_symbol apply_rules(stk_graph *g, const stk_rule_row *rows, const stk_graph_node *node)
{
    for (; rows->rule; rows++) {
        if (rows->op && rows->op != node->op) continue;
        stk_symbol replacement = rows->rule(g, node);
        if (!stk_symbol_is_none(replacement) || g->error.status) return replacement;
    }
    return STK_NO_SYMBOL;
}

/* A variable cannot replace an output or assigned value: it may be overwritten first. */
static bool may_replace(const simplifier *s, const stk_graph_node *node, stk_symbol replacement)
{
    if (stk_symbol_is_none(replacement)) return false;
    return !s->is_end[node->out[0].id] ||
           stk_graph_symbol_of(s->rewrite.to, replacement)->role != STK_SYMBOL_VARIABLE;
}

static void add_or_find(simplifier *s, const stk_graph_node *old, const stk_graph_node *node)
{
    stk_graph            *to = s->rewrite.to;
    const stk_graph_node *equal = stk_cse_table_find(&s->seen, to, node);
    stk_symbol            out[STK_OP_OUTPUTS] = {{0}};
    if (equal) {
        s->changes++;
        for (int o = 0; o < node->output_count; o++)
            out[o] = equal->out[o];
    } else {
        stk_graph_add(to, node->op, node->in, node->input_count, node->attrs, out,
                      node->output_count);
        if (!to->error.status) stk_cse_table_add(&s->seen, to, to->node_count - 1);
    }
    for (int o = 0; o < node->output_count; o++)
        stk_rewrite_replace(&s->rewrite, old->out[o], out[o]);
}

static stk_status simplify_node(simplifier *s, const stk_graph_node *old, stk_error *err)
{
    stk_graph     *to = s->rewrite.to;
    stk_graph_node node = *old;
    node.in = malloc(((size_t)old->input_count + 1) * sizeof *node.in);
    if (!node.in) return stk_fail(err, STK_E_NOMEM, "simplify", old->name, "no memory");
    for (int i = 0; i < old->input_count; i++)
        node.in[i] = stk_rewrite_symbol(&s->rewrite, old->in[i]);
    stk_rewrite_at(&s->rewrite, old);
    stk_symbol replacement = STK_NO_SYMBOL;
    if (old->output_count == 1) {
        replacement = apply_rules(to, stk_rules_algebra, &node);
        if (stk_symbol_is_none(replacement))
            replacement = apply_rules(to, stk_rules_transpose, &node);
    }
    if (may_replace(s, old, replacement)) {
        stk_rewrite_replace(&s->rewrite, old->out[0], replacement);
        s->changes++;
    } else {
        add_or_find(s, old, &node);
    }
    free(node.in);
    return stk_graph_check(to, err);
}

static stk_status simplify_all(simplifier *s, stk_error *err)
{
    const stk_graph *from = s->rewrite.from;
    s->is_end = calloc(from->symbol_count, sizeof *s->is_end);
    if (!s->is_end) return stk_fail(err, STK_E_NOMEM, "simplify", NULL, "no memory");
    for (uint32_t i = 0; i < from->output_count; i++)
        s->is_end[from->outputs[i].symbol.id] = true;
    for (uint32_t i = 1; i < from->symbol_count; i++)
        s->is_end[from->symbols[i].assigned.id] = true;
    STK_TRY(stk_cse_table_init(&s->seen, from->node_count, err));
    for (uint32_t n = 0; n < from->node_count; n++)
        STK_TRY(simplify_node(s, &from->nodes[n], err));
    return STK_OK;
}

static stk_status one_round(const stk_graph *from, stk_graph **out, uint32_t *changes,
                            stk_error *err)
{
    simplifier s = {0};
    STK_TRY(stk_rewrite_begin(&s.rewrite, from, err));
    stk_status st = simplify_all(&s, err);
    if (st)
        stk_rewrite_release(&s.rewrite);
    else
        st = stk_rewrite_finish(&s.rewrite, out, err);
    stk_cse_table_release(&s.seen);
    free(s.is_end);
    *changes = s.changes;
    return st;
}

stk_status stk_pass_simplify(const stk_graph *from, const stk_pass_context *context,
                             stk_graph **out, stk_error *err)
{
    uint32_t changes = 1, total = 0;
    *out = NULL;
    for (int round = 0; round < ROUNDS_MAX && changes; round++) {
        stk_graph *next = NULL;
        stk_status st = one_round(*out ? *out : from, &next, &changes, err);
        stk_graph_free(*out);
        *out = next;
        if (st) return st;
        total += changes;
    }
    stk_status st = stk_pass_note(context, err, "simplified %u times: %u operations of %u are left",
                                  total, (*out)->node_count, from->node_count);
    if (st) stk_graph_free(*out), *out = NULL;
    return st;
}
