/* Interface to oneDNN: its engine and its opaque formats. */
#ifndef STK_COMPUTE_CPU_DNNL_H
#define STK_COMPUTE_CPU_DNNL_H

#include "compute/cpu/cpu.h"
#include "compute/ops/activation.h"

STK_NODISCARD stk_status stk_dnnl_open(stk_cpu *cpu, stk_error *err);
/* Whether bfloat16 GEMMs would crash: oneDNN 2 with AMX. Opening disables AMX, unless the
 * environment or earlier use of oneDNN in this process has fixed the ISA. */
bool stk_dnnl_bf16_breaks(void);
/* Whether oneDNN uses native bfloat16 instructions. */
bool   stk_dnnl_has_bf16(void);
void   stk_dnnl_close(stk_cpu *cpu);
size_t stk_dnnl_format_bytes(const stk_cpu *cpu, stk_format format);
void   stk_dnnl_format_name(const stk_cpu *cpu, stk_format format, char *text, size_t capacity);
/* For pairs with an opaque format. */
STK_NODISCARD stk_status stk_dnnl_reorder(stk_cpu *cpu, const stk_tensor_type *type,
                                          stk_format from, const void *src, stk_format to,
                                          void *dst, stk_error *err);

/* Whether convolutions and GEMMs can apply act as a post-op. Otherwise it stays an op, since the
 * reference would have to compute the fused one. */
bool stk_dnnl_can_fuse(const stk_activation *act);

/* Native reorder between image formats; zeroes the padding of blocks. */
void stk_reorder_channels(stk_cpu *cpu, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst);

#endif
