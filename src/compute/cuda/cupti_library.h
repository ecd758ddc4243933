/* CUPTI's functions, loaded at run time. */
#ifndef STK_COMPUTE_CUDA_CUPTI_LIBRARY_H
#define STK_COMPUTE_CUDA_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stoker/error.h>

typedef struct stk_cupti_library {
    CUptiResult (*GetVersion)(uint32_t *version);
    CUptiResult (*GetResultString)(CUptiResult result, const char **text);
    CUptiResult (*ActivityRegisterCallbacks)(CUpti_BuffersCallbackRequestFunc  requested,
                                             CUpti_BuffersCallbackCompleteFunc completed);
    CUptiResult (*ActivityRegisterTimestampCallback)(CUpti_TimestampCallbackFunc now);
    CUptiResult (*ActivityEnable)(CUpti_ActivityKind kind);
    CUptiResult (*ActivityDisable)(CUpti_ActivityKind kind);
    CUptiResult (*ActivityFlushAll)(uint32_t flag);
    CUptiResult (*ActivityGetNextRecord)(uint8_t *buffer, size_t size, CUpti_Activity **record);
    CUptiResult (*ActivityPushExternalCorrelationId)(CUpti_ExternalCorrelationKind kind,
                                                     uint64_t                      id);
    CUptiResult (*ActivityPopExternalCorrelationId)(CUpti_ExternalCorrelationKind kind,
                                                    uint64_t                     *last);
    char *(*demangle)(const char *name, char *out, size_t *size, int *status); /* may be NULL */
} stk_cupti_library;

/* The library stays loaded: CUPTI calls back from its own threads. */
STK_NODISCARD stk_status stk_cupti_library_open(stk_cupti_library *library, stk_error *err);
/* Fails with CUPTI's message and a remedy. */
stk_status stk_cupti_fail(const stk_cupti_library *library, CUptiResult result, const char *tried,
                          stk_error *err);

#endif
