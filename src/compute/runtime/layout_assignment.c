/* Layout assignment visits nodes in order; each kernel chooses formats from those of its inputs.
 * Convolutions choose the fastest, elementwise ops keep what they get. Variables take the format of
 * their first reader, so weights are never reordered. */
#include "compute/runtime/layout_assignment.h"
#include "compute/runtime/reorder_op.h"
#include <stdlib.h>
#include <string.h>

typedef struct reorder { /* an existing reorder, shared by all readers */
    uint32_t   symbol;
    stk_format to;
    stk_symbol result;
} reorder;

typedef struct layout_pass {
    stk_rewrite    rewrite;
    stk_variables *variables;
    bool           plain;
    stk_format    *format; /* by symbol of the new graph */
    uint32_t       format_capacity;
    reorder       *reorders;
    uint32_t       reorder_count, reorder_capacity;
} layout_pass;

/* The new graph grows while it is built; symbols without an entry are plain. */
static stk_status set_format(layout_pass *l, stk_symbol symbol, stk_format format, stk_error *err)
{
    if (symbol.id >= l->format_capacity) {
        uint32_t    capacity = (symbol.id + 1) * 2;
        stk_format *grown = realloc(l->format, capacity * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "layout", NULL, "no memory");
        memset(grown + l->format_capacity, 0, (capacity - l->format_capacity) * sizeof *grown);
        l->format = grown;
        l->format_capacity = capacity;
    }
    l->format[symbol.id] = format;
    return STK_OK;
}

static stk_format format_of(const layout_pass *l, stk_symbol symbol)
{
    return symbol.id < l->format_capacity ? l->format[symbol.id] : (stk_format)STK_FORMAT_PLAIN;
}

static stk_status add_reorder(layout_pass *l, stk_symbol symbol, stk_format to, stk_symbol *out,
                              stk_error *err)
{
    for (uint32_t i = 0; i < l->reorder_count; i++)
        if (l->reorders[i].symbol == symbol.id && l->reorders[i].to == to) {
            *out = l->reorders[i].result;
            return STK_OK;
        }
    *out = stk_graph_add1(l->rewrite.to, &stk_graph_op_reorder, symbol,
                          &(stk_reorder_attrs){format_of(l, symbol), to});
    STK_TRY(stk_graph_check(l->rewrite.to, err));
    if (l->reorder_count == l->reorder_capacity) {
        uint32_t capacity = l->reorder_capacity ? l->reorder_capacity * 2 : 64;
        reorder *grown = realloc(l->reorders, capacity * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "layout", NULL, "no memory");
        l->reorders = grown;
        l->reorder_capacity = capacity;
    }
    l->reorders[l->reorder_count++] = (reorder){symbol.id, to, *out};
    return set_format(l, *out, to, err);
}

/* Returns symbol in the requested format: itself, a variable that adopts it, or a reorder. */
static stk_status in_format(layout_pass *l, stk_symbol symbol, stk_format format, stk_symbol *out,
                            stk_error *err)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(l->rewrite.to, symbol);
    *out = symbol;
    if (format_of(l, symbol) == format) return STK_OK;
    if (format_of(l, symbol) == (stk_format)STK_FORMAT_ANY) {
        size_t index = stk_variables_find(l->variables, s->name);
        STK_TRY(stk_variables_set_format(l->variables, index, format, err));
        return set_format(l, symbol, format, err);
    }
    return add_reorder(l, symbol, format, out, err);
}

typedef struct node_formats {
    stk_format *have, *in;
    stk_format  out[STK_OP_OUTPUTS];
} node_formats;

static stk_status query_kernel(layout_pass *l, const stk_graph_node *node,
                               const stk_op_instance *instance, node_formats *f, stk_error *err)
{
    stk_device       *device = l->variables->device;
    const stk_kernel *kernel = device->backend->kernel(device, node->op, instance);
    if (!kernel)
        return stk_fail(err, STK_E_UNSUPPORTED, node->op->name, node->name,
                        "the backend %s has no kernel for this; the backend ref has all",
                        device->backend->name);
    if (!kernel->formats || (l->plain && !kernel->requires_formats)) return STK_OK;
    return kernel->formats(device, instance, f->have, f->in, f->out, err);
}

