/* What NVIDIA's CUPTI tells of kernels and copies, one by one. One at a time in a process. */
#ifndef STK_COMPUTE_CUDA_CUPTI_H
#define STK_COMPUTE_CUDA_CUPTI_H

#include "compute/runtime/backend.h"

typedef struct stk_cupti stk_cupti;

/* Begins to listen. The library is loaded now: the file that STOKER_CUPTI names, or the system's.
 * An error says what is missing, or who does not permit it, and what to do. */
STK_NODISCARD stk_status stk_cupti_new(stk_cupti **out, stk_error *err);
/* Stops listening; what was not told is lost. NULL is fine, here and below. */
void stk_cupti_free(stk_cupti *cupti);
/* What is begun in between is told under tag. */
void stk_cupti_enter(stk_cupti *cupti, uint64_t tag);
void stk_cupti_leave(stk_cupti *cupti);
/* Tells what has come, by time; all: of everything that the GPU has done. */
void stk_cupti_poll(stk_cupti *cupti, bool all, stk_device_activity_fn listener, void *context);

#endif
