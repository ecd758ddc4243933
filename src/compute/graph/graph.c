/* Tables of a graph: symbols, variables, outputs, names. Nodes are in graph_node.c. */
#include "base/checked.h"
#include "compute/graph/graph_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_CAPACITY = 64, SYMBOLS_MAX = 1 << 24 };

static stk_status grow(void **table, uint32_t count, uint32_t *capacity, size_t size,
                       stk_error *err)
{
    if (count < *capacity) return STK_OK;
    uint32_t grown_capacity = *capacity ? *capacity * 2 : INITIAL_CAPACITY;
    if (grown_capacity > SYMBOLS_MAX)
        return stk_fail(err, STK_E_LIMIT, "graph", NULL, "more than %d symbols", SYMBOLS_MAX / 2);
    void *grown = realloc(*table, grown_capacity * size);
    if (!grown)
        return stk_fail(err, STK_E_NOMEM, "graph", NULL, "no memory for %u entries",
                        grown_capacity);
    *table = grown;
    *capacity = grown_capacity;
    return STK_OK;
}

stk_status stk_graph_new(stk_graph **out, const stk_graph_options *options, stk_error *err)
{
    *out = NULL;
    stk_graph *graph = calloc(1, sizeof *graph);
    if (!graph) return stk_fail(err, STK_E_NOMEM, "graph", NULL, "no memory for a graph");
    if (options) graph->options = *options;
    if (!graph->options.layout) graph->options.layout = STK_LAYOUT_NHWC;
    stk_arena_init(&graph->arena, graph->options.ledger, STK_MEMORY_INDEX);
    stk_status st =
        grow((void **)&graph->symbols, 0, &graph->symbol_capacity, sizeof *graph->symbols, err);
    if (st) {
        stk_graph_free(graph);
        return st;
    }
    graph->symbols[0] = (stk_graph_symbol){.name = ""};
    graph->symbol_count = 1;
    *out = graph;
    return STK_OK;
}

void stk_graph_free(stk_graph *graph)
{
    if (!graph) return;
    free(graph->nodes);
    free(graph->symbols);
    free(graph->outputs);
    stk_arena_release(&graph->arena);
    free(graph);
}

stk_status stk_graph_check(const stk_graph *graph, stk_error *err)
{
    if (graph->error.status && err) *err = graph->error;
    return graph->error.status;
}

stk_layout stk_graph_layout(const stk_graph *graph)
{
    return graph->options.layout;
}

stk_symbol stk_graph_fail(stk_graph *graph, stk_status status, const char *component,
                          const char *where, const char *format, ...)
{
    if (graph->error.status) return STK_NO_SYMBOL;
    char    message[sizeof graph->error.message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)stk_fail(&graph->error, status, component, where, "%s", message);
    return STK_NO_SYMBOL;
}

const char *stk_graph_text(stk_graph *graph, const char *text)
{
    stk_error   err;
    const char *copy = stk_arena_text(&graph->arena, text, strlen(text), &err);
    if (!copy && !graph->error.status) graph->error = err;
    return copy;
}

void stk_graph_push_scope(stk_graph *graph, const char *name)
{
    size_t length = strlen(name), capacity = sizeof graph->path - (size_t)graph->path_length;
    if (length + 2 > capacity) {
        stk_graph_fail(graph, STK_E_LIMIT, "graph", graph->path,
                       "a path of more than %zu bytes with \"%s\"", sizeof graph->path - 2, name);
        return;
    }
    int added = snprintf(graph->path + graph->path_length, capacity, "%s%s",
                         graph->path_length ? "." : "", name);
    graph->path_length += added;
}

void stk_graph_pop_scope(stk_graph *graph)
{
    char *dot = strrchr(graph->path, '.');
    graph->path_length = dot ? (int)(dot - graph->path) : 0;
    graph->path[graph->path_length] = 0;
}

void stk_graph_set_path(stk_graph *graph, const char *path)
{
    graph->path_length = (int)strlen(path);
    memcpy(graph->path, path, (size_t)graph->path_length + 1);
}

const stk_graph_symbol *stk_graph_symbol_of(const stk_graph *graph, stk_symbol symbol)
{
    return &graph->symbols[symbol.id < graph->symbol_count ? symbol.id : 0];
}

