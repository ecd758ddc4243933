/* The inside of a graph, for passes and compilers: nodes in order, each after what it reads. */
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
    const char          *name; /* of inputs, constants and variables; of results that of its node */
    uint32_t             node; /* of a result: who makes it */
    int                  output; /* of a result: which output */
    const void          *data;   /* of a constant */
    stk_variable_options variable;
    stk_symbol           assigned; /* of a variable: its content after a run, or none */
} stk_graph_symbol;

struct stk_graph_node {
    const stk_graph_op *op;
    const char         *name; /* the path; "" at the top */
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
    stk_error         error; /* the first; status STK_OK: none */
    stk_graph_node   *nodes;
    uint32_t          node_count, node_capacity;
    stk_graph_symbol *symbols; /* [0] is none */
    uint32_t          symbol_count, symbol_capacity;
    stk_graph_result *outputs;
    uint32_t          output_count, output_capacity;
    stk_graph_phase   phase; /* of what is built now */
    char              path[256];
    int               path_length;
    uint32_t          random_count; /* ops that draw numbers: each gets its own stream */
};

const stk_graph_symbol *stk_graph_symbol_of(const stk_graph *graph, stk_symbol symbol);

/* Adds a node; attrs (op->attrs_size bytes) is copied. Outputs go to out (op->outputs of them, or
 * output_count where the op allows fewer); on failure, or when the graph has failed before, they
 * are none. */
void stk_graph_add(stk_graph *graph, const stk_graph_op *op, const stk_symbol *in, int input_count,
                   const void *attrs, stk_symbol *out, int output_count);
/* The usual case: out 0 of all outputs. */
stk_symbol stk_graph_add1(stk_graph *graph, const stk_graph_op *op, stk_symbol a,
                          const void *attrs);
stk_symbol stk_graph_add2(stk_graph *graph, const stk_graph_op *op, stk_symbol a, stk_symbol b,
                          const void *attrs);
stk_symbol stk_graph_add3(stk_graph *graph, const stk_graph_op *op, stk_symbol a, stk_symbol b,
                          stk_symbol c, const void *attrs);

/* Fails the graph (the first error stays) and gives STK_NO_SYMBOL. */
stk_symbol stk_graph_fail(stk_graph *graph, stk_status status, const char *stage, const char *where,
                          const char *format, ...) STK_PRINTF(5, 6);

/* path, which is that of a node, is before the names of what is built from here on. */
void stk_graph_set_path(stk_graph *graph, const char *path);

/* Text in the graph's arena; NULL and a failed graph without memory. */
const char *stk_graph_text(stk_graph *graph, const char *text);

/* Fills use with the types of node's inputs and outputs; room holds them. */
typedef struct stk_instance_scratch {
    stk_tensor_type *types; /* one block, grown */
    int              capacity;
} stk_instance_scratch;

stk_status stk_graph_instance(const stk_graph *graph, const stk_graph_node *node,
                              stk_instance_scratch *scratch, stk_op_instance *instance,
                              stk_error *err);
void       stk_instance_scratch_release(stk_instance_scratch *scratch);

/* How often each symbol is read by a node, an assignment or an output; symbol_count numbers. */
void stk_graph_count_uses(const stk_graph *graph, uint32_t *uses);

#endif
