/* Activity of single kernels and copies by NVIDIA's CUPTI. At most one per process. */
#ifndef STK_COMPUTE_CUDA_CUPTI_H
#define STK_COMPUTE_CUDA_CUPTI_H

#include "compute/runtime/backend.h"

typedef struct stk_cupti stk_cupti;

/* Starts tracing. Loads the file that STOKER_CUPTI names, or the system's library. The error names
 * what is missing or forbidden, and a remedy. */
STK_NODISCARD stk_status stk_cupti_new(stk_cupti **out, stk_error *err);
/* Stops tracing; unreported activity is lost. NULL is fine, here and below. */
void stk_cupti_free(stk_cupti *cupti);
/* Work enqueued in between is reported under tag. */
void stk_cupti_enter(stk_cupti *cupti, uint64_t tag);
void stk_cupti_leave(stk_cupti *cupti);
/* Reports completed activity by time; all: flushes and reports all activity. */
void stk_cupti_poll(stk_cupti *cupti, bool all, stk_device_activity_fn listener, void *context);

#endif
