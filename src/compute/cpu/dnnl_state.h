/* What the kernels by oneDNN share: descriptions as formats, and primitives that are made once and
 * run often. */
#ifndef STK_COMPUTE_CPU_DNNL_STATE_H
#define STK_COMPUTE_CPU_DNNL_STATE_H

#include "compute/cpu/dnnl.h"
#include "compute/cpu/dnnl_abi.h"
#include "compute/ops/activation.h"

enum { STK_DNNL_ARGS = 5 }; /* x, w, bias, y, scratchpad */

/* A primitive with its memories; all zeros is none. */
typedef struct stk_dnnl_job {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t  args[STK_DNNL_ARGS];
    const void      *at[STK_DNNL_ARGS]; /* what the memories point to */
    int              count;
    int              threads; /* to make and to run it on */
    bool             ran;
    size_t           bytes;      /* of its tensors */
    char             detail[64]; /* oneDNN's name of the implementation */
} stk_dnnl_job;

/* One argument of a job, and where the primitive's description has that of it. */
typedef struct stk_dnnl_arg {
    int          arg;
    dnnl_query_t query;
    int          index;
} stk_dnnl_arg;

/* pd was made for as many threads. The last argument is the scratchpad where *scratch is not 0. On
 * failure job is to be released all the same. where is the op's name, for errors; it may be NULL.
 */
stk_status stk_dnnl_job_make(stk_dnnl_job *job, const stk_cpu *cpu, int threads,
                             dnnl_primitive_desc_t pd, const stk_dnnl_arg *args, int count,
                             size_t *scratch, const char *where, stk_error *err);
/* at: the address of each argument, in order. */
stk_status stk_dnnl_job_run(stk_dnnl_job *job, const stk_cpu *cpu, const void *const *at,
                            const char *where, stk_error *err);
void       stk_dnnl_job_release(stk_dnnl_job *job);

/* A layer's description on the team's threads, whose number is part of what is made. */
dnnl_status_t stk_dnnl_layer_make(const stk_cpu *cpu, const stk_dnnl_layer *layer,
                                  dnnl_primitive_desc_t *pd);
void          stk_dnnl_layer_release(stk_dnnl_layer *layer);

/* Kernels whose state is one job with all inputs and then all outputs as its arguments.
 * prepare takes pd, and destroys it. */
stk_status  stk_dnnl_kernel_prepare(stk_kernel_call *call, dnnl_primitive_desc_t pd,
                                    const stk_dnnl_arg *args, size_t *scratch, stk_error *err);
stk_status  stk_dnnl_kernel_run(const stk_kernel_call *call, stk_error *err);
void        stk_dnnl_kernel_release(stk_kernel_call *call);
const char *stk_dnnl_kernel_detail(const stk_kernel_call *call);

/* (x, w, [bias]) -> y and (dy, w) -> dx. */
const stk_dnnl_arg       *stk_dnnl_forward_args(const stk_op_instance *instance);
extern const stk_dnnl_arg stk_dnnl_grad_input_args[];

/* An opaque format: how it lies, and how the same tensor lies row-major. */
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
    stk_format       block;   /* of images, as this CPU likes it */
    stk_dnnl_format *formats; /* number i is format STK_FORMAT_OPAQUE + i */
    size_t           format_count, format_capacity;
    stk_dnnl_pair   *reorders;
    size_t           reorder_count, reorder_capacity;
};

/* The number of a description: PLAIN if it is equal to plain, else one of its own. */
stk_status stk_dnnl_format_of(stk_cpu *cpu, stk_md_ref md, stk_md_ref plain, stk_format *out,
                              stk_error *err);
/* The description of PLAIN or an opaque format; plain describes the tensor row-major. */
dnnl_status_t stk_dnnl_format_md(const stk_cpu *cpu, stk_format format, stk_md_ref plain,
                                 stk_md *out);
/* An image [N,H,W,C] in a format. */
dnnl_status_t stk_dnnl_image(const stk_cpu *cpu, const stk_tensor_type *type, stk_format format,
                             stk_md *out);

/* How good an implementation is: 2 is code made for the case, 1 a general product, 0 plain loops.
 */
int stk_dnnl_grade(dnnl_primitive_desc_t pd);

/* Attributes with the scratchpad in the caller's hands and an activation after the result; act NULL
 * or its row NULL for none. On failure *attr is NULL. */
dnnl_status_t stk_dnnl_attr_make(dnnl_primitive_attr_t *attr, const stk_activation *act);

/* oneDNN takes as many threads as OpenMP would: this many between these two. */
int  stk_dnnl_enter(int threads);
void stk_dnnl_leave(int before);

dnnl_data_type_t stk_dnnl_type(stk_dtype dtype);
/* Whether oneDNN computes with these types here. */
bool stk_dnnl_can_compute(const stk_cpu *cpu, const stk_op_instance *instance);
/* Whether a status is about this moment (no memory, an exception), not about what was asked for:
 * then nothing else is tried, since another way would give other bits. */
bool stk_dnnl_is_failure(dnnl_status_t status);
/* The error of a status; bytes are those of the tensors that it is about. */
stk_status stk_dnnl_fail(dnnl_status_t status, const char *where, const char *what, size_t bytes,
                         stk_error *err);
/* Of all inputs and outputs. */
size_t stk_dnnl_use_bytes(const stk_op_instance *instance);

extern const stk_kernel stk_dnnl_matmul, stk_dnnl_conv2d, stk_dnnl_conv2d_grad_input,
    stk_dnnl_conv2d_grad_weight;

#endif
