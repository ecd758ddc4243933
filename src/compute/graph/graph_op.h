/* What an operation of a graph is: one table per op, in the op's own file. Nothing else knows what
 * an op does; there is no switch over ops. */
#ifndef STK_COMPUTE_GRAPH_GRAPH_OP_H
#define STK_COMPUTE_GRAPH_GRAPH_OP_H

#include <stoker/graph.h>

typedef struct stk_graph_node stk_graph_node;
struct stk_grad_sink; /* compute/graph/gradients.h */

enum { STK_OP_OUTPUTS = 6, STK_OP_ANY = -1 };

typedef struct stk_tensor_type {
    stk_dtype dtype;
    stk_shape shape;
} stk_tensor_type;

/* One use of an op, as shape rules, costs and kernels see it: they know nothing of the graph. */
typedef struct stk_op_instance {
    const char            *name;  /* for messages: the node's path */
    const void            *attrs; /* the op's own struct, or NULL */
    int                    input_count, output_count;
    const stk_tensor_type *in;
    const stk_tensor_type *out; /* not yet known to infer */
} stk_op_instance;

typedef struct stk_op_cost {
    double flops, bytes;
} stk_op_cost;

/* How an op behaves in mixed precision. */
typedef enum stk_precision_class {
    STK_PRECISION_KEEP,   /* fp32: losses, statistics, reductions, updates */
    STK_PRECISION_ALLOW,  /* 16 bits always: convolutions, matrix products */
    STK_PRECISION_INFER,  /* 16 bits when its inputs are: arithmetic, activations, norms applied */
    STK_PRECISION_FOLLOW, /* any type: moves elements, computes nothing */
} stk_precision_class;

typedef enum stk_op_trait {
    STK_OP_ELEMENTWISE = 1 << 0, /* out 0 at i depends on the inputs of its shape at i only */
    STK_OP_ZERO_STAYS = 1 << 1,  /* elementwise, and zeros in give zero */
    STK_OP_VIEW = 1 << 2,        /* out 0 is the bytes of in 0 under another shape */
    STK_OP_KEEP = 1 << 3,        /* not to be dropped or merged: it has an effect */
} stk_op_trait;

typedef struct stk_graph_op {
    const char *name;
    int         inputs_min, inputs_max; /* STK_OP_ANY: no limit */
    int         outputs;                /* fewer may be asked for where outputs_min says so */
    int         outputs_min;            /* 0: as outputs */
    size_t      attrs_size;
    unsigned    traits;
    /* over[o] - 1 is the input whose memory output o may be written over; 0: none. A kernel may
     * then get the same address for both. */
    int8_t              inplace[STK_OP_OUTPUTS];
    stk_precision_class precision;
    /* Whether an input stays float32 where the op computes in 16 bits; NULL: none does. */
    bool (*stays_float32)(const stk_op_instance *instance, int input);
    /* Whether an op that computes in float32 reads an input of 16 bits as it is; NULL: none. */
    bool (*reads_half)(const stk_op_instance *instance, int input);
    /* Types and shapes of the outputs, or what is wrong, with both values. */
    stk_status (*infer)(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err);
    /* din[i] gets the gradient of input i: left alone, none. dout[o] may be none where output o was
     * not used. Built from graph ops, so every backend has it. node is a copy: adding nodes moves
     * the graph's table. NULL: nothing flows back through this op. */
    void (*grad)(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 struct stk_grad_sink *sink);
    /* NULL: one flop per element of out 0, every tensor read or written once. */
    stk_op_cost (*cost)(const stk_op_instance *instance);
    /* Plain C, the oracle. Row-major; floats are float32, whatever the type says: the caller
     * converts 16-bit tensors. Outputs that were not asked for are NULL. */
    void (*reference)(const stk_op_instance *instance, const void *const *in, void *const *out);
    /* Attributes as "stride=2,2 groups=4", for the dump. NULL: none. */
    void (*print)(const void *attrs, char *text, size_t capacity);
} stk_graph_op;

/* Elements of a shape that infer has seen already, so that it cannot overflow. */
int64_t stk_type_elements(const stk_tensor_type *type);
size_t  stk_type_bytes(const stk_tensor_type *type);

/* Refusals that many ops share. which counts from 0; the message names the op, input and values. */
stk_status stk_op_check_rank(const stk_graph_op *op, const stk_op_instance *instance, int which,
                             int rank, stk_error *err);
stk_status stk_op_check_float(const stk_graph_op *op, const stk_op_instance *instance, int which,
                              stk_error *err);
stk_status stk_op_check_shape(const stk_graph_op *op, const stk_op_instance *instance, int which,
                              const stk_shape *shape, const char *like, stk_error *err);
/* For stays_float32: inputs after the first of one dimension (biases, values per channel), or of
 * fewer dimensions than the first (values per row too). */
bool stk_op_is_vector(const stk_op_instance *instance, int input);
bool stk_op_is_smaller(const stk_op_instance *instance, int input);
/* out 0 is as in 0: for elementwise ops of one input. */
stk_status stk_op_infer_same(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err);
/* flops per element of in 0, every tensor read or written once: for ops that reduce. */
stk_op_cost stk_op_cost_of_input(const stk_op_instance *instance, double flops);

#endif
