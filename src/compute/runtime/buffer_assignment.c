/* Buffer assignment. A buffer holds one symbol or several aliases (views, in-place results).
 * Buffers with disjoint live ranges share arena offsets. */
#include "compute/runtime/buffer_assignment.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct buffer {
    size_t           bytes, offset;
    uint32_t         first, last; /* live range, in nodes */
    stk_memory_class kind;
} buffer;

enum { NO_BUFFER = UINT32_MAX };

typedef struct assigner {
    const stk_layout_assignment *program;
    const stk_graph             *graph;
    const stk_variables         *variables;
    const size_t                *scratch_bytes;
    stk_buffer_assignment       *assignment;
    bool                         reuse;
    uint32_t                    *buffer_of; /* by symbol */
    uint32_t *last_use; /* by symbol: last node that reads it; node_count: live to the end */
    size_t   *variable; /* by symbol: index of the variable */
    buffer   *buffers;
    uint32_t  buffer_count;
    uint32_t *order;
} assigner;

static size_t round_up(size_t bytes)
{
    return (bytes + STK_ARENA_ALIGNMENT - 1) & ~(size_t)(STK_ARENA_ALIGNMENT - 1);
}

static size_t bytes_of(const assigner *p, stk_symbol symbol)
{
    stk_device *device = p->variables->device;
    return device->backend->format_bytes(device, &stk_graph_symbol_of(p->graph, symbol)->type,
                                         p->program->format[symbol.id]);
}

static void find_last_uses(assigner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t n = 0; n < g->node_count; n++)
        for (int i = 0; i < g->nodes[n].input_count; i++)
            p->last_use[g->nodes[n].in[i].id] = n;
    for (uint32_t i = 0; i < g->output_count; i++)
        p->last_use[g->outputs[i].symbol.id] = g->node_count;
}

static uint32_t new_buffer(assigner *p, size_t bytes, uint32_t first, uint32_t last,
                           stk_memory_class kind)
{
    p->buffers[p->buffer_count] = (buffer){round_up(bytes), 0, first, last, kind};
    return p->buffer_count++;
}

/* Inputs keep their value between runs, so they are live throughout. */
static void assign_leaves(assigner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++) {
        const stk_graph_symbol *s = &g->symbols[i];
        stk_allocation         *allocation = &p->assignment->allocation[i];
        p->buffer_of[i] = NO_BUFFER;
        if (s->role == STK_SYMBOL_VARIABLE) {
            p->variable[i] = stk_variables_find(p->variables, s->name);
            *allocation = (stk_allocation){STK_ALLOCATION_VARIABLE, p->variable[i], 0};
        } else if (s->role == STK_SYMBOL_CONSTANT) {
            *allocation = (stk_allocation){STK_ALLOCATION_CONSTANT, 0, stk_type_bytes(&s->type)};
        } else if (s->role == STK_SYMBOL_INPUT) {
            p->buffer_of[i] =
                new_buffer(p, stk_type_bytes(&s->type), 0, g->node_count, STK_MEMORY_CLASS_INPUTS);
        }
    }
}

/* The next value of a variable is computed in place if the op allows it and no later node reads the
 * old value. */
static bool assign_to_variable(assigner *p, uint32_t n, int o)
{
    const stk_graph_node *node = &p->graph->nodes[n];
    int                   inplace = node->op->inplace[o] - 1;
    if (inplace < 0 || inplace >= node->input_count) return false;
    stk_symbol              in = node->in[inplace];
    const stk_graph_symbol *s = stk_graph_symbol_of(p->graph, in);
    if (s->role != STK_SYMBOL_VARIABLE || s->assigned.id != node->out[o].id) return false;
    if (p->last_use[in.id] != n) return false;
    p->assignment->allocation[node->out[o].id] =
        (stk_allocation){STK_ALLOCATION_VARIABLE, p->variable[in.id], 0};
    p->buffer_of[node->out[o].id] = NO_BUFFER;
    return true;
}

/* The buffer of an input that dies at this node and that the op may overwrite. */
static uint32_t reusable_buffer(const assigner *p, uint32_t n, int o, size_t bytes)
{
    const stk_graph_node *node = &p->graph->nodes[n];
    bool                  view = node->op->traits & STK_OP_VIEW;
    int                   inplace = view ? (o == 0 ? 0 : -1) : node->op->inplace[o] - 1;
    if (inplace < 0 || inplace >= node->input_count || (!p->reuse && !view)) return NO_BUFFER;
    stk_symbol in = node->in[inplace];
    uint32_t   r = p->buffer_of[in.id];
    if (r == NO_BUFFER || bytes_of(p, in) != bytes) return NO_BUFFER;
    if (view) return r;
    if (p->program->format[in.id] != p->program->format[node->out[o].id]) return NO_BUFFER;
    /* Another input in this buffer would be overwritten before it is read. The same symbol twice is
     * safe only if the op is elementwise. */
    bool elementwise = node->op->traits & STK_OP_ELEMENTWISE;
    for (int i = 0; i < node->input_count; i++)
        if (i != inplace && p->buffer_of[node->in[i].id] == r &&
            (node->in[i].id != in.id || !elementwise))
            return NO_BUFFER;
    return p->buffers[r].last <= n && p->buffers[r].kind != STK_MEMORY_CLASS_INPUTS ? r : NO_BUFFER;
}

