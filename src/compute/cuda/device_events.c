/* Asynchronous downloads, and events on the compute stream. */
#include "compute/cuda/cuda.h"

stk_status stk_cuda_download_async(stk_device *device, void *dst, const void *src, size_t size,
                                   stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    STK_CUDA_TRY(cudaMemcpyAsync(dst, src, size, cudaMemcpyDeviceToHost, cuda->stream), "download",
                 err);
    return STK_OK;
}

/* Blocking sync lets the waiting thread sleep, which leaves its core to input threads. Waking some
 * microseconds late does no harm while steps are in flight. */
stk_status stk_cuda_event_record(stk_device *device, void **event, stk_error *err)
{
    stk_cuda   *cuda = stk_cuda_of(device);
    cudaEvent_t made = *event;
    if (!made) STK_CUDA_TRY(cudaEventCreateWithFlags(&made, cudaEventBlockingSync), "event", err);
    *event = made;
    STK_CUDA_TRY(cudaEventRecord(made, cuda->stream), "event", err);
    return STK_OK;
}

/* A completed event says nothing about earlier copies without status, so their failures are
 * returned here. */
stk_status stk_cuda_event_query(stk_device *device, void *event, bool wait, bool *done,
                                stk_error *err)
{
    stk_cuda   *cuda = stk_cuda_of(device);
    cudaError_t code =
        wait ? cudaEventSynchronize((cudaEvent_t)event) : cudaEventQuery((cudaEvent_t)event);
    *done = code == cudaSuccess;
    if (code == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* clears the status, which the next launch would return */
        return STK_OK;
    }
    stk_cuda_record_failure(cuda, code, "waiting for a step");
    if (cuda->failed == cudaSuccess) return STK_OK;
    return stk_cuda_fail(err, cuda->failed, cuda->failed_at, cuda->name);
}

uint64_t stk_cuda_event_elapsed(stk_device *device, void *from, void *to)
{
    float milliseconds = 0;
    (void)device;
    if (cudaEventElapsedTime(&milliseconds, (cudaEvent_t)from, (cudaEvent_t)to) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return (uint64_t)((double)milliseconds * 1e6);
}

void stk_cuda_event_free(stk_device *device, void *event)
{
    (void)device;
    if (event) cudaEventDestroy((cudaEvent_t)event);
}
