/* Automatic differentiation, graph to graph: visits nodes in reverse from the loss. Each op's rule
 * adds the operations that propagate the gradients of its outputs to its inputs. */
#include "compute/graph/gradients.h"
#include <stdlib.h>
#include <stoker/ops.h>
#include <string.h>

struct stk_grad_sink {
    stk_graph  *graph;
    stk_symbol *sum;   /* by symbol: accumulated gradient */
    uint32_t    count; /* symbols before the first gradient */
    uint32_t    nodes; /* nodes before the first gradient */
};

void stk_sink_add(stk_grad_sink *sink, stk_symbol symbol, stk_symbol gradient)
{
    if (stk_symbol_is_none(symbol) || stk_symbol_is_none(gradient) || symbol.id >= sink->count)
        return;
    stk_symbol *sum = &sink->sum[symbol.id];
    *sum = stk_symbol_is_none(*sum) ? gradient : stk_add(sink->graph, *sum, gradient);
}

bool stk_graph_producer(const stk_graph *graph, stk_symbol symbol, stk_graph_node *node)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(graph, symbol);
    if (symbol.id == 0 || s->role != STK_SYMBOL_RESULT) return false;
    *node = graph->nodes[s->node];
    return true;
}

static bool has_gradient(const stk_grad_sink *sink, const stk_graph_node *node)
{
    for (int o = 0; o < node->output_count; o++)
        if (!stk_symbol_is_none(sink->sum[node->out[o].id])) return true;
    return false;
}

/* needed[s]: a symbol in `of` reaches s. No gradient is computed elsewhere: not for the image of
 * the first convolution, nor for frozen layers. */
static void mark_needed(const stk_graph *graph, const stk_symbol *of, size_t count, bool *needed)
{
    for (size_t i = 0; i < count; i++)
        needed[of[i].id] = true;
    needed[0] = false;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const stk_graph_node *node = &graph->nodes[n];
        bool                  any = false;
        for (int i = 0; i < node->input_count; i++)
            any |= needed[node->in[i].id];
        for (int o = 0; any && o < node->output_count; o++)
            needed[node->out[o].id] = true;
    }
}

static void go_back(stk_grad_sink *sink, const stk_graph_node *node, const bool *needed)
{
    stk_graph  *g = sink->graph;
    stk_symbol  dout[STK_OP_OUTPUTS] = {{0}};
    stk_symbol *din = calloc((size_t)node->input_count + 1, sizeof *din);
    if (!din) {
        stk_graph_fail(g, STK_E_NOMEM, "gradients", node->name, "no memory");
        return;
    }
    for (int o = 0; o < node->output_count; o++)
        dout[o] = sink->sum[node->out[o].id];
    stk_graph_set_path(g, node->name);
    node->op->grad(g, node, dout, din, sink);
    for (int i = 0; i < node->input_count; i++)
        if (needed[node->in[i].id]) stk_sink_add(sink, node->in[i], din[i]);
    free(din);
}

static void backpropagate(stk_grad_sink *sink, const bool *needed)
{
    stk_graph *g = sink->graph;
    for (uint32_t n = sink->nodes; n-- > 0 && !g->error.status;) {
        stk_graph_node node = g->nodes[n]; /* a copy: rules add nodes */
        bool           requested = false;
        for (int o = 0; o < node.output_count; o++)
            requested |= needed[node.out[o].id];
        if (requested && node.op->grad && has_gradient(sink, &node)) go_back(sink, &node, needed);
    }
}

static void collect(stk_grad_sink *sink, const stk_symbol *of, size_t count, stk_symbol *gradients)
{
    for (size_t i = 0; i < count; i++) {
        stk_symbol sum = sink->sum[of[i].id];
        gradients[i] = !stk_symbol_is_none(sum)
                           ? sum
                           : stk_fill(sink->graph, stk_symbol_dtype(sink->graph, of[i]),
                                      stk_symbol_shape(sink->graph, of[i]), 0);
    }
}

void stk_graph_gradients(stk_graph *graph, stk_symbol loss, stk_symbol scale, const stk_symbol *of,
                         size_t count, stk_symbol *gradients)
{
    stk_shape shape = stk_symbol_shape(graph, loss);
    char      text[96];
    for (size_t i = 0; i < count; i++)
        gradients[i] = STK_NO_SYMBOL;
    if (graph->error.status) return;
    if (stk_symbol_is_none(loss) || shape.rank != 0) {
        stk_graph_fail(graph, STK_E_SHAPE, "gradients", stk_symbol_name(graph, loss),
                       "the loss has shape %s; it must be a scalar",
                       stk_shape_text(&shape, text, sizeof text));
        return;
    }
    stk_grad_sink sink = {graph, calloc(graph->symbol_count, sizeof *sink.sum), graph->symbol_count,
                          graph->node_count};
    bool         *needed = calloc(graph->symbol_count, sizeof *needed);
    if (sink.sum && needed) {
        stk_graph_phase before = graph->phase;
        char            path[sizeof graph->path];
        memcpy(path, graph->path, sizeof path);
        graph->phase = STK_PHASE_BACKWARD;
        mark_needed(graph, of, count, needed);
        sink.sum[loss.id] = stk_symbol_is_none(scale)
                                ? stk_fill(graph, stk_symbol_dtype(graph, loss), shape, 1)
                                : scale;
        backpropagate(&sink, needed);
        collect(&sink, of, count, gradients);
        graph->phase = before;
        stk_graph_set_path(graph, path);
    } else {
        stk_graph_fail(graph, STK_E_NOMEM, "gradients", NULL, "no memory for %u symbols",
                       graph->symbol_count);
    }
    free(sink.sum);
    free(needed);
}
