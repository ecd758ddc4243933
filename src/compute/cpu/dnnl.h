/* oneDNN in one place: its engine, and formats that are its own. */
#ifndef STK_COMPUTE_CPU_DNNL_H
#define STK_COMPUTE_CPU_DNNL_H

#include "compute/cpu/cpu.h"
#include "compute/ops/activation.h"

STK_NODISCARD stk_status stk_dnnl_open(stk_cpu *cpu, stk_error *err);
/* Whether products of bfloat16 would end the process: oneDNN 2 with AMX. Opening leaves AMX out,
 * but the environment, or a program that used oneDNN before, can have decided otherwise. */
bool stk_dnnl_bf16_breaks(void);
/* Whether oneDNN uses this CPU's instructions for bfloat16. */
bool   stk_dnnl_has_bf16(void);
void   stk_dnnl_close(stk_cpu *cpu);
size_t stk_dnnl_format_bytes(const stk_cpu *cpu, stk_format format);
void   stk_dnnl_format_name(const stk_cpu *cpu, stk_format format, char *text, size_t capacity);
/* Where one of both is oneDNN's own. */
STK_NODISCARD stk_status stk_dnnl_reorder(stk_cpu *cpu, const stk_tensor_type *type,
                                          stk_format from, const void *src, stk_format to,
                                          void *dst, stk_error *err);

/* Whether convolutions and products can do this to their results; otherwise it is better an op of
 * its own, since the reference computes what oneDNN cannot. */
bool stk_dnnl_can_fuse(const stk_activation *act);

/* Between the image formats, by own code; the padding of blocks is zeroed. */
void stk_reorder_channels(stk_cpu *cpu, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst);

#endif
