/* The layout pass. Nodes are asked in order, each knowing how its inputs lie: a convolution wants
 * what is fastest for it, an elementwise op takes what comes. A variable lies as its first reader
 * wants it, so that weights are never reordered on their way in. */
#include "compute/runtime/layout_assignment.h"
#include "compute/runtime/reorder_op.h"
#include <stdlib.h>
#include <string.h>

typedef struct reordered { /* a reorder that exists already */
    uint32_t   symbol;
    stk_format to;
    stk_symbol result;
} reordered;

typedef struct layouter {
    stk_rewrite    rewrite;
    stk_variables *variables;
    bool           plain;
    stk_format    *format; /* by symbol of the new graph */
    uint32_t       format_room;
    reordered     *done;
    uint32_t       done_count, done_room;
} layouter;

/* The new graph grows while it is built; symbols without an entry are plain. */
static stk_status set_format(layouter *l, stk_symbol symbol, stk_format format, stk_error *err)
{
    if (symbol.id >= l->format_room) {
        uint32_t    room = (symbol.id + 1) * 2;
        stk_format *grown = realloc(l->format, room * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "layout", NULL, "no memory");
        memset(grown + l->format_room, 0, (room - l->format_room) * sizeof *grown);
        l->format = grown;
        l->format_room = room;
    }
    l->format[symbol.id] = format;
    return STK_OK;
}

static stk_format format_of(const layouter *l, stk_symbol symbol)
{
    return symbol.id < l->format_room ? l->format[symbol.id] : (stk_format)STK_FORMAT_PLAIN;
}

static stk_status add_reorder(layouter *l, stk_symbol symbol, stk_format to, stk_symbol *out,
                              stk_error *err)
{
    for (uint32_t i = 0; i < l->done_count; i++)
        if (l->done[i].symbol == symbol.id && l->done[i].to == to) {
            *out = l->done[i].result;
            return STK_OK;
        }
    *out = stk_graph_add1(l->rewrite.to, &stk_graph_op_reorder, symbol,
                          &(stk_reorder_attrs){format_of(l, symbol), to});
    STK_TRY(stk_graph_check(l->rewrite.to, err));
    if (l->done_count == l->done_room) {
        uint32_t   room = l->done_room ? l->done_room * 2 : 64;
        reordered *grown = realloc(l->done, room * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "layout", NULL, "no memory");
        l->done = grown;
        l->done_room = room;
    }
    l->done[l->done_count++] = (reordered){symbol.id, to, *out};
    return set_format(l, *out, to, err);
}

/* What stands for symbol in that format: itself, a variable that takes it, or a reorder. */
static stk_status in_format(layouter *l, stk_symbol symbol, stk_format want, stk_symbol *out,
                            stk_error *err)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(l->rewrite.to, symbol);
    *out = symbol;
    if (format_of(l, symbol) == want) return STK_OK;
    if (format_of(l, symbol) == (stk_format)STK_FORMAT_ANY) {
        size_t index = stk_variables_find(l->variables, s->name);
        STK_TRY(stk_variables_place(l->variables, index, want, err));
        return set_format(l, symbol, want, err);
    }
    return add_reorder(l, symbol, want, out, err);
}

typedef struct node_formats {
    stk_format *have, *in;
    stk_format  out[STK_OP_OUTPUTS];
} node_formats;

static stk_status ask_kernel(layouter *l, const stk_graph_node *node, const stk_op_instance *use,
                             node_formats *f, stk_error *err)
{
    stk_device       *device = l->variables->device;
    const stk_kernel *kernel = device->backend->kernel(device, node->op, use);
    if (!kernel)
        return stk_fail(err, STK_E_UNSUPPORTED, node->op->name, node->name,
                        "the backend %s has no kernel for this; the backend ref has all",
                        device->backend->name);
    if (!kernel->formats || (l->plain && !kernel->only_own_formats)) return STK_OK;
    return kernel->formats(device, use, f->have, f->in, f->out, err);
}

/* How the first reader of symbol would have it; STK_FORMAT_PLAIN where it has no wish. */
static stk_status wish_of_reader(layouter *l, const stk_graph_node *after, stk_symbol symbol,
                                 stk_format *wish, stk_error *err)
{
    const stk_graph *from = l->rewrite.from;
    *wish = STK_FORMAT_PLAIN;
    for (const stk_graph_node *node = after + 1; node < from->nodes + from->node_count; node++) {
        int at = 0;
        while (at < node->input_count && node->in[at].id != symbol.id)
            at++;
        if (at == node->input_count) continue;
        size_t               count = (size_t)node->input_count + 1;
        stk_instance_scratch room = {0};
        stk_op_instance      use;
        node_formats f = {.have = calloc(count, sizeof *f.have), .in = calloc(count, sizeof *f.in)};
        stk_status   st = f.have && f.in ? stk_graph_instance(from, node, &room, &use, err)
                                         : stk_fail(err, STK_E_NOMEM, "layout", NULL, "no memory");
        if (!st) f.have[at] = STK_FORMAT_ANY;
        if (!st) st = ask_kernel(l, node, &use, &f, err);
        if (!st) *wish = f.in[at];
        stk_instance_scratch_release(&room);
        free(f.have);
        free(f.in);
        return st;
    }
    return STK_OK;
}

