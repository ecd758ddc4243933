/* cuDNN's graph API: an operation graph from a table of tensors and a table of ops, the engines
 * that can compute it, and plans made of them.
 *
 * Tensors are numbered from 1, in the order of the table; 0 stands for none. A choice is an engine
 * and its knobs. It can be written as a short text, kept in a file and made a plan of again, as
 * long as graph, cuDNN and GPU are the same.
 *
 * Nothing here is shared between threads but the graph, which does not change after it is made:
 * plans of one graph may be built by several threads. */
#ifndef STK_COMPUTE_CUDA_CUDNN_GRAPH_H
#define STK_COMPUTE_CUDA_CUDNN_GRAPH_H

#include <cudnn_graph.h>
#include <stdbool.h>
#include <stddef.h>
#include <stoker/error.h>

enum {
    STK_CUDNN_TENSORS = 32,
    STK_CUDNN_OPS = 16,
    STK_CUDNN_ROLES = 16,
    STK_CUDNN_KNOBS = CUDNN_KNOB_TYPE_COUNTS,
    STK_CUDNN_CHOICE_TEXT = 512,
};

typedef struct stk_cudnn_tensor {
    int64_t         dim[4];    /* N, C, H, W; of weights K, C, R, S */
    int64_t         stride[4]; /* in elements, in the order of dim; all 0: channels last, packed */
    cudnnDataType_t dtype;
    bool            is_virtual; /* never in memory */
    bool            by_value;   /* one number, in host memory when the plan runs */
} stk_cudnn_tensor;

/* What an op does, and the tensors it takes in `tensor`, in this order. All arithmetic is in fp32.
 */
typedef enum stk_cudnn_kind {
    STK_CUDNN_CONV,          /* x w y */
    STK_CUDNN_CONV_DATA,     /* dy w dx */
    STK_CUDNN_CONV_FILTER,   /* x dy dw */
    STK_CUDNN_POINTWISE,     /* x b y t: y = mode(x, b), t is the condition of a select */
    STK_CUDNN_POINTWISE_BWD, /* dy x dx: dx = mode(dy, x), where x went into the forward function */
    STK_CUDNN_REDUCE,        /* x y: over the dimensions that are 1 in y */
    STK_CUDNN_GENSTATS,      /* x sum squares: of each channel */
    STK_CUDNN_BN_FINALIZE,   /* sum squares scale bias mean var new_mean new_var saved_mean
                                saved_invstd   eq_scale eq_bias count epsilon factor */
    STK_CUDNN_BN_BWD_WEIGHTS, /* x mean invstd scale dy dscale dbias a b c: dx = a dy + b x + c */
    STK_CUDNN_NORM,     /* x scale bias epsilon mean invstd y, and for batch norm factor mean var
                           new_mean new_var */
    STK_CUDNN_NORM_BWD, /* x dy scale mean invstd dscale dbias dx epsilon */
    STK_CUDNN_POOL,     /* x y index */
    STK_CUDNN_POOL_BWD, /* dy dx index x y */
    STK_CUDNN_KINDS
} stk_cudnn_kind;

typedef struct stk_cudnn_op {
    stk_cudnn_kind kind;
    int            mode; /* a cudnnPointwiseMode_t, cudnnReduceTensorOp_t, cudnnBackendNormMode_t or
                            cudnnResampleMode_t, as the kind wants */
    int     tensor[STK_CUDNN_ROLES];
    int64_t stride[2], before[2], after[2]; /* of convolutions and pools: H, W; padding */
    int64_t dilation[2];                    /* of convolutions; 0: 1 */
    int64_t window[2];                      /* of pools */
    double  beta;                           /* of convolutions: what is kept of the output */
    double  upper;                          /* of relu: values are cut there; 0: not */
} stk_cudnn_op;

typedef struct stk_cudnn_spec {
    const char      *name; /* for messages; outlives the graph */
    stk_cudnn_tensor tensor[STK_CUDNN_TENSORS];
    int              tensors;
    stk_cudnn_op     op[STK_CUDNN_OPS];
    int              ops;
} stk_cudnn_spec;

/* Where plans shall run. With a handle: on its device. Without: on the one that `device` describes,
 * a descriptor of properties; such plans can be built, not run. */
typedef struct stk_cudnn_target {
    cudnnHandle_t            handle;
    cudnnBackendDescriptor_t device;
} stk_cudnn_target;

/* Fills in stk_cudnn_target.device from cuDNN's JSON of device properties. The caller destroys it
 * with cudnnBackendDestroyDescriptor. */
STK_NODISCARD stk_status stk_cudnn_device_from_json(cudnnBackendDescriptor_t *out, const char *json,
                                                    stk_error *err);

