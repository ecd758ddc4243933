/* stoker/graph.h - describe a computation on tensors: a model, its loss, its gradients, its update.
 * A graph is a list of operations on symbols, each symbol a tensor of known type and shape that is
 * still to be computed. Building computes nothing; stoker/program.h runs it.
 *
 * Calls that build do not return a status, so that a model reads like a formula. The first that
 * fails leaves its error in the graph; those after it do nothing and give STK_NO_SYMBOL. Ask
 * stk_graph_check once, at the end; compiling asks too. */
#ifndef STOKER_GRAPH_H
#define STOKER_GRAPH_H

#include <stoker/blob.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

typedef struct stk_graph stk_graph; /* for one thread at a time */

typedef struct stk_symbol {
    uint32_t id; /* 0 is none */
} stk_symbol;

#define STK_NO_SYMBOL ((stk_symbol){0})

static inline bool stk_symbol_is_none(stk_symbol symbol)
{
    return symbol.id == 0;
}

struct stk_variable_options;

typedef struct stk_graph_options {
    /* What the dimensions of images mean in every call that cares (convolutions, pooling, norms):
     * NHWC, also for NONE, or NCHW. */
    stk_layout  layout;
    uint64_t    seed;   /* of dropout and the like */
    stk_ledger *ledger; /* for the graph itself; NULL: none */
    /* May change what a variable is made with, by its whole name: freeze it, or give it another
     * rate. NULL: as its maker says. */
    void (*adjust)(void *context, const char *name, struct stk_variable_options *options);
    void *adjust_context; /* outlives building */
} stk_graph_options;

/* options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_graph_new(stk_graph **out, const stk_graph_options *options,
                                               stk_error *err);
/* NULL is fine. */
STK_API void stk_graph_free(stk_graph *graph);
/* The first error of building, or STK_OK. */
STK_API STK_NODISCARD stk_status stk_graph_check(const stk_graph *graph, stk_error *err);
STK_API stk_layout               stk_graph_layout(const stk_graph *graph);

/* The path before the names of what is built from here on: "layer1.0". Each enter has its leave. */
STK_API void stk_graph_push_scope(stk_graph *graph, const char *name);
STK_API void stk_graph_pop_scope(stk_graph *graph);

/* NONE and rank 0 for no symbol. */
STK_API stk_dtype   stk_symbol_dtype(const stk_graph *graph, stk_symbol symbol);
STK_API stk_shape   stk_symbol_shape(const stk_graph *graph, stk_symbol symbol);
STK_API const char *stk_symbol_name(const stk_graph *graph, stk_symbol symbol);

/* What is fed before each run. */
STK_API stk_symbol stk_graph_input(stk_graph *graph, const char *name, stk_dtype dtype,
                                   stk_shape shape);
/* The bytes of a tensor that never changes; copied. */
STK_API stk_symbol stk_graph_constant(stk_graph *graph, const char *name, stk_dtype dtype,
                                      stk_shape shape, const void *data);

/* What a variable is for: who saves it, who updates it, which line of the memory plan it is. */
typedef enum stk_variable_role {
    STK_VARIABLE_PARAMETER, /* learnt; part of the model */
    STK_VARIABLE_STATISTIC, /* running means and the like; part of the model, not learnt */
    STK_VARIABLE_OPTIMIZER, /* momentum, averages: needed to go on training */
    STK_VARIABLE_METRIC,    /* counters that are read and cleared */
    STK_VARIABLE_DATA,      /* images that stay on the device; not saved */
    STK_VARIABLE_ROLES
} stk_variable_role;

typedef enum stk_init_kind {
    STK_INIT_CONSTANT,         /* a everywhere */
    STK_INIT_NORMAL,           /* mean a, deviation b */
    STK_INIT_TRUNCATED_NORMAL, /* the same, drawn again outside two deviations */
    STK_INIT_UNIFORM,          /* from a to b */
    STK_INIT_FIRST,            /* a, and b in all elements after it */
    STK_INIT_DIRAC /* a convolution [O,I,kh,kw] that copies its input; the rows past I as
                      NORMAL a b */
} stk_init_kind;

/* The first content of a variable: a function of the seed and its name, on every backend. */
typedef struct stk_init {
    stk_init_kind kind;
    double        a, b;
} stk_init;