/* Whether the kernel of a node with one input takes it, and leaves its result, in that format. A
 * format may be of one type only, as the blocks of oneDNN's weights are, so a cast cannot keep it.
 */
static stk_status keeps_format(layouter *l, const stk_graph_node *node, stk_format format,
                               bool *keeps, stk_error *err)
{
    stk_format           have[1] = {format}, in[1] = {STK_FORMAT_PLAIN};
    node_formats         f = {.have = have, .in = in};
    stk_instance_scratch room = {0};
    stk_op_instance      use;
    stk_status           st = stk_graph_instance(l->rewrite.from, node, &room, &use, err);
    if (!st) st = ask_kernel(l, node, &use, &f, err);
    stk_instance_scratch_release(&room);
    *keeps = !st && in[0] == format && f.out[0] == format;
    return st;
}

/* Elementwise ops accept any format of their type. If one is the first reader of a variable, the
 * variable gets the format that the result's reader wants. */
static stk_status look_ahead(layouter *l, const stk_graph_node *node, stk_error *err)
{
    stk_symbol variable, unused;
    stk_format wish;
    bool       keeps;
    if (node->input_count != 1 || !(node->op->traits & STK_OP_ELEMENTWISE)) return STK_OK;
    variable = stk_rewrite_symbol(&l->rewrite, node->in[0]);
    if (format_of(l, variable) != (stk_format)STK_FORMAT_ANY || l->plain) return STK_OK;
    STK_TRY(wish_of_reader(l, node, node->out[0], &wish, err));
    if (!wish) return STK_OK;
    STK_TRY(keeps_format(l, node, wish, &keeps, err));
    return keeps ? in_format(l, variable, wish, &unused, err) : STK_OK;
}

static stk_status lay_out_with(layouter *l, const stk_graph_node *node, node_formats *f,
                               stk_symbol *in, stk_instance_scratch *room, stk_error *err)
{
    stk_op_instance use;
    STK_TRY(look_ahead(l, node, err));
    STK_TRY(stk_graph_instance(l->rewrite.from, node, room, &use, err));
    for (int i = 0; i < node->input_count; i++)
        f->have[i] = format_of(l, stk_rewrite_symbol(&l->rewrite, node->in[i]));
    STK_TRY(ask_kernel(l, node, &use, f, err));
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

static stk_status lay_out(layouter *l, const stk_graph_node *node, stk_instance_scratch *room,
                          stk_error *err)
{
    size_t       count = (size_t)node->input_count + 1;
    node_formats f = {.have = calloc(count, sizeof *f.have), .in = calloc(count, sizeof *f.in)};
    stk_symbol  *in = calloc(count, sizeof *in);
    stk_status   st = f.have && f.in && in
                          ? lay_out_with(l, node, &f, in, room, err)
                          : stk_fail(err, STK_E_NOMEM, "layout", node->name, "no memory");
    free(f.have);
    free(f.in);
    free(in);
    return st;
}

static stk_status lay_leaves(layouter *l, stk_error *err)
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

/* What a variable holds after a run lies as the variable does. */
static stk_status lay_assignments(layouter *l, stk_error *err)
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

/* Outputs are read row-major. A variable that is assigned holds something else by then, so that an
 * output of it is a copy. */
static stk_status lay_outputs(layouter *l, stk_error *err)
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

/* One value may be several ends, each in a format of its own: ends are made here, not by what
 * stands for a symbol. */
static stk_status lay_ends(layouter *l, stk_error *err)
{
    l->rewrite.to->phase = STK_PHASE_UPDATE;
    stk_graph_set_path(l->rewrite.to, "");
    STK_TRY(lay_assignments(l, err));
    STK_TRY(lay_outputs(l, err));
    l->rewrite.has_ends = true;
    return STK_OK;
}

static stk_status lay_all(layouter *l, stk_error *err)
{
    const stk_graph     *from = l->rewrite.from;
    stk_instance_scratch room = {0};
    stk_status           st = lay_leaves(l, err);
    for (uint32_t n = 0; n < from->node_count && !st; n++)
        st = lay_out(l, &from->nodes[n], &room, err);
    stk_instance_scratch_release(&room);
    return st ? st : lay_ends(l, err);
}

stk_status stk_layout_assign(const stk_graph *graph, stk_variables *variables, bool plain,
                             stk_layout_assignment *out, stk_error *err)
{
    *out = (stk_layout_assignment){0};
    layouter l = {.variables = variables, .plain = plain};
    STK_TRY(stk_rewrite_begin(&l.rewrite, graph, err));
    stk_status st = lay_all(&l, err);
    if (st)
        stk_rewrite_release(&l.rewrite);
    else
        st = stk_rewrite_finish(&l.rewrite, &out->graph, err);
    if (!st) st = set_format(&l, (stk_symbol){out->graph->symbol_count}, 0, err);
    free(l.done);
    out->format = l.format;
    if (st) stk_layout_assignment_release(out);
    return st;
}

void stk_layout_assignment_release(stk_layout_assignment *laid_out)
{
    stk_graph_free(laid_out->graph);
    free(laid_out->format);
    *laid_out = (stk_layout_assignment){0};
}
