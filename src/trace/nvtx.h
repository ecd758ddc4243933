/* Ranges for NVIDIA's tools: NVTX 3 in builds with CUDA, else libnvToolsExt if installed. */
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

/* path NULL: the built-in NVTX 3, else the system's library. STK_E_UNSUPPORTED without either. */
STK_NODISCARD stk_status stk_nvtx_open(stk_nvtx *nvtx, const char *path, stk_error *err);
void                     stk_nvtx_close(stk_nvtx *nvtx);

/* Fills nvtx if this build has NVTX 3. */
bool stk_nvtx3_has(stk_nvtx *nvtx);

#endif