static void assign_results(assigner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const stk_graph_node *node = &g->nodes[n];
        stk_memory_class      kind = node->phase == STK_PHASE_FORWARD ? STK_MEMORY_CLASS_ACTIVATIONS
                                                                      : STK_MEMORY_CLASS_GRADIENTS;
        for (int o = 0; o < node->output_count; o++) {
            uint32_t id = node->out[o].id, last = p->last_use[id] > n ? p->last_use[id] : n;
            if (assign_to_variable(p, n, o)) continue;
            size_t   bytes = bytes_of(p, node->out[o]);
            uint32_t r = reusable_buffer(p, n, o, bytes);
            if (r == NO_BUFFER) r = new_buffer(p, bytes, n, last, kind);
            if (p->buffers[r].last < last) p->buffers[r].last = last;
            p->buffer_of[id] = r;
        }
    }
}

/* A view keeps its source alive. */
static void extend_views(assigner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t n = g->node_count; n-- > 0;) {
        const stk_graph_node *node = &g->nodes[n];
        if (!(node->op->traits & STK_OP_VIEW)) continue;
        uint32_t *in = &p->last_use[node->in[0].id], out = p->last_use[node->out[0].id];
        if (*in < out) *in = out;
    }
}

static void make_scratch(assigner *p, uint32_t *first_scratch)
{
    *first_scratch = p->buffer_count;
    for (uint32_t n = 0; n < p->graph->node_count; n++)
        new_buffer(p, p->scratch_bytes[n], n, n, STK_MEMORY_CLASS_WORKSPACE);
}

