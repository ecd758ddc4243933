/* Shared by oneDNN kernels: formats of memory descriptors, cached primitives. */
#ifndef STK_COMPUTE_CPU_DNNL_STATE_H
#define STK_COMPUTE_CPU_DNNL_STATE_H

#include "compute/cpu/dnnl.h"
#include "compute/cpu/dnnl_abi.h"
#include "compute/ops/activation.h"

enum { STK_DNNL_ARGS = 5 }; /* x, w, bias, y, scratchpad */

/* A primitive with its memories. All zeros is none. */
typedef struct stk_dnnl_job {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t  args[STK_DNNL_ARGS];
    const void      *at[STK_DNNL_ARGS]; /* current data handles */
    int              count;
    int              threads; /* number at creation; runs must use it too */
    bool             ran;
    size_t           bytes;      /* of its tensors */
    char             detail[64]; /* oneDNN's name of the implementation */
} stk_dnnl_job;

/* An argument and the query for its descriptor. */
typedef struct stk_dnnl_arg {
    int          arg;
    dnnl_query_t query;
    int          index;
} stk_dnnl_arg;

/* pd must be made for threads. If *scratch is not 0 the last argument is the scratchpad. Release
 * job on failure too. where is the op's name for errors, or NULL. */
stk_status stk_dnnl_job_make(stk_dnnl_job *job, const stk_cpu *cpu, int threads,
                             dnnl_primitive_desc_t pd, const stk_dnnl_arg *args, int count,
                             size_t *scratch, const char *where, stk_error *err);
/* at holds the address of each argument, in order. */
stk_status stk_dnnl_job_run(stk_dnnl_job *job, const stk_cpu *cpu, const void *const *at,
                            const char *where, stk_error *err);
void       stk_dnnl_job_release(stk_dnnl_job *job);

/* Creates a primitive descriptor for the team's number of threads. */
dnnl_status_t stk_dnnl_layer_make(const stk_cpu *cpu, const stk_dnnl_layer *layer,
                                  dnnl_primitive_desc_t *pd);
void          stk_dnnl_layer_release(stk_dnnl_layer *layer);

/* Kernels whose state is one job with arguments inputs, then outputs. prepare takes ownership of
 * pd. */
stk_status  stk_dnnl_kernel_prepare(stk_kernel_call *call, dnnl_primitive_desc_t pd,
                                    const stk_dnnl_arg *args, size_t *scratch, stk_error *err);
stk_status  stk_dnnl_kernel_run(const stk_kernel_call *call, stk_error *err);
void        stk_dnnl_kernel_release(stk_kernel_call *call);
const char *stk_dnnl_kernel_detail(const stk_kernel_call *call);

/* (x, w, [bias]) -> y and (dy, w) -> dx. */
const stk_dnnl_arg       *stk_dnnl_forward_args(const stk_op_instance *instance);
extern const stk_dnnl_arg stk_dnnl_grad_input_args[];

/* An opaque format: its descriptor, and the row-major one. */
typedef struct stk_dnnl_format {
    stk_md md, plain;
} stk_dnnl_format;

typedef struct stk_dnnl_pair {
    stk_format   from, to;
    stk_dnnl_job job;
    void        *scratch;
} stk_dnnl_pair;

struct stk_cpu_dnnl {
    dnnl_engine_t    engine;
    dnnl_stream_t    stream;
    stk_format       block;   /* preferred block size of images on this CPU */
    stk_dnnl_format *formats; /* index i is format STK_FORMAT_OPAQUE + i */
    size_t           format_count, format_capacity;
    stk_dnnl_pair   *reorders;
    size_t           reorder_count, reorder_capacity;
};

/* Format of a descriptor: PLAIN if it equals plain, else an opaque one. */
stk_status stk_dnnl_format_of(stk_cpu *cpu, stk_md_ref md, stk_md_ref plain, stk_format *out,
                              stk_error *err);
/* Descriptor of PLAIN or an opaque format; plain describes the row-major tensor. */
dnnl_status_t stk_dnnl_format_md(const stk_cpu *cpu, stk_format format, stk_md_ref plain,
                                 stk_md *out);
/* Descriptor of an image [N,H,W,C] in a format. */
dnnl_status_t stk_dnnl_image(const stk_cpu *cpu, const stk_tensor_type *type, stk_format format,
                             stk_md *out);

/* Grade of an implementation: 2 generated code, 1 generic GEMM, 0 reference loops. */
int stk_dnnl_grade(dnnl_primitive_desc_t pd);

/* Attributes with a user scratchpad and act as post-op; act or its row may be NULL. On failure
 * *attr is NULL. */
dnnl_status_t stk_dnnl_attr_make(dnnl_primitive_attr_t *attr, const stk_activation *act);

/* Set OpenMP's thread count for oneDNN in between; leave restores it. */
int  stk_dnnl_enter(int threads);
void stk_dnnl_leave(int before);

dnnl_data_type_t stk_dnnl_type(stk_dtype dtype);
/* Whether oneDNN supports the instance's types here. */
bool stk_dnnl_can_compute(const stk_cpu *cpu, const stk_op_instance *instance);
/* Whether a status is transient (no memory, an exception) rather than "unsupported". Then no other
 * implementation is tried, since it would change bits. */
bool stk_dnnl_is_failure(dnnl_status_t status);
/* Fails with a status; bytes are those of the tensors. */
stk_status stk_dnnl_fail(dnnl_status_t status, const char *where, const char *what, size_t bytes,
                         stk_error *err);
/* Bytes of all inputs and outputs. */
size_t stk_dnnl_use_bytes(const stk_op_instance *instance);

extern const stk_kernel stk_dnnl_matmul, stk_dnnl_conv2d, stk_dnnl_conv2d_grad_input,
    stk_dnnl_conv2d_grad_weight;

#endif