/* The format that the first reader of symbol prefers; STK_FORMAT_PLAIN if it has no preference. */
static stk_status preferred_by_reader(layout_pass *l, const stk_graph_node *after,
                                      stk_symbol symbol, stk_format *preferred, stk_error *err)
{
    const stk_graph *from = l->rewrite.from;
    *preferred = STK_FORMAT_PLAIN;
    for (const stk_graph_node *node = after + 1; node < from->nodes + from->node_count; node++) {
        int at = 0;
        while (at < node->input_count && node->in[at].id != symbol.id)
            at++;
        if (at == node->input_count) continue;
        size_t               count = (size_t)node->input_count + 1;
        stk_instance_scratch scratch = {0};
        stk_op_instance      instance;
        node_formats f = {.have = calloc(count, sizeof *f.have), .in = calloc(count, sizeof *f.in)};
        stk_status   st = f.have && f.in ? stk_graph_instance(from, node, &scratch, &instance, err)
                                         : stk_fail(err, STK_E_NOMEM, "layout", NULL, "no memory");
        if (!st) f.have[at] = STK_FORMAT_ANY;
        if (!st) st = query_kernel(l, node, &instance, &f, err);
        if (!st) *preferred = f.in[at];
        stk_instance_scratch_release(&scratch);
        free(f.have);
        free(f.in);
        return st;
    }
    return STK_OK;
}

/* Whether the kernel of a node with one input keeps this format. oneDNN's weight blocks depend on
 * the type, so a cast cannot. */
static stk_status keeps_format(layout_pass *l, const stk_graph_node *node, stk_format format,
                               bool *keeps, stk_error *err)
{
    stk_format           have[1] = {format}, in[1] = {STK_FORMAT_PLAIN};
    node_formats         f = {.have = have, .in = in};
    stk_instance_scratch scratch = {0};
    stk_op_instance      instance;
    stk_status           st = stk_graph_instance(l->rewrite.from, node, &scratch, &instance, err);
    if (!st) st = query_kernel(l, node, &instance, &f, err);
    stk_instance_scratch_release(&scratch);
    *keeps = !st && in[0] == format && f.out[0] == format;
    return st;
}

/* Elementwise ops accept any format. If one is the first reader of a variable (the fp16 cast), use
 * the format its consumer wants and save a reorder. */
static stk_status choose_variable_format(layout_pass *l, const stk_graph_node *node, stk_error *err)
{
    stk_symbol variable, unused;
    stk_format preferred;
    bool       keeps;
    if (node->input_count != 1 || !(node->op->traits & STK_OP_ELEMENTWISE)) return STK_OK;
    variable = stk_rewrite_symbol(&l->rewrite, node->in[0]);
    if (format_of(l, variable) != (stk_format)STK_FORMAT_ANY || l->plain) return STK_OK;
    STK_TRY(preferred_by_reader(l, node, node->out[0], &preferred, err));
    if (!preferred) return STK_OK;
    STK_TRY(keeps_format(l, node, preferred, &keeps, err));
    return keeps ? in_format(l, variable, preferred, &unused, err) : STK_OK;
}

static stk_status assign_node_with(layout_pass *l, const stk_graph_node *node, node_formats *f,
                                   stk_symbol *in, stk_instance_scratch *scratch, stk_error *err)
{
    stk_op_instance instance;
    STK_TRY(choose_variable_format(l, node, err));
    STK_TRY(stk_graph_instance(l->rewrite.from, node, scratch, &instance, err));
    for (int i = 0; i < node->input_count; i++)
        f->have[i] = format_of(l, stk_rewrite_symbol(&l->rewrite, node->in[i]));
    STK_TRY(query_kernel(l, node, &instance, f, err));
    stk_rewrite_at(&l->rewrite, node);
    for (int i = 0; i < node->input_count; i++)
        STK_TRY(in_format(l, stk_rewrite_symbol(&l->rewrite, node->in[i]), f->in[i], &in[i], err));
    stk_symbol out[STK_OP_OUTPUTS];
    stk_graph_add(l->rewrite.to, node->op, in, node->input_count, node->attrs, out,
                  node->output_count);
    STK_TRY(stk_graph_check(l->rewrite.to, err));
    for (int o = 0; o < node->output_count; o++) {
        stk_rewrite_replace(&l->rewrite, node->out[o], out[o]);
        STK_TRY(set_format(l, out[o], f->out[o], err));
    }
    return STK_OK;
}

static stk_status assign_node(layout_pass *l, const stk_graph_node *node,
                              stk_instance_scratch *scratch, stk_error *err)
{
    size_t       count = (size_t)node->input_count + 1;
    node_formats f = {.have = calloc(count, sizeof *f.have), .in = calloc(count, sizeof *f.in)};
    stk_symbol  *in = calloc(count, sizeof *in);
    stk_status   st = f.have && f.in && in
                          ? assign_node_with(l, node, &f, in, scratch, err)
                          : stk_fail(err, STK_E_NOMEM, "layout", node->name, "no memory");
    free(f.have);
    free(f.in);
    free(in);
    return st;
}

