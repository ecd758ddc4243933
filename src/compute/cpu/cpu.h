/* The backend "cpu": oneDNN for convolutions and matrix products, own kernels for the rest.
 *
 * Formats. Images are [N,H,W,C]; they lie row-major, or with their channels in blocks of 8 or 16
 * (STK_FORMAT_C8, STK_FORMAT_C16: [N][C/b][H][W][b], the last block filled up with zeros, which
 * every kernel must keep zero). Numbers from STK_FORMAT_OPAQUE on stand for descriptions of oneDNN
 * that are kept in the device: weights. */
#ifndef STK_COMPUTE_CPU_CPU_H
#define STK_COMPUTE_CPU_CPU_H

#include "compute/cpu/team.h"
#include "compute/runtime/backend.h"

enum { STK_FORMAT_C8 = 8, STK_FORMAT_C16 = 16, STK_FORMAT_OPAQUE = 256 };

typedef struct stk_cpu {
    stk_team team;
    int      dnnl_threads; /* that oneDNN gets: how it parts its sums depends on them */
    bool     avx2, avx512; /* what the machine has; false when the environment says so, for tests */
    bool     no_winograd;  /* direct convolutions only: slower, a few bits more exact */
    struct stk_cpu_dnnl *dnnl; /* engine, stream, descriptions: dnnl.c's own */
} stk_cpu;

static inline stk_cpu *stk_cpu_of(const stk_device *device)
{
    return device->state;
}

/* A tensor of channels in any of the image formats, as [outer][blocks][inner][block]: row-major
 * is one block of all channels. */
typedef struct stk_channels {
    int64_t outer, blocks, inner, block; /* N, C/b, H*W, b */
    int64_t channels;                    /* without padding */
} stk_channels;

/* type has C as its last dimension; a rank of 4 in C8 and C16. */
stk_channels stk_channels_of(const stk_tensor_type *type, stk_format format);

/* formats functions that kernels share. All inputs with the shape of input `lead` take its format,
 * the others are plain; outputs of that shape have it too. */
stk_status stk_formats_follow(const stk_op_instance *instance, const stk_format *have, int lead,
                              stk_format *in, stk_format *out);
/* The same with lead 0: for kernel tables. */
stk_status stk_formats_follow_first(stk_device *device, const stk_op_instance *instance,
                                    const stk_format *have, stk_format *in, stk_format *out,
                                    stk_error *err);

/* Kernels by op, NULL at the end; several rows for one op are asked in order (stk_kernel.can). What
 * has no row here is computed by its reference, row-major on one thread: a report says so. */
extern const stk_kernel *const stk_cpu_kernels_onednn[]; /* convolutions, matrix products */
extern const stk_kernel *const stk_cpu_kernels_native[]; /* the rest */

#endif