typedef struct stk_cudnn_graph stk_cudnn_graph;

/* STK_E_UNSUPPORTED: cuDNN knows no such graph. spec is copied. */
STK_NODISCARD stk_status stk_cudnn_graph_new(stk_cudnn_graph **out, const stk_cudnn_target *target,
                                             const stk_cudnn_spec *spec, stk_error *err);
/* After the plans made of it. */
void                  stk_cudnn_graph_free(stk_cudnn_graph *graph);
const stk_cudnn_spec *stk_cudnn_graph_spec(const stk_cudnn_graph *graph);
/* Bytes of the tensors in memory, each counted once. */
uint64_t stk_cudnn_spec_bytes(const stk_cudnn_spec *spec);
/* Bytes from the first to the last element. */
uint64_t stk_cudnn_tensor_bytes(const stk_cudnn_tensor *tensor);
size_t   stk_cudnn_dtype_bytes(cudnnDataType_t dtype);

typedef struct stk_cudnn_choice {
    int64_t  engine;
    uint32_t numerical; /* bits by cudnnBackendNumericalNote_t; filled by the queries below */
    uint32_t behavior;  /* bits by cudnnBackendBehaviorNote_t; the same */
    int      knobs;
    struct {
        int     type; /* cudnnBackendKnobType_t */
        int64_t value;
    } knob[STK_CUDNN_KNOBS];
} stk_cudnn_choice;

/* What heuristics propose, best first. Appends to choices what is not there yet, up to capacity,
 * and adds to *count. STK_E_UNSUPPORTED: this mode knows nothing for the graph. */
STK_NODISCARD stk_status stk_cudnn_propose(const stk_cudnn_graph *graph,
                                           cudnnBackendHeurMode_t mode, stk_cudnn_choice *choices,
                                           int capacity, int *count, stk_error *err);
/* The same for every engine that supports the graph, with the knobs it has by itself. */
STK_NODISCARD stk_status stk_cudnn_every_engine(const stk_cudnn_graph *graph,
                                                stk_cudnn_choice *choices, int capacity, int *count,
                                                stk_error *err);
/* The same for the choices that differ from `from` in one knob. */
STK_NODISCARD stk_status stk_cudnn_neighbours(const stk_cudnn_graph  *graph,
                                              const stk_cudnn_choice *from,
                                              stk_cudnn_choice *choices, int capacity, int *count,
                                              stk_error *err);

bool stk_cudnn_choice_same(const stk_cudnn_choice *a, const stk_cudnn_choice *b);
/* "28 2:5 14:3": the engine, then knobs as type:value. */
char *stk_cudnn_choice_text(const stk_cudnn_choice *choice, char *text, size_t capacity);
/* What such a text says; the notes are 0. */
STK_NODISCARD stk_status stk_cudnn_choice_parse(stk_cudnn_choice *out, const char *text,
                                                stk_error *err);

typedef struct stk_cudnn_plan stk_cudnn_plan;

/* Compiles where the engine is compiled at run time, which may take seconds. STK_E_UNSUPPORTED: the
 * engine cannot do it after all. */
STK_NODISCARD stk_status stk_cudnn_plan_new(stk_cudnn_plan **out, const stk_cudnn_graph *graph,
                                            const stk_cudnn_choice *choice, stk_error *err);
void                     stk_cudnn_plan_free(stk_cudnn_plan *plan);
size_t                   stk_cudnn_plan_workspace(const stk_cudnn_plan *plan);

/* Addresses for a graph's tensors, to run any of its plans with. */
typedef struct stk_cudnn_variant_pack stk_cudnn_variant_pack;

/* data[i] belongs to tensor i + 1; those of virtual tensors are not looked at. workspace is as
 * large as the plans want it. */
STK_NODISCARD stk_status stk_cudnn_variant_pack_new(stk_cudnn_variant_pack **out,
                                                    const stk_cudnn_graph *graph, void *const *data,
                                                    void *workspace, stk_error *err);
void                     stk_cudnn_variant_pack_free(stk_cudnn_variant_pack *pack);

/* Enqueues on the handle's stream; allocates nothing. */
STK_NODISCARD stk_status stk_cudnn_run(cudnnHandle_t handle, const stk_cudnn_plan *plan,
                                       const stk_cudnn_variant_pack *pack, stk_error *err);

/* Fills err from a status of cuDNN's and its own words; tried is the call. STK_OK when it
 * succeeded. */
STK_NODISCARD stk_status stk_cudnn_check(cudnnStatus_t status, const char *where, const char *tried,
                                         stk_error *err);

#endif
