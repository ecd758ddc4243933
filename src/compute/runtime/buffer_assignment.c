/* The memory plan. A room is a piece of memory that one or several symbols use, one after the other
 * or as views; rooms that are never needed at the same time share addresses. */
#include "compute/runtime/buffer_assignment.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct room {
    size_t           bytes, offset;
    uint32_t         first, last; /* nodes between which it is needed */
    stk_memory_class part;
} room;

enum { NO_ROOM = UINT32_MAX };

typedef struct planner {
    const stk_layout_assignment *program;
    const stk_graph             *graph;
    const stk_variables         *variables;
    const size_t                *scratch_bytes;
    stk_buffer_assignment       *plan;
    bool                         reuse;
    uint32_t                    *room_of; /* by symbol */
    uint32_t *last_use; /* by symbol: the last node that reads it; node_count: the end */
    size_t   *variable; /* by symbol: index, of variables */
    room     *rooms;
    uint32_t  room_count;
    uint32_t *order;
} planner;

static size_t round_up(size_t bytes)
{
    return (bytes + STK_ARENA_ALIGNMENT - 1) & ~(size_t)(STK_ARENA_ALIGNMENT - 1);
}

static size_t bytes_of(const planner *p, stk_symbol symbol)
{
    stk_device *device = p->variables->device;
    return device->backend->format_bytes(device, &stk_graph_symbol_of(p->graph, symbol)->type,
                                         p->program->format[symbol.id]);
}

static void find_last_uses(planner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t n = 0; n < g->node_count; n++)
        for (int i = 0; i < g->nodes[n].input_count; i++)
            p->last_use[g->nodes[n].in[i].id] = n;
    for (uint32_t i = 0; i < g->output_count; i++)
        p->last_use[g->outputs[i].symbol.id] = g->node_count;
}

static uint32_t new_room(planner *p, size_t bytes, uint32_t first, uint32_t last,
                         stk_memory_class part)
{
    p->rooms[p->room_count] = (room){round_up(bytes), 0, first, last, part};
    return p->room_count++;
}

/* Inputs are fed between runs and stay: needed always. */
static void place_leaves(planner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++) {
        const stk_graph_symbol *s = &g->symbols[i];
        stk_allocation         *place = &p->plan->place[i];
        p->room_of[i] = NO_ROOM;
        if (s->role == STK_SYMBOL_VARIABLE) {
            p->variable[i] = stk_variables_find(p->variables, s->name);
            *place = (stk_allocation){STK_ALLOCATION_VARIABLE, p->variable[i], 0};
        } else if (s->role == STK_SYMBOL_CONSTANT) {
            *place = (stk_allocation){STK_ALLOCATION_CONSTANT, 0, stk_type_bytes(&s->type)};
        } else if (s->role == STK_SYMBOL_INPUT) {
            p->room_of[i] =
                new_room(p, stk_type_bytes(&s->type), 0, g->node_count, STK_MEMORY_CLASS_INPUTS);
        }
    }
}

/* A variable's next content can be made in its own memory when the op allows it and nobody reads
 * the old content after. */
static bool make_in_variable(planner *p, uint32_t n, int o)
{
    const stk_graph_node *node = &p->graph->nodes[n];
    int                   over = node->op->over[o] - 1;
    if (over < 0 || over >= node->input_count) return false;
    stk_symbol              in = node->in[over];
    const stk_graph_symbol *s = stk_graph_symbol_of(p->graph, in);
    if (s->role != STK_SYMBOL_VARIABLE || s->assigned.id != node->out[o].id) return false;
    if (p->last_use[in.id] != n) return false;
    p->plan->place[node->out[o].id] =
        (stk_allocation){STK_ALLOCATION_VARIABLE, p->variable[in.id], 0};
    p->room_of[node->out[o].id] = NO_ROOM;
    return true;
}

/* The room of an input that this node is the last to need, where the op may write over it. */
static uint32_t room_to_take(const planner *p, uint32_t n, int o, size_t bytes)
{
    const stk_graph_node *node = &p->graph->nodes[n];
    bool                  view = node->op->traits & STK_OP_VIEW;
    int                   over = view ? (o == 0 ? 0 : -1) : node->op->over[o] - 1;
    if (over < 0 || over >= node->input_count || (!p->reuse && !view)) return NO_ROOM;
    stk_symbol in = node->in[over];
    uint32_t   r = p->room_of[in.id];
    if (r == NO_ROOM || bytes_of(p, in) != bytes) return NO_ROOM;
    if (view) return r;
    if (p->program->format[in.id] != p->program->format[node->out[o].id]) return NO_ROOM;
    /* Another input in the same memory would be overwritten while it is read; the same one again
     * is, unless each element is read before it is written. */
    bool elementwise = node->op->traits & STK_OP_ELEMENTWISE;
    for (int i = 0; i < node->input_count; i++)
        if (i != over && p->room_of[node->in[i].id] == r &&
            (node->in[i].id != in.id || !elementwise))
            return NO_ROOM;
    return p->rooms[r].last <= n && p->rooms[r].part != STK_MEMORY_CLASS_INPUTS ? r : NO_ROOM;
}

