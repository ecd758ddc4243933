/* Backend "cpu": oneDNN for convolutions and GEMMs, native kernels for the rest.
 *
 * Formats. Images are [N,H,W,C], stored row-major or with channels in blocks of 8 or 16
 * (STK_FORMAT_C8, STK_FORMAT_C16: [N][C/b][H][W][b]). The last block is zero-padded; every kernel
 * must keep the padding zero. Values from STK_FORMAT_OPAQUE on index memory descriptors of oneDNN,
 * held by the device: weights. */
#ifndef STK_COMPUTE_CPU_CPU_H
#define STK_COMPUTE_CPU_CPU_H

#include "compute/cpu/team.h"
#include "compute/runtime/backend.h"

enum { STK_FORMAT_C8 = 8, STK_FORMAT_C16 = 16, STK_FORMAT_OPAQUE = 256 };

typedef struct stk_cpu {
    stk_team team;
    int      dnnl_threads;     /* for oneDNN; its sums are split by this number */
    bool     avx2, avx512;     /* CPU features; false if the environment disables them, for tests */
    bool     no_winograd;      /* direct convolutions only: slower, slightly more accurate */
    struct stk_cpu_dnnl *dnnl; /* engine, stream, descriptors: private to dnnl.c */
} stk_cpu;

static inline stk_cpu *stk_cpu_of(const stk_device *device)
{
    return device->state;
}

/* A channels tensor in any image format, as [outer][blocks][inner][block]. Row-major is one block
 * of all channels. */
typedef struct stk_channels {
    int64_t outer, blocks, inner, block; /* N, C/b, H*W, b */
    int64_t channels;                    /* without padding */
} stk_channels;

/* C is the last dimension of type; C8 and C16 need rank 4. */
stk_channels stk_channels_of(const stk_tensor_type *type, stk_format format);

/* Shared formats functions. Inputs and outputs with the shape of input `lead` take its format; all
 * others are plain. */
stk_status stk_formats_follow(const stk_op_instance *instance, const stk_format *have, int lead,
                              stk_format *in, stk_format *out);
/* The same with lead 0, for kernel tables. */
stk_status stk_formats_follow_first(stk_device *device, const stk_op_instance *instance,
                                    const stk_format *have, stk_format *in, stk_format *out,
                                    stk_error *err);

/* Kernels by op, NULL-terminated. Of several rows for one op the first whose can() accepts is used.
 * Ops without a row run their reference, row-major on one thread; reports say so. */
extern const stk_kernel *const stk_cpu_kernels_onednn[]; /* convolutions and GEMMs */
extern const stk_kernel *const stk_cpu_kernels_native[]; /* all others */

#endif