stk_dtype stk_symbol_dtype(const stk_graph *graph, stk_symbol symbol)
{
    return stk_graph_symbol_of(graph, symbol)->type.dtype;
}

stk_shape stk_symbol_shape(const stk_graph *graph, stk_symbol symbol)
{
    return stk_graph_symbol_of(graph, symbol)->type.shape;
}

const char *stk_symbol_name(const stk_graph *graph, stk_symbol symbol)
{
    return stk_graph_symbol_of(graph, symbol)->name;
}

/* Checks sizes once, so that later products of dimensions cannot overflow. */
static stk_status check_type(const stk_tensor_type *type, const char *name, stk_error *err)
{
    int64_t count, bytes;
    if (type->dtype == STK_DTYPE_NONE || type->dtype == STK_DTYPE_BYTES)
        return stk_fail(err, STK_E_TYPE, "graph", name, "a tensor of %s cannot be computed with",
                        stk_dtype_name(type->dtype));
    STK_TRY(stk_shape_count(&type->shape, &count, err));
    if (stk_mul_overflows_i64(count, (int64_t)stk_dtype_bytes(type->dtype), &bytes))
        return stk_fail(err, STK_E_SHAPE, "graph", name, "more than 2^63 bytes");
    return STK_OK;
}

static stk_symbol add_symbol(stk_graph *graph, const stk_graph_symbol *symbol)
{
    stk_error  err;
    stk_status st = check_type(&symbol->type, symbol->name, &err);
    if (!st)
        st = grow((void **)&graph->symbols, graph->symbol_count, &graph->symbol_capacity,
                  sizeof *graph->symbols, &err);
    if (st) {
        if (!graph->error.status) graph->error = err;
        return STK_NO_SYMBOL;
    }
    graph->symbols[graph->symbol_count] = *symbol;
    return (stk_symbol){graph->symbol_count++};
}

stk_symbol stk_graph_result_symbol(stk_graph *graph, const stk_tensor_type *type, const char *name,
                                   uint32_t node, int output)
{
    return add_symbol(graph, &(stk_graph_symbol){.type = *type,
                                                 .role = STK_SYMBOL_RESULT,
                                                 .name = name,
                                                 .node = node,
                                                 .output = output});
}

static bool name_is_free(stk_graph *graph, const char *name, stk_symbol_role role)
{
    for (uint32_t i = 1; i < graph->symbol_count; i++)
        if (graph->symbols[i].role == role && strcmp(graph->symbols[i].name, name) == 0) {
            stk_graph_fail(graph, STK_E_EXISTS, "graph", name, "this name is taken already");
            return false;
        }
    return true;
}

/* Adds a symbol without a producer. Names of variables carry the scope path; names of inputs do
 * not, since callers feed them. */
static stk_symbol add_named(stk_graph *graph, const char *name, stk_graph_symbol *symbol)
{
    if (graph->error.status) return STK_NO_SYMBOL;
    char        full[512];
    const char *dot = graph->path_length ? "." : "";
    bool        path = symbol->role == STK_SYMBOL_VARIABLE;
    snprintf(full, sizeof full, "%s%s%s", path ? graph->path : "", path ? dot : "", name);
    if (symbol->role != STK_SYMBOL_CONSTANT && !name_is_free(graph, full, symbol->role))
        return STK_NO_SYMBOL;
    if (symbol->role == STK_SYMBOL_VARIABLE && graph->options.adjust)
        graph->options.adjust(graph->options.adjust_context, full, &symbol->variable);
    symbol->name = stk_graph_text(graph, full);
    return symbol->name ? add_symbol(graph, symbol) : STK_NO_SYMBOL;
}

stk_symbol stk_graph_input(stk_graph *graph, const char *name, stk_dtype dtype, stk_shape shape)
{
    return add_named(graph, name,
                     &(stk_graph_symbol){.type = {dtype, shape}, .role = STK_SYMBOL_INPUT});
}