static void place_results(planner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const stk_graph_node *node = &g->nodes[n];
        stk_memory_class      part = node->phase == STK_PHASE_FORWARD ? STK_MEMORY_CLASS_ACTIVATIONS
                                                                      : STK_MEMORY_CLASS_GRADIENTS;
        for (int o = 0; o < node->output_count; o++) {
            uint32_t id = node->out[o].id, last = p->last_use[id] > n ? p->last_use[id] : n;
            if (make_in_variable(p, n, o)) continue;
            size_t   bytes = bytes_of(p, node->out[o]);
            uint32_t r = room_to_take(p, n, o, bytes);
            if (r == NO_ROOM) r = new_room(p, bytes, n, last, part);
            if (p->rooms[r].last < last) p->rooms[r].last = last;
            p->room_of[id] = r;
        }
    }
}

/* Whoever reads a view reads its source. */
static void extend_views(planner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t n = g->node_count; n-- > 0;) {
        const stk_graph_node *node = &g->nodes[n];
        if (!(node->op->traits & STK_OP_VIEW)) continue;
        uint32_t *in = &p->last_use[node->in[0].id], out = p->last_use[node->out[0].id];
        if (*in < out) *in = out;
    }
}

static void make_scratch(planner *p, uint32_t *first_scratch)
{
    *first_scratch = p->room_count;
    for (uint32_t n = 0; n < p->graph->node_count; n++)
        new_room(p, p->scratch_bytes[n], n, n, STK_MEMORY_CLASS_WORKSPACE);
}