typedef struct stk_variable_options {
    stk_variable_role role;
    stk_init          init;
    bool              frozen;       /* a parameter that is not updated */
    bool              no_decay;     /* a parameter without weight decay */
    double            rate;         /* times the learning rate; 0: 1 */
    double            freeze_after; /* learns up to this share of training; 0: always */
} stk_variable_options;

/* What keeps its content from run to run; shared by name between the graphs of one set of
 * variables. Its name is the path and name. options may be NULL. */
STK_API stk_symbol stk_graph_variable(stk_graph *graph, const char *name, stk_dtype dtype,
                                      stk_shape shape, const stk_variable_options *options);
/* At the end of a run variable holds value. The symbol itself stays what it was before the run. A
 * second assignment to one variable is an error. */
STK_API void stk_graph_assign(stk_graph *graph, stk_symbol variable, stk_symbol value);
/* What can be read after a run. */
STK_API void stk_graph_output(stk_graph *graph, const char *name, stk_symbol symbol);

/* Adds the operations that compute d loss / d of[i] to the graph. loss must be a scalar. What loss
 * does not depend on gets zeros. scale is what the gradient starts with (a loss scale), or
 * STK_NO_SYMBOL for 1. */
STK_API void stk_graph_gradients(stk_graph *graph, stk_symbol loss, stk_symbol scale,
                                 const stk_symbol *of, size_t count, stk_symbol *gradients);

typedef struct stk_graph_variable_info {
    stk_symbol           symbol;
    const char          *name;
    stk_dtype            dtype;
    stk_shape            shape;
    stk_variable_options options;
} stk_graph_variable_info;

STK_API size_t stk_graph_variable_count(const stk_graph *graph);
/* In the order in which they were made. */
STK_API stk_graph_variable_info stk_graph_variable_at(const stk_graph *graph, size_t index);

/* What one run costs. */
typedef struct stk_graph_cost {
    double   flops;       /* a multiplication and an addition count two */
    double   bytes;       /* read and written, each tensor once per use */
    uint64_t parameters;  /* elements */
    uint64_t operations;  /* nodes */
    uint64_t activations; /* bytes of results */
} stk_graph_cost;

STK_API stk_graph_cost stk_graph_count(const stk_graph *graph);

/* One operation, for summaries. */
typedef struct stk_graph_node_info {
    const char *operation; /* "conv2d" */
    const char *name;      /* the path where it was built: "layer1.0.conv1" */
    stk_shape   shape;     /* of its first result */
    double      flops;
    uint64_t    bytes; /* of its results; 0 where they are those of its input */
} stk_graph_node_info;

STK_API size_t stk_graph_node_count(const stk_graph *graph);
/* In order. All zero past the end. */
STK_API stk_graph_node_info stk_graph_node_at(const stk_graph *graph, size_t index);

/* Which passes to leave out, as bits. What must happen (precision, memory) always does. */
typedef enum stk_graph_pass {
    STK_GRAPH_PASS_SIMPLIFY = 1 << 0,
    STK_GRAPH_PASS_FUSE = 1 << 1,
    STK_GRAPH_PASS_LAYOUT = 1 << 2,
    STK_GRAPH_PASS_SCHEDULE = 1 << 3,
    STK_GRAPH_PASS_REUSE = 1 << 4,   /* of memory: without it every result has its own place */
    STK_GRAPH_PASS_CAPTURE = 1 << 5, /* runs are played as one, on devices that can */
    STK_GRAPH_PASS_ALL = (1 << 6) - 1
} stk_graph_pass;

/* Names of passes, separated by commas or spaces, as bits: "layout,reuse". STK_E_INVALID names one
 * that does not exist. */
STK_API STK_NODISCARD stk_status stk_graph_passes_parse(const char *names, unsigned *bits,
                                                        stk_error *err);

/* Looks at everything anew: types and shapes of every node, order, names. An error names the node
 * and both values. */
STK_API STK_NODISCARD stk_status stk_graph_verify(const stk_graph *graph, stk_error *err);
/* Appends the graph as text, one operation a line:
 *   %7 = conv2d(%1, %2) stride=2,2 pad=3,3,3,3 : float32[8,112,112,64]  # conv1 */
STK_API STK_NODISCARD stk_status stk_graph_dump(const stk_graph *graph, stk_blob *text,
                                                stk_error *err);

STK_END_DECLS
#endif
