/* Text form of a graph. Symbols are numbered in order of appearance, so graphs with equal content
 * have equal texts, however they were built. */
#include "compute/graph/graph_node.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024 };

typedef struct printer {
    const stk_graph *graph;
    stk_blob        *text;
    uint32_t        *number; /* by symbol; 0: not seen yet */
    uint32_t         next;
} printer;

static stk_status put(printer *p, stk_error *err, const char *format, ...) STK_PRINTF(3, 4);

static stk_status put(printer *p, stk_error *err, const char *format, ...)
{
    char    line[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length >= (int)sizeof line) length = sizeof line - 1;
    return stk_blob_append(p->text, line, (size_t)length, err);
}

static uint32_t number_of(printer *p, stk_symbol symbol)
{
    if (!p->number[symbol.id]) p->number[symbol.id] = p->next++;
    return p->number[symbol.id];
}

static stk_status put_type(printer *p, stk_symbol symbol, stk_error *err)
{
    const stk_tensor_type *type = &stk_graph_symbol_of(p->graph, symbol)->type;
    char                   shape[96];
    return put(p, err, "%s%s", stk_dtype_name(type->dtype),
               stk_shape_text(&type->shape, shape, sizeof shape));
}

static const char *role_name(stk_symbol_role role)
{
    static const char *const names[] = {"result", "input", "constant", "variable"};
    return names[role];
}

static stk_status put_leaves(printer *p, stk_error *err)
{
    for (uint32_t i = 1; i < p->graph->symbol_count; i++) {
        const stk_graph_symbol *s = &p->graph->symbols[i];
        if (s->role == STK_SYMBOL_RESULT) continue;
        STK_TRY(put(p, err, "%%%u = %s \"%s\" : ", number_of(p, (stk_symbol){i}),
                    role_name(s->role), s->name));
        STK_TRY(put_type(p, (stk_symbol){i}, err));
        STK_TRY(put(p, err, "\n"));
    }
    return STK_OK;
}

static stk_status put_node(printer *p, const stk_graph_node *node, stk_error *err)
{
    for (int o = 0; o < node->output_count; o++)
        STK_TRY(put(p, err, "%s%%%u", o ? ", " : "", number_of(p, node->out[o])));
    STK_TRY(put(p, err, " = %s(", node->op->name));
    for (int i = 0; i < node->input_count; i++)
        STK_TRY(put(p, err, "%s%%%u", i ? ", " : "", number_of(p, node->in[i])));
    char attrs[256] = "";
    if (node->op->print) node->op->print(node->attrs, attrs, sizeof attrs);
    STK_TRY(put(p, err, ")%s%s : ", *attrs ? " " : "", attrs));
    for (int o = 0; o < node->output_count; o++) {
        if (o) STK_TRY(put(p, err, ", "));
        STK_TRY(put_type(p, node->out[o], err));
    }
    return *node->name ? put(p, err, "  # %s\n", node->name) : put(p, err, "\n");
}

static stk_status put_ends(printer *p, stk_error *err)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (g->symbols[i].assigned.id)
            STK_TRY(put(p, err, "assign \"%s\" = %%%u\n", g->symbols[i].name,
                        number_of(p, g->symbols[i].assigned)));
    for (uint32_t i = 0; i < g->output_count; i++)
        STK_TRY(put(p, err, "output \"%s\" = %%%u\n", g->outputs[i].name,
                    number_of(p, g->outputs[i].symbol)));
    return STK_OK;
}

static stk_status put_all(printer *p, stk_error *err)
{
    STK_TRY(put_leaves(p, err));
    for (uint32_t n = 0; n < p->graph->node_count; n++)
        STK_TRY(put_node(p, &p->graph->nodes[n], err));
    return put_ends(p, err);
}

stk_status stk_graph_dump(const stk_graph *graph, stk_blob *text, stk_error *err)
{
    printer p = {graph, text, calloc(graph->symbol_count, sizeof(uint32_t)), 1};
    if (!p.number) return stk_fail(err, STK_E_NOMEM, "graph", NULL, "no memory to print a graph");
    stk_status st = put_all(&p, err);
    free(p.number);
    return st;
}