static bool overlap(const room *a, const room *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The smallest gap between rooms that are needed at the same time, else the end of them. */
static size_t find_gap(const room *wanted, room **others, size_t count)
{
    size_t best = SIZE_MAX, best_gap = SIZE_MAX, end = 0;
    for (size_t i = 0; i < count; i++) {
        if (others[i]->offset > end) {
            size_t gap = others[i]->offset - end;
            if (gap >= wanted->bytes && gap < best_gap) best = end, best_gap = gap;
        }
        size_t after = others[i]->offset + others[i]->bytes;
        if (after > end) end = after;
    }
    return best == SIZE_MAX ? end : best;
}

static int by_size(const void *a, const void *b, void *rooms_)
{
    const room *rooms = rooms_, *x = &rooms[*(const uint32_t *)a],
               *y = &rooms[*(const uint32_t *)b];
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : 0;
}

static int by_offset(const void *a, const void *b)
{
    const room *x = *(room *const *)a, *y = *(room *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Large rooms first, each into the tightest gap left by those that are placed: within a few percent
 * of the peak in practice, and the same result every time. */
static stk_status pack(planner *p, stk_error *err)
{
    room **busy = malloc(((size_t)p->room_count + 1) * sizeof *busy);
    if (!busy) return stk_fail(err, STK_E_NOMEM, "memory plan", NULL, "no memory");
    for (uint32_t i = 0; i < p->room_count; i++)
        p->order[i] = i;
    qsort_r(p->order, p->room_count, sizeof *p->order, by_size, p->rooms);
    for (uint32_t i = 0; i < p->room_count; i++) {
        room  *r = &p->rooms[p->order[i]];
        size_t count = 0;
        for (uint32_t j = 0; j < i; j++) {
            room *other = &p->rooms[p->order[j]];
            if (other->bytes && (!p->reuse || overlap(r, other))) busy[count++] = other;
        }
        qsort(busy, count, sizeof *busy, by_offset);
        r->offset = r->bytes ? find_gap(r, busy, count) : 0;
        if (r->offset + r->bytes > p->plan->arena) p->plan->arena = r->offset + r->bytes;
        p->plan->report.without_reuse += r->bytes;
    }
    free(busy);
    return STK_OK;
}

static void report_peak(planner *p)
{
    stk_memory_plan *report = &p->plan->report;
    uint64_t         best = 0;
    for (uint32_t n = 0; n < p->graph->node_count; n++) {
        uint64_t part[STK_MEMORY_CLASS_COUNT] = {0}, sum = 0;
        for (uint32_t i = 0; i < p->room_count; i++)
            if (p->rooms[i].first <= n && n <= p->rooms[i].last) {
                part[p->rooms[i].part] += p->rooms[i].bytes;
                sum += p->rooms[i].bytes;
            }
        if (sum <= best) continue;
        best = sum;
        memcpy(report->part, part, sizeof part);
        snprintf(report->peak_at, sizeof report->peak_at, "%s%s%s", p->graph->nodes[n].op->name,
                 *p->graph->nodes[n].name ? " " : "", p->graph->nodes[n].name);
    }
    static const stk_memory_class of_role[STK_VARIABLE_ROLES] = {
        STK_MEMORY_CLASS_PARAMETERS, STK_MEMORY_CLASS_STATISTICS, STK_MEMORY_CLASS_OPTIMIZER,
        STK_MEMORY_CLASS_STATISTICS, STK_MEMORY_CLASS_INPUTS};
    for (size_t i = 0; i < p->variables->count; i++) {
        const stk_variable *v = &p->variables->list[i];
        report->part[of_role[v->options.role]] += v->bytes;
        report->fixed += v->bytes;
    }
    report->arena = p->plan->arena;
}

static void fill_places(planner *p, uint32_t first_scratch)
{
    for (uint32_t i = 1; i < p->graph->symbol_count; i++)
        if (p->room_of[i] != NO_ROOM)
            p->plan->place[i] =
                (stk_allocation){STK_ALLOCATION_ARENA, p->rooms[p->room_of[i]].offset,
                                 p->rooms[p->room_of[i]].bytes};
    for (uint32_t n = 0; n < p->graph->node_count; n++)
        p->plan->scratch[n] = p->rooms[first_scratch + n].offset;
}

static void find_copies(planner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++) {
        stk_symbol value = g->symbols[i].assigned;
        if (!value.id) continue;
        const stk_allocation *place = &p->plan->place[value.id];
        if (place->kind == STK_ALLOCATION_VARIABLE && place->offset == p->variable[i]) continue;
        p->plan->copies[p->plan->copy_count++] =
            (stk_buffer_assignment_copy){p->variable[i], value};
    }
}

/* Values to copy into variables are needed until the end. */
static void keep_assigned(planner *p)
{
    const stk_graph *g = p->graph;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (g->symbols[i].assigned.id) p->last_use[g->symbols[i].assigned.id] = g->node_count;
}

static stk_status allocate(planner *p, stk_error *err)
{
    size_t symbols = p->graph->symbol_count, nodes = p->graph->node_count;
    p->room_of = calloc(symbols, sizeof *p->room_of);
    p->last_use = calloc(symbols, sizeof *p->last_use);
    p->variable = calloc(symbols, sizeof *p->variable);
    p->rooms = calloc(symbols + nodes + 1, sizeof *p->rooms);
    p->order = calloc(symbols + nodes + 1, sizeof *p->order);
    p->plan->place = calloc(symbols, sizeof *p->plan->place);
    p->plan->scratch = calloc(nodes + 1, sizeof *p->plan->scratch);
    p->plan->copies = calloc(symbols, sizeof *p->plan->copies);
    if (p->room_of && p->last_use && p->variable && p->rooms && p->order && p->plan->place &&
        p->plan->scratch && p->plan->copies)
        return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "memory plan", NULL, "no memory for %zu symbols", symbols);
}

static stk_status make(planner *p, stk_error *err)
{
    uint32_t first_scratch;
    STK_TRY(allocate(p, err));
    for (size_t i = 0; i < p->graph->symbol_count; i++)
        p->room_of[i] = NO_ROOM;
    find_last_uses(p);
    keep_assigned(p);
    extend_views(p);
    place_leaves(p);
    place_results(p);
    find_copies(p);
    make_scratch(p, &first_scratch);
    STK_TRY(pack(p, err));
    fill_places(p, first_scratch);
    report_peak(p);
    return STK_OK;
}

stk_status stk_buffer_assignment_make(stk_buffer_assignment       *plan,
                                      const stk_layout_assignment *program,
                                      const stk_variables *variables, const size_t *scratch_bytes,
                                      bool reuse, stk_error *err)
{
    *plan = (stk_buffer_assignment){0};
    planner    p = {.program = program,
                    .graph = program->graph,
                    .variables = variables,
                    .scratch_bytes = scratch_bytes,
                    .plan = plan,
                    .reuse = reuse};
    stk_status st = make(&p, err);
    free(p.room_of);
    free(p.last_use);
    free(p.variable);
    free(p.rooms);
    free(p.order);
    if (st) stk_buffer_assignment_release(plan);
    return st;
}

void stk_buffer_assignment_release(stk_buffer_assignment *plan)
{
    free(plan->place);
    free(plan->scratch);
    free(plan->copies);
    *plan = (stk_buffer_assignment){0};
}

const char *stk_memory_class_name(stk_memory_class part)
{
    static const char *const names[STK_MEMORY_CLASS_COUNT] = {
        "parameters", "optimizer", "statistics", "inputs", "activations", "gradients", "workspace"};
    return names[part];
}
