/* stoker/graph.h - describe a computation on tensors: a model, its loss, its gradients, its
 * update.
 * A graph is a list of operations on symbols. A symbol is a tensor of known type and shape that is
 * still to be computed. Building computes nothing; stoker/program.h compiles and runs a graph.
 *
 * Calls that build return no status, so that a model reads like a formula. The first call that
 * fails stores its error in the graph; later calls do nothing and return STK_NO_SYMBOL. Call
 * stk_graph_check once at the end; compiling calls it too. */
#ifndef STOKER_GRAPH_H
#define STOKER_GRAPH_H

#include <stoker/blob.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

typedef struct stk_graph stk_graph; /* used by one thread at a time */

typedef struct stk_symbol {
    uint32_t id; /* 0 is none */
} stk_symbol;

#ifdef __cplusplus
#define STK_NO_SYMBOL (stk_symbol{0})
#else
#define STK_NO_SYMBOL ((stk_symbol){0})
#endif

static inline bool stk_symbol_is_none(stk_symbol symbol)
{
    return symbol.id == 0;
}

struct stk_variable_options;

typedef struct stk_graph_options {
    /* Dimension order of images in convolutions, pooling and norms: NHWC (also for NONE) or
     * NCHW. */
    stk_layout  layout;
    uint64_t    seed;   /* of dropout and other random ops */
    stk_ledger *ledger; /* counts the graph's own memory; NULL: none */
    /* Called once per variable with its full name. May change the options: freeze it or set another
     * rate. NULL: options stay as given. */
    void (*adjust)(void *context, const char *name, struct stk_variable_options *options);
    void *adjust_context; /* must outlive building */
} stk_graph_options;

/* options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_graph_new(stk_graph **out, const stk_graph_options *options,
                                               stk_error *err);
/* NULL is fine. */
STK_API void stk_graph_free(stk_graph *graph);
/* The first error of building, or STK_OK. */
STK_API STK_NODISCARD stk_status stk_graph_check(const stk_graph *graph, stk_error *err);
STK_API stk_layout               stk_graph_layout(const stk_graph *graph);

/* Pushes a component of the path that prefixes the names built from here on: "layer1.0". Each push
 * needs its pop. */
STK_API void stk_graph_push_scope(stk_graph *graph, const char *name);
STK_API void stk_graph_pop_scope(stk_graph *graph);

/* dtype NONE and rank 0 for STK_NO_SYMBOL. */
STK_API stk_dtype   stk_symbol_dtype(const stk_graph *graph, stk_symbol symbol);
STK_API stk_shape   stk_symbol_shape(const stk_graph *graph, stk_symbol symbol);
STK_API const char *stk_symbol_name(const stk_graph *graph, stk_symbol symbol);

/* A tensor that is fed before each run. */
STK_API stk_symbol stk_graph_input(stk_graph *graph, const char *name, stk_dtype dtype,
                                   stk_shape shape);
/* A tensor that never changes. data is copied. */
STK_API stk_symbol stk_graph_constant(stk_graph *graph, const char *name, stk_dtype dtype,
                                      stk_shape shape, const void *data);

/* Decides whether a variable is saved, what updates it, and its class in the memory plan. */
typedef enum stk_variable_role {
    STK_VARIABLE_PARAMETER, /* learned; part of the model */
    STK_VARIABLE_STATISTIC, /* running means and variances; part of the model, not learned */
    STK_VARIABLE_OPTIMIZER, /* momentum and averages: needed to resume training */
    STK_VARIABLE_METRIC,    /* counters that are read and cleared */
    STK_VARIABLE_DATA,      /* images resident on the device; not saved */
    STK_VARIABLE_ROLES
} stk_variable_role;

typedef enum stk_init_kind {
    STK_INIT_CONSTANT,         /* a for all elements */
    STK_INIT_NORMAL,           /* mean a, standard deviation b */
    STK_INIT_TRUNCATED_NORMAL, /* as NORMAL, drawn again outside two deviations */
    STK_INIT_UNIFORM,          /* uniform from a to b */
    STK_INIT_FIRST,            /* a for the first element, b for all others */
    STK_INIT_DIRAC /* convolution weights [O,I,kh,kw] that copy their input; rows past I are NORMAL
                      a b */
} stk_init_kind;