static bool overlap(const buffer *a, const buffer *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Best fit: the smallest gap between live buffers that is large enough, else the end of the
 * last. */
static size_t find_gap(const buffer *placed, buffer **others, size_t count)
{
    size_t best = SIZE_MAX, best_gap = SIZE_MAX, end = 0;
    for (size_t i = 0; i < count; i++) {
        if (others[i]->offset > end) {
            size_t gap = others[i]->offset - end;
            if (gap >= placed->bytes && gap < best_gap) best = end, best_gap = gap;
        }
        size_t after = others[i]->offset + others[i]->bytes;
        if (after > end) end = after;
    }
    return best == SIZE_MAX ? end : best;
}

static int by_size(const void *a, const void *b, void *buffers_)
{
    const buffer *buffers = buffers_, *x = &buffers[*(const uint32_t *)a],
                 *y = &buffers[*(const uint32_t *)b];
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : 0;
}

static int by_offset(const void *a, const void *b)
{
    const buffer *x = *(buffer *const *)a, *y = *(buffer *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Largest buffers first, best fit. Results are deterministic, and in practice within a few percent
 * of the peak of live memory. */
static stk_status pack(assigner *p, stk_error *err)
{
    buffer **busy = malloc(((size_t)p->buffer_count + 1) * sizeof *busy);
    if (!busy) return stk_fail(err, STK_E_NOMEM, "memory plan", NULL, "no memory");
    for (uint32_t i = 0; i < p->buffer_count; i++)
        p->order[i] = i;
    qsort_r(p->order, p->buffer_count, sizeof *p->order, by_size, p->buffers);
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        buffer *r = &p->buffers[p->order[i]];
        size_t  count = 0;
        for (uint32_t j = 0; j < i; j++) {
            buffer *other = &p->buffers[p->order[j]];
            if (other->bytes && (!p->reuse || overlap(r, other))) busy[count++] = other;
        }
        qsort(busy, count, sizeof *busy, by_offset);
        r->offset = r->bytes ? find_gap(r, busy, count) : 0;
        if (r->offset + r->bytes > p->assignment->arena)
            p->assignment->arena = r->offset + r->bytes;
        p->assignment->report.without_reuse += r->bytes;
    }
    free(busy);
    return STK_OK;
}

static void report_peak(assigner *p)
{
    stk_memory_plan *report = &p->assignment->report;
    uint64_t         best = 0;
    for (uint32_t n = 0; n < p->graph->node_count; n++) {
        uint64_t bytes[STK_MEMORY_CLASS_COUNT] = {0}, sum = 0;
        for (uint32_t i = 0; i < p->buffer_count; i++)
            if (p->buffers[i].first <= n && n <= p->buffers[i].last) {
                bytes[p->buffers[i].kind] += p->buffers[i].bytes;
                sum += p->buffers[i].bytes;
            }
        if (sum <= best) continue;
        best = sum;
        memcpy(report->bytes, bytes, sizeof bytes);
        snprintf(report->peak_at, sizeof report->peak_at, "%s%s%s", p->graph->nodes[n].op->name,
                 *p->graph->nodes[n].name ? " " : "", p->graph->nodes[n].name);
    }
    static const stk_memory_class of_role[STK_VARIABLE_ROLES] = {
        STK_MEMORY_CLASS_PARAMETERS, STK_MEMORY_CLASS_STATISTICS, STK_MEMORY_CLASS_OPTIMIZER,
        STK_MEMORY_CLASS_STATISTICS, STK_MEMORY_CLASS_INPUTS};
    for (size_t i = 0; i < p->variables->count; i++) {
        const stk_variable *v = &p->variables->list[i];
        report->bytes[of_role[v->options.role]] += v->bytes;
        report->fixed += v->bytes;
    }
    report->arena = p->assignment->arena;
}

static void fill_allocations(assigner *p, uint32_t first_scratch)
{
    for (uint32_t i = 1; i < p->graph->symbol_count; i++)
        if (p->buffer_of[i] != NO_BUFFER)
            p->assignment->allocation[i] =
                (stk_allocation){STK_ALLOCATION_ARENA, p->buffers[p->buffer_of[i]].offset,
                                 p->buffers[p->buffer_of[i]].bytes};
    for (uint32_t n = 0; n < p->graph->node_count; n++)
        p->assignment->scratch[n] = p->buffers[first_scratch + n].offset;
}

static void find_copies(assigner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++) {
        stk_symbol value = g->symbols[i].assigned;
        if (!value.id) continue;
        const stk_allocation *allocation = &p->assignment->allocation[value.id];
        if (allocation->kind == STK_ALLOCATION_VARIABLE && allocation->offset == p->variable[i])
            continue;
        p->assignment->copies[p->assignment->copy_count++] =
            (stk_buffer_assignment_copy){p->variable[i], value};
    }
}

/* Values that are copied to variables are live until the end. */
static void keep_assigned(assigner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (g->symbols[i].assigned.id) p->last_use[g->symbols[i].assigned.id] = g->node_count;
}

static stk_status allocate(assigner *p, stk_error *err)
{
    size_t symbols = p->graph->symbol_count, nodes = p->graph->node_count;
    p->buffer_of = calloc(symbols, sizeof *p->buffer_of);
    p->last_use = calloc(symbols, sizeof *p->last_use);
    p->variable = calloc(symbols, sizeof *p->variable);
    p->buffers = calloc(symbols + nodes + 1, sizeof *p->buffers);
    p->order = calloc(symbols + nodes + 1, sizeof *p->order);
    p->assignment->allocation = calloc(symbols, sizeof *p->assignment->allocation);
    p->assignment->scratch = calloc(nodes + 1, sizeof *p->assignment->scratch);
    p->assignment->copies = calloc(symbols, sizeof *p->assignment->copies);
    if (p->buffer_of && p->last_use && p->variable && p->buffers && p->order &&
        p->assignment->allocation && p->assignment->scratch && p->assignment->copies)
        return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "memory plan", NULL, "no memory for %zu symbols", symbols);
}

static stk_status make(assigner *p, stk_error *err)
{
    uint32_t first_scratch;
    STK_TRY(allocate(p, err));
    for (size_t i = 0; i < p->graph->symbol_count; i++)
        p->buffer_of[i] = NO_BUFFER;
    find_last_uses(p);
    keep_assigned(p);
    extend_views(p);
    assign_leaves(p);
    assign_results(p);
    find_copies(p);
    make_scratch(p, &first_scratch);
    STK_TRY(pack(p, err));
    fill_allocations(p, first_scratch);
    report_peak(p);
    return STK_OK;
}

stk_status stk_buffer_assignment_make(stk_buffer_assignment       *assignment,
                                      const stk_layout_assignment *program,
                                      const stk_variables *variables, const size_t *scratch_bytes,
                                      bool reuse, stk_error *err)
{
    *assignment = (stk_buffer_assignment){0};
    assigner   p = {.program = program,
                    .graph = program->graph,
                    .variables = variables,
                    .scratch_bytes = scratch_bytes,
                    .assignment = assignment,
                    .reuse = reuse};
    stk_status st = make(&p, err);
    free(p.buffer_of);
    free(p.last_use);
    free(p.variable);
    free(p.buffers);
    free(p.order);
    if (st) stk_buffer_assignment_release(assignment);
    return st;
}

void stk_buffer_assignment_release(stk_buffer_assignment *assignment)
{
    free(assignment->allocation);
    free(assignment->scratch);
    free(assignment->copies);
    *assignment = (stk_buffer_assignment){0};
}

const char *stk_memory_class_name(stk_memory_class kind)
{
    static const char *const names[STK_MEMORY_CLASS_COUNT] = {
        "parameters", "optimizer", "statistics", "inputs", "activations", "gradients", "workspace"};
    return names[kind];
}
