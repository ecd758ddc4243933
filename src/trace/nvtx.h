/* Ranges for NVIDIA's tools: libnvToolsExt, where it is there and asked for. */
#ifndef STK_TRACE_NVTX_H
#define STK_TRACE_NVTX_H

#include <stoker/error.h>

/* All zero: off. */
typedef struct stk_nvtx {
    void *library;
    int (*push)(const char *name);
    int (*pop)(void);
} stk_nvtx;

/* path NULL: the system's. STK_E_UNSUPPORTED where there is none. */
STK_NODISCARD stk_status stk_nvtx_open(stk_nvtx *nvtx, const char *path, stk_error *err);
void                     stk_nvtx_close(stk_nvtx *nvtx);

#endif