/* Initial value of a variable: a function of the seed and its name, equal on every backend. */
typedef struct stk_init {
    stk_init_kind kind;
    double        a, b;
} stk_init;

typedef struct stk_variable_options {
    stk_variable_role role;
    stk_init          init;
    bool              frozen;   /* not updated by the optimizer */
    bool              no_decay; /* no weight decay */
    double            rate;     /* factor of the learning rate; 0: 1 */
    double freeze_after; /* fraction of training after which it is no longer updated; 0: never */
} stk_variable_options;

/* A tensor that keeps its value between runs. Graphs that use one stk_variables share it by name.
 * Its full name is the scope path and name. options may be NULL. */
STK_API stk_symbol stk_graph_variable(stk_graph *graph, const char *name, stk_dtype dtype,
                                      stk_shape shape, const stk_variable_options *options);
/* Stores value in variable at the end of a run. The symbol itself keeps the value from before the
 * run. A second assignment to one variable is an error. */
STK_API void stk_graph_assign(stk_graph *graph, stk_symbol variable, stk_symbol value);
/* Names a symbol that can be fetched after a run. */
STK_API void stk_graph_output(stk_graph *graph, const char *name, stk_symbol symbol);

/* Adds the operations that compute d loss / d of[i]. loss must be a scalar. Symbols that loss does
 * not depend on get zeros. scale is the initial gradient (a loss scale), or STK_NO_SYMBOL for 1. */
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
/* In order of creation. */
STK_API stk_graph_variable_info stk_graph_variable_at(const stk_graph *graph, size_t index);

/* Cost of one run. */
typedef struct stk_graph_cost {
    double   flops;       /* a multiply-add counts as two */
    double   bytes;       /* read and written, each tensor once per use */
    uint64_t parameters;  /* elements */
    uint64_t operations;  /* nodes */
    uint64_t activations; /* bytes of all results */
} stk_graph_cost;

STK_API stk_graph_cost stk_graph_count(const stk_graph *graph);

/* One operation, for summaries. */
typedef struct stk_graph_node_info {
    const char *operation; /* "conv2d" */
    const char *name;      /* its scope path: "layer1.0.conv1" */
    stk_shape   shape;     /* of its first result */
    double      flops;
    uint64_t    bytes; /* of its results; 0 if they alias its input */
} stk_graph_node_info;

/* In execution order. All zero past the end. */
STK_API stk_graph_node_info stk_graph_node_at(const stk_graph *graph, size_t index);

/* Passes that can be left out, as bits. Mandatory ones (precision, memory) always run. */
typedef enum stk_graph_pass {
    STK_GRAPH_PASS_SIMPLIFY = 1 << 0,
    STK_GRAPH_PASS_FUSE = 1 << 1,
    STK_GRAPH_PASS_LAYOUT = 1 << 2,
    STK_GRAPH_PASS_SCHEDULE = 1 << 3,
    STK_GRAPH_PASS_REUSE = 1 << 4, /* of memory: without it each result has a buffer of its own */
    STK_GRAPH_PASS_CAPTURE =
        1 << 5, /* CUDA graphs: a run becomes one launch, on devices that can */
    STK_GRAPH_PASS_ALL = (1 << 6) - 1
} stk_graph_pass;

/* Parses names of passes, separated by commas or spaces, to bits: "layout,reuse". Returns
 * STK_E_INVALID for an unknown name. */
STK_API STK_NODISCARD stk_status stk_graph_passes_parse(const char *names, unsigned *bits,
                                                        stk_error *err);
/* A pass that names calls by its former name, which is written to former: its name. NULL: none. */
STK_API const char *stk_graph_pass_renamed(const char *names, const char **former);

/* Checks types and shapes of every node, order and names again. The error names the node and both
 * values. */
STK_API STK_NODISCARD stk_status stk_graph_verify(const stk_graph *graph, stk_error *err);
/* Appends the graph as text, one operation per line:
 *   %7 = conv2d(%1, %2) stride=2,2 pad=3,3,3,3 : float32[8,112,112,64]  # conv1 */
STK_API STK_NODISCARD stk_status stk_graph_dump(const stk_graph *graph, stk_blob *text,
                                                stk_error *err);

STK_END_DECLS
#endif
