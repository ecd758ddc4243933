/* cuDNN graph API: builds an operation graph from tables of tensors and ops, lists its engines and
 * builds execution plans.
 *
 * Tensor ids start at 1 in the order of the table; 0 is none. A choice is an engine with knobs. Its
 * text form can be stored and made a plan again, as long as graph, cuDNN and GPU are the same.
 *
 * Threads share only the graph, which is immutable: several may build plans of one graph. */
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
    int64_t         stride[4]; /* elements, in the order of dim; all 0: packed channels last */
    cudnnDataType_t dtype;
    bool            is_virtual; /* never in memory */
    bool            by_value;   /* a scalar, read from host memory when the plan runs */
} stk_cudnn_tensor;

/* Kind of an op, and the order of its tensors in `tensor`. Arithmetic is fp32. */
typedef enum stk_cudnn_kind {
    STK_CUDNN_CONV,           /* x w y */
    STK_CUDNN_CONV_DATA,      /* dy w dx */
    STK_CUDNN_CONV_FILTER,    /* x dy dw */
    STK_CUDNN_POINTWISE,      /* x b y t: y = mode(x, b); t is the condition of a select */
    STK_CUDNN_POINTWISE_BWD,  /* dy x dx: dx = mode(dy, x); x is the input of the forward op */
    STK_CUDNN_REDUCE,         /* x y: over dimensions of size 1 in y */
    STK_CUDNN_GENSTATS,       /* x sum squares: per channel */
    STK_CUDNN_BN_FINALIZE,    /* sum squares scale bias mean var new_mean new_var saved_mean
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
    int            mode; /* cudnnPointwiseMode_t, cudnnReduceTensorOp_t, cudnnBackendNormMode_t or
                            cudnnResampleMode_t */
    int     tensor[STK_CUDNN_ROLES];
    int64_t stride[2], before[2], after[2]; /* of convolutions and pools: H, W; padding */
    int64_t dilation[2];                    /* of convolutions; 0: 1 */
    int64_t window[2];                      /* of pools */
    double  beta;                           /* of convolutions: factor of the old output */
    double  upper;                          /* of relu: upper clip; 0: none */
} stk_cudnn_op;

typedef struct stk_cudnn_spec {
    const char      *name; /* for messages; must outlive the graph */
    stk_cudnn_tensor tensor[STK_CUDNN_TENSORS];
    int              tensors;
    stk_cudnn_op     op[STK_CUDNN_OPS];
    int              ops;
} stk_cudnn_spec;

/* Target of plans. With a handle: its device. Without: the device that `device`, a properties
 * descriptor, describes; such plans can be built but not run. */
typedef struct stk_cudnn_target {
    cudnnHandle_t            handle;
    cudnnBackendDescriptor_t device;
} stk_cudnn_target;

/* Creates stk_cudnn_target.device from cuDNN's JSON of device properties. Destroy it with
 * cudnnBackendDestroyDescriptor. */
STK_NODISCARD stk_status stk_cudnn_device_from_json(cudnnBackendDescriptor_t *out, const char *json,
                                                    stk_error *err);

typedef struct stk_cudnn_graph stk_cudnn_graph;

/* Copies spec. STK_E_UNSUPPORTED: cuDNN does not support the graph. */
STK_NODISCARD stk_status stk_cudnn_graph_new(stk_cudnn_graph **out, const stk_cudnn_target *target,
                                             const stk_cudnn_spec *spec, stk_error *err);
/* Free it after its plans. */
void                  stk_cudnn_graph_free(stk_cudnn_graph *graph);
const stk_cudnn_spec *stk_cudnn_graph_spec(const stk_cudnn_graph *graph);
/* Bytes of all non-virtual tensors, each counted once. */
uint64_t stk_cudnn_spec_bytes(const stk_cudnn_spec *spec);
/* Bytes from the first to the last element. */
uint64_t stk_cudnn_tensor_bytes(const stk_cudnn_tensor *tensor);
size_t   stk_cudnn_dtype_bytes(cudnnDataType_t dtype);

typedef struct stk_cudnn_choice {
    int64_t  engine;
    uint32_t numerical; /* cudnnBackendNumericalNote_t as bits; set by the queries below */
    uint32_t behavior;  /* cudnnBackendBehaviorNote_t as bits; likewise */
    int      knobs;
    struct {
        int     type; /* cudnnBackendKnobType_t */
        int64_t value;
    } knob[STK_CUDNN_KNOBS];
} stk_cudnn_choice;

/* Appends the heuristics' proposals, best first, without duplicates, up to capacity; adds to
 * *count. STK_E_UNSUPPORTED: this mode has none. */
STK_NODISCARD stk_status stk_cudnn_propose(const stk_cudnn_graph *graph,
                                           cudnnBackendHeurMode_t mode, stk_cudnn_choice *choices,
                                           int capacity, int *count, stk_error *err);
/* The same for all engines that support the graph, with default knobs. */
STK_NODISCARD stk_status stk_cudnn_every_engine(const stk_cudnn_graph *graph,
                                                stk_cudnn_choice *choices, int capacity, int *count,
                                                stk_error *err);
/* The same for choices that differ from `from` in one knob. */
STK_NODISCARD stk_status stk_cudnn_neighbours(const stk_cudnn_graph  *graph,
                                              const stk_cudnn_choice *from,
                                              stk_cudnn_choice *choices, int capacity, int *count,
                                              stk_error *err);

bool stk_cudnn_choice_same(const stk_cudnn_choice *a, const stk_cudnn_choice *b);
/* Text form: "28 2:5 14:3", the engine and knobs as type:value. */
char *stk_cudnn_choice_text(const stk_cudnn_choice *choice, char *text, size_t capacity);
/* Parses such a text; notes are 0. */
STK_NODISCARD stk_status stk_cudnn_choice_parse(stk_cudnn_choice *out, const char *text,
                                                stk_error *err);

typedef struct stk_cudnn_plan stk_cudnn_plan;

/* Builds a plan. Engines with run-time compilation may take seconds. STK_E_UNSUPPORTED: the engine
 * rejects the choice. */
STK_NODISCARD stk_status stk_cudnn_plan_new(stk_cudnn_plan **out, const stk_cudnn_graph *graph,
                                            const stk_cudnn_choice *choice, stk_error *err);
void                     stk_cudnn_plan_free(stk_cudnn_plan *plan);
size_t                   stk_cudnn_plan_workspace(const stk_cudnn_plan *plan);

/* Addresses of a graph's tensors, for all its plans. */
typedef struct stk_cudnn_variant_pack stk_cudnn_variant_pack;

/* data[i] is the address of tensor i + 1, ignored for virtual ones. workspace is as large as the
 * plans need. */
STK_NODISCARD stk_status stk_cudnn_variant_pack_new(stk_cudnn_variant_pack **out,
                                                    const stk_cudnn_graph *graph, void *const *data,
                                                    void *workspace, stk_error *err);
void                     stk_cudnn_variant_pack_free(stk_cudnn_variant_pack *pack);

/* Enqueues on the handle's stream; allocates nothing. */
STK_NODISCARD stk_status stk_cudnn_run(cudnnHandle_t handle, const stk_cudnn_plan *plan,
                                       const stk_cudnn_variant_pack *pack, stk_error *err);

/* Converts cuDNN's status and message to an error; tried is the call. STK_OK on success. */
STK_NODISCARD stk_status stk_cudnn_check(cudnnStatus_t status, const char *where, const char *tried,
                                         stk_error *err);

#endif
