/* What comes late: copies to the host behind what is computed, and events that tell when they are
 * there. */
#include "compute/cuda/cuda.h"

stk_status stk_cuda_post(stk_device *device, void *dst, const void *src, size_t size,
                         stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    STK_CUDA_TRY(cudaMemcpyAsync(dst, src, size, cudaMemcpyDeviceToHost, cuda->stream), "post",
                 err);
    return STK_OK;
}

/* A thread that waits sleeps: while the GPU has steps to do, threads that prepare input have the
 * core, and that it wakes up some microseconds late delays nobody. */
stk_status stk_cuda_mark(stk_device *device, void **mark, stk_error *err)
{
    stk_cuda   *cuda = stk_cuda_of(device);
    cudaEvent_t event = *mark;
    if (!event) STK_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventBlockingSync), "mark", err);
    *mark = event;
    STK_CUDA_TRY(cudaEventRecord(event, cuda->stream), "mark", err);
    return STK_OK;
}

/* Events that have passed tell nothing of copies without a status that failed before. */
stk_status stk_cuda_passed(stk_device *device, void *mark, bool wait, bool *passed, stk_error *err)
{
    stk_cuda   *cuda = stk_cuda_of(device);
    cudaEvent_t event = mark;
    cudaError_t code = wait ? cudaEventSynchronize(event) : cudaEventQuery(event);
    *passed = code == cudaSuccess;
    if (code == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* else the next launch would find it */
        return STK_OK;
    }
    stk_cuda_note(cuda, code, "waiting for a step");
    if (cuda->failed == cudaSuccess) return STK_OK;
    return stk_cuda_fail(err, cuda->failed, cuda->failed_at, cuda->name);
}

uint64_t stk_cuda_between(stk_device *device, void *from, void *to)
{
    float milliseconds = 0;
    (void)device;
    if (cudaEventElapsedTime(&milliseconds, (cudaEvent_t)from, (cudaEvent_t)to) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return (uint64_t)((double)milliseconds * 1e6);
}

void stk_cuda_unmark(stk_device *device, void *mark)
{
    (void)device;
    if (mark) cudaEventDestroy((cudaEvent_t)mark);
}
