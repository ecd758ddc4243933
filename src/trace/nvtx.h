/* Ranges for NVIDIA's tools: NVTX 3, which is part of builds that found CUDA, or libnvToolsExt,
 * where it is there. */
#ifndef STK_TRACE_NVTX_H
#define STK_TRACE_NVTX_H

#include <stdbool.h>
#include <stoker/error.h>

/* All zero: off. */
typedef struct stk_nvtx {
    void *library;
    int (*push)(const char *name);
    int (*pop)(void);
} stk_nvtx;

/* path NULL: what this build has, else the system's. STK_E_UNSUPPORTED where there is none. */
STK_NODISCARD stk_status stk_nvtx_open(stk_nvtx *nvtx, const char *path, stk_error *err);
void                     stk_nvtx_close(stk_nvtx *nvtx);

/* Fills nvtx where this build has NVTX 3. */
bool stk_nvtx3_has(stk_nvtx *nvtx);

#endif