static stk_status assign_leaves(layout_pass *l, stk_error *err)
{
    const stk_graph *g = l->rewrite.to;
    for (uint32_t i = 1; i < g->symbol_count; i++) {
        const stk_graph_symbol *s = &g->symbols[i];
        if (s->role != STK_SYMBOL_VARIABLE) continue;
        size_t index;
        STK_TRY(stk_variables_add(l->variables, s->name, &s->type, &s->variable, &index, err));
        STK_TRY(set_format(l, (stk_symbol){i}, l->variables->list[index].format, err));
    }
    return STK_OK;
}

/* An assigned value takes the format of its variable. */
static stk_status assign_assignments(layout_pass *l, stk_error *err)
{
    const stk_graph *from = l->rewrite.from;
    stk_symbol       to;
    for (uint32_t i = 1; i < from->symbol_count; i++) {
        if (from->symbols[i].role != STK_SYMBOL_VARIABLE) continue;
        stk_symbol variable = stk_rewrite_symbol(&l->rewrite, (stk_symbol){i});
        if (format_of(l, variable) == (stk_format)STK_FORMAT_ANY)
            STK_TRY(in_format(l, variable, STK_FORMAT_PLAIN, &to, err));
        if (!from->symbols[i].assigned.id) continue;
        stk_symbol value = stk_rewrite_symbol(&l->rewrite, from->symbols[i].assigned);
        STK_TRY(in_format(l, value, format_of(l, variable), &to, err));
        stk_graph_assign(l->rewrite.to, variable, to);
    }
    return STK_OK;
}

/* Outputs are row-major. A variable that is assigned is overwritten before outputs are read, so its
 * output is a copy. */
static stk_status assign_outputs(layout_pass *l, stk_error *err)
{
    const stk_graph *from = l->rewrite.from;
    stk_symbol       to;
    for (uint32_t i = 0; i < from->output_count; i++) {
        stk_symbol value = stk_rewrite_symbol(&l->rewrite, from->outputs[i].symbol);
        if (stk_graph_symbol_of(l->rewrite.to, value)->assigned.id)
            STK_TRY(add_reorder(l, value, STK_FORMAT_PLAIN, &to, err));
        else
            STK_TRY(in_format(l, value, STK_FORMAT_PLAIN, &to, err));
        stk_graph_output(l->rewrite.to, from->outputs[i].name, to);
    }
    return STK_OK;
}

/* One value may be an output and assigned to variables, each in another format, so these are built
 * here and not by the rewrite's map. */
static stk_status assign_ends(layout_pass *l, stk_error *err)
{
    l->rewrite.to->phase = STK_PHASE_UPDATE;
    stk_graph_set_path(l->rewrite.to, "");
    STK_TRY(assign_assignments(l, err));
    STK_TRY(assign_outputs(l, err));
    l->rewrite.has_ends = true;
    return STK_OK;
}

static stk_status assign_all(layout_pass *l, stk_error *err)
{
    const stk_graph     *from = l->rewrite.from;
    stk_instance_scratch scratch = {0};
    stk_status           st = assign_leaves(l, err);
    for (uint32_t n = 0; n < from->node_count && !st; n++)
        st = assign_node(l, &from->nodes[n], &scratch, err);
    stk_instance_scratch_release(&scratch);
    return st ? st : assign_ends(l, err);
}

stk_status stk_layout_assign(const stk_graph *graph, stk_variables *variables, bool plain,
                             stk_layout_assignment *out, stk_error *err)
{
    *out = (stk_layout_assignment){0};
    layout_pass l = {.variables = variables, .plain = plain};
    STK_TRY(stk_rewrite_begin(&l.rewrite, graph, err));
    stk_status st = assign_all(&l, err);
    if (st)
        stk_rewrite_release(&l.rewrite);
    else
        st = stk_rewrite_finish(&l.rewrite, &out->graph, err);
    if (!st) st = set_format(&l, (stk_symbol){out->graph->symbol_count}, 0, err);
    free(l.reorders);
    out->format = l.format;
    if (st) stk_layout_assignment_release(out);
    return st;
}

void stk_layout_assignment_release(stk_layout_assignment *layout)
{
    stk_graph_free(layout->graph);
    free(layout->format);
    *layout = (stk_layout_assignment){0};
}
