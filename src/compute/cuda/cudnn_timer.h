/* Times work on a stream: the median of samples, each a run on every set of buffers. */
#ifndef STK_COMPUTE_CUDA_CUDNN_TIMER_H
#define STK_COMPUTE_CUDA_CUDNN_TIMER_H

#include <cuda_runtime_api.h>
#include <stoker/error.h>

typedef struct stk_timer {
    cudaStream_t stream;
    cudaEvent_t  begin, end;
    int          sets;
} stk_timer;

enum { STK_TIMER_SAMPLES = 9 };

STK_NODISCARD stk_status stk_timer_init(stk_timer *timer, cudaStream_t stream, int sets,
                                        stk_error *err);
/* A zeroed timer is fine. */
void stk_timer_release(stk_timer *timer);
/* run(context, set) enqueues work. After a warm-up, one sample suffices if it exceeds limit (0:
 * none) or some milliseconds. Otherwise returns the median of `samples` more, at most
 * STK_TIMER_SAMPLES. */
STK_NODISCARD stk_status stk_timer_median(stk_timer *timer, int samples, double limit,
                                          stk_status (*run)(void *context, int set, stk_error *err),
                                          void *context, double *us, stk_error *err);

#endif