stk_symbol stk_graph_constant(stk_graph *graph, const char *name, stk_dtype dtype, stk_shape shape,
                              const void *data)
{
    stk_graph_symbol symbol = {.type = {dtype, shape}, .role = STK_SYMBOL_CONSTANT};
    stk_error        err;
    stk_status       st = check_type(&symbol.type, name, &err);
    if (!st) {
        size_t bytes = stk_type_bytes(&symbol.type);
        void  *copy = stk_arena_alloc(&graph->arena, bytes ? bytes : 1, &err);
        if (copy) memcpy(copy, data, bytes);
        symbol.data = copy;
        st = copy ? STK_OK : err.status;
    }
    if (st) {
        if (!graph->error.status) graph->error = err;
        return STK_NO_SYMBOL;
    }
    return add_named(graph, name, &symbol);
}

stk_symbol stk_graph_variable(stk_graph *graph, const char *name, stk_dtype dtype, stk_shape shape,
                              const stk_variable_options *options)
{
    stk_graph_symbol symbol = {.type = {dtype, shape}, .role = STK_SYMBOL_VARIABLE};
    if (options) symbol.variable = *options;
    if (symbol.variable.rate == 0) symbol.variable.rate = 1;
    return add_named(graph, name, &symbol);
}

void stk_graph_assign(stk_graph *graph, stk_symbol variable, stk_symbol value)
{
    if (graph->error.status) return;
    stk_graph_symbol *to = &graph->symbols[variable.id < graph->symbol_count ? variable.id : 0];
    const stk_graph_symbol *from = stk_graph_symbol_of(graph, value);
    char                    a[96], b[96];
    if (to->role != STK_SYMBOL_VARIABLE) {
        stk_graph_fail(graph, STK_E_INVALID, "assign", to->name, "only variables can be assigned");
    } else if (from->role == STK_SYMBOL_VARIABLE) {
        stk_graph_fail(graph, STK_E_INVALID, "assign", to->name,
                       "the value is the variable %s itself; assign a result (stk_scale copies)",
                       from->name);
    } else if (to->assigned.id) {
        stk_graph_fail(graph, STK_E_EXISTS, "assign", to->name, "it is assigned already");
    } else if (to->type.dtype != from->type.dtype ||
               !stk_shape_equal(&to->type.shape, &from->type.shape)) {
        stk_graph_fail(
            graph, STK_E_SHAPE, "assign", to->name, "the variable is %s%s but the value is %s%s",
            stk_dtype_name(to->type.dtype), stk_shape_text(&to->type.shape, a, sizeof a),
            stk_dtype_name(from->type.dtype), stk_shape_text(&from->type.shape, b, sizeof b));
    } else {
        to->assigned = value;
    }
}

void stk_graph_output(stk_graph *graph, const char *name, stk_symbol symbol)
{
    if (graph->error.status) return;
    for (uint32_t i = 0; i < graph->output_count; i++)
        if (strcmp(graph->outputs[i].name, name) == 0) {
            stk_graph_fail(graph, STK_E_EXISTS, "graph", name, "an output has this name already");
            return;
        }
    if (stk_symbol_is_none(symbol)) {
        stk_graph_fail(graph, STK_E_INVALID, "graph", name, "an output of no symbol");
        return;
    }
    stk_error  err;
    stk_status st = grow((void **)&graph->outputs, graph->output_count, &graph->output_capacity,
                         sizeof *graph->outputs, &err);
    if (st) graph->error = err;
    const char *copy = st ? NULL : stk_graph_text(graph, name);
    if (copy) graph->outputs[graph->output_count++] = (stk_graph_result){copy, symbol};
}

stk_status stk_graph_grow_nodes(stk_graph *graph, stk_error *err)
{
    return grow((void **)&graph->nodes, graph->node_count, &graph->node_capacity,
                sizeof *graph->nodes, err);
}

size_t stk_graph_variable_count(const stk_graph *graph)
{
    size_t count = 0;
    for (uint32_t i = 1; i < graph->symbol_count; i++)
        count += graph->symbols[i].role == STK_SYMBOL_VARIABLE;
    return count;
}

stk_graph_variable_info stk_graph_variable_at(const stk_graph *graph, size_t index)
{
    for (uint32_t i = 1; i < graph->symbol_count; i++) {
        const stk_graph_symbol *s = &graph->symbols[i];
        if (s->role == STK_SYMBOL_VARIABLE && index-- == 0)
            return (stk_graph_variable_info){
                {i}, s->name, s->type.dtype, s->type.shape, s->variable};
    }
    return (stk_graph_variable_info){.name = ""};
}
