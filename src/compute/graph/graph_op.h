/* Definition of an operation: one table per op, in a file of its own. There is no switch over
 * ops. */
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

/* An op with attributes and tensor types, as shape rules, costs and kernels see it, independent of
 * graphs. */
typedef struct stk_op_instance {
    const char            *name;  /* for messages: the node's path */
    const void            *attrs; /* the op's attribute struct, or NULL */
    int                    input_count, output_count;
    const stk_tensor_type *in;
    const stk_tensor_type *out; /* not set in infer */
} stk_op_instance;

typedef struct stk_op_cost {
    double flops, bytes;
} stk_op_cost;

/* Behaviour of an op in mixed precision. */
typedef enum stk_precision_class {
    STK_PRECISION_KEEP,   /* float32: losses, statistics, reductions, updates */
    STK_PRECISION_ALLOW,  /* always 16 bits: convolutions, GEMMs */
    STK_PRECISION_INFER,  /* 16 bits if its inputs are: arithmetic, activations, applied norms */
    STK_PRECISION_FOLLOW, /* any type: moves elements */
} stk_precision_class;

typedef enum stk_op_trait {
    STK_OP_ELEMENTWISE =
        1 << 0, /* element i of output 0 depends on elements i of inputs of its shape only */
    STK_OP_ZERO_STAYS = 1 << 1, /* elementwise, and maps zeros to zero */
    STK_OP_VIEW = 1 << 2,       /* output 0 is input 0 with another shape, without a copy */
    STK_OP_KEEP = 1 << 3,       /* has a side effect: never dropped or merged */
} stk_op_trait;

typedef struct stk_graph_op {
    const char *name;
    int         inputs_min, inputs_max; /* STK_OP_ANY: no limit */
    int         outputs;                /* the most outputs */
    int         outputs_min;            /* the fewest that may be used; 0: all */
    size_t      attrs_size;
    unsigned    traits;
    /* inplace[o] - 1 is the input whose memory output o may reuse; 0: none. A kernel may get the
     * same address for both. */
    int8_t              inplace[STK_OP_OUTPUTS];
    stk_precision_class precision;
    /* Whether an input stays float32 if the op computes in 16 bits; NULL: none. */
    bool (*stays_float32)(const stk_op_instance *instance, int input);
    /* Whether a float32 op can read a 16-bit input without a cast; NULL: none. */
    bool (*reads_half)(const stk_op_instance *instance, int input);
    /* Computes types and shapes of the outputs. The error names both values that do not match. */
    stk_status (*infer)(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err);
    /* Sets din[i] to the gradient of input i; unset ones are none. dout[o] is none if output o is
     * not used. Gradients are built from graph ops, so they run on every backend. node is a copy:
     * adding nodes moves the graph's table. NULL: no gradient. */
    void (*grad)(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 struct stk_grad_sink *sink);
    /* NULL: one flop per element of output 0, each tensor read or written once. */
    stk_op_cost (*cost)(const stk_op_instance *instance);
    /* The reference in plain C: row-major, all floats as float32; the caller converts 16-bit
     * tensors. Unused outputs are NULL. */
    void (*reference)(const stk_op_instance *instance, const void *const *in, void *const *out);
    /* Formats attributes for the dump: "stride=2,2 groups=4". NULL: none. */
    void (*print)(const void *attrs, char *text, size_t capacity);
} stk_graph_op;

/* Elements and bytes of a type that was checked before, so it cannot overflow. */
int64_t stk_type_elements(const stk_tensor_type *type);
size_t  stk_type_bytes(const stk_tensor_type *type);

/* Common checks. which is an input's index; the error names op, input and values. */
stk_status stk_op_check_rank(const stk_graph_op *op, const stk_op_instance *instance, int which,
                             int rank, stk_error *err);
stk_status stk_op_check_float(const stk_graph_op *op, const stk_op_instance *instance, int which,
                              stk_error *err);
stk_status stk_op_check_shape(const stk_graph_op *op, const stk_op_instance *instance, int which,
                              const stk_shape *shape, const char *like, stk_error *err);
/* For stays_float32: inputs after the first with one dimension (biases, values per channel), or
 * with fewer dimensions than the first (also values per row). */
bool stk_op_is_vector(const stk_op_instance *instance, int input);
bool stk_op_is_smaller(const stk_op_instance *instance, int input);
/* infer for elementwise ops: output 0 has the type of input 0. */
stk_status stk_op_infer_same(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err);
/* Cost of reductions: flops per element of input 0, each tensor read or written once. */
stk_op_cost stk_op_cost_of_input(const stk_op_instance *instance, double flops);

#endif
