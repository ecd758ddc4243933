/* Representation of a graph for passes and compilers: nodes in topological order. */
#ifndef STK_COMPUTE_GRAPH_GRAPH_NODE_H
#define STK_COMPUTE_GRAPH_GRAPH_NODE_H

#include "base/arena.h"
#include "compute/graph/graph_op.h"

typedef enum stk_graph_phase {
    STK_PHASE_FORWARD,
    STK_PHASE_BACKWARD,
    STK_PHASE_UPDATE
} stk_graph_phase;

typedef enum stk_symbol_role {
    STK_SYMBOL_RESULT,
    STK_SYMBOL_INPUT,
    STK_SYMBOL_CONSTANT,
    STK_SYMBOL_VARIABLE
} stk_symbol_role;

typedef struct stk_graph_symbol {
    stk_tensor_type      type;
    stk_symbol_role      role;
    const char          *name;   /* of inputs, constants and variables; of results, their node's */
    uint32_t             node;   /* of a result: index of its producer */
    int                  output; /* of a result: index of the output */
    const void          *data;   /* of a constant */
    stk_variable_options variable;
    stk_symbol           assigned; /* of a variable: its value after a run, or none */
} stk_graph_symbol;

struct stk_graph_node {
    const stk_graph_op *op;
    const char         *name; /* the scope path; "" at the top */
    const void         *attrs;
    stk_graph_phase     phase;
    int                 input_count, output_count;
    stk_symbol         *in;
    stk_symbol          out[STK_OP_OUTPUTS];
};

typedef struct stk_graph_result {
    const char *name;
    stk_symbol  symbol;
} stk_graph_result;

struct stk_graph {
    stk_arena         arena;
    stk_graph_options options;
    stk_error         error; /* the first error; STK_OK: none */
    stk_graph_node   *nodes;
    uint32_t          node_count, node_capacity;
    stk_graph_symbol *symbols; /* [0] is STK_NO_SYMBOL */
    uint32_t          symbol_count, symbol_capacity;
    stk_graph_result *outputs;
    uint32_t          output_count, output_capacity;
    stk_graph_phase   phase; /* of nodes added from now on */
    char              path[256];
    int               path_length;
    uint32_t          random_count; /* random ops so far: each gets a stream of its own */
};

const stk_graph_symbol *stk_graph_symbol_of(const stk_graph *graph, stk_symbol symbol);

/* Adds a node and copies attrs (op->attrs_size bytes). out receives output_count symbols. All are
 * none on failure or if the graph has failed before. */
void stk_graph_add(stk_graph *graph, const stk_graph_op *op, const stk_symbol *in, int input_count,
                   const void *attrs, stk_symbol *out, int output_count);
/* Adds a node with all outputs and returns output 0. */
stk_symbol stk_graph_add1(stk_graph *graph, const stk_graph_op *op, stk_symbol a,
                          const void *attrs);
stk_symbol stk_graph_add2(stk_graph *graph, const stk_graph_op *op, stk_symbol a, stk_symbol b,
                          const void *attrs);
stk_symbol stk_graph_add3(stk_graph *graph, const stk_graph_op *op, stk_symbol a, stk_symbol b,
                          stk_symbol c, const void *attrs);

/* Fails the graph, unless it has failed before, and returns STK_NO_SYMBOL. */
stk_symbol stk_graph_fail(stk_graph *graph, stk_status status, const char *component,
                          const char *where, const char *format, ...) STK_PRINTF(5, 6);

/* Replaces the scope path by that of a node. */
void stk_graph_set_path(stk_graph *graph, const char *path);

/* Copies text to the graph's arena. On failure returns NULL and fails the graph. */
const char *stk_graph_text(stk_graph *graph, const char *text);

/* Fills *instance with the types of node's inputs and outputs, stored in scratch. */
typedef struct stk_instance_scratch {
    stk_tensor_type *types; /* one block that grows */
    int              capacity;
} stk_instance_scratch;

stk_status stk_graph_instance(const stk_graph *graph, const stk_graph_node *node,
                              stk_instance_scratch *scratch, stk_op_instance *instance,
                              stk_error *err);
void       stk_instance_scratch_release(stk_instance_scratch *scratch);

/* Counts the reads of each symbol by nodes, assignments and outputs; uses has symbol_count
 * elements. */
void stk_graph_count_uses(const stk_graph *graph, uint32_t *uses);

#endif
