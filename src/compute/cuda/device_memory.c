/* Device memory, and copies on the compute stream. */
#include "compute/cuda/multi_tensor.h"

void *stk_cuda_alloc(stk_device *device, size_t size)
{
    void *data = NULL;
    (void)device;
    if (cudaMalloc(&data, size ? size : 1) == cudaSuccess) return data;
    (void)cudaGetLastError(); /* clears the error, which the next call would return */
    return NULL;
}

uint64_t stk_cuda_memory(const stk_device *device)
{
    return stk_cuda_of(device)->memory;
}

/* Other processes may use the GPU too. */
uint64_t stk_cuda_memory_free(const stk_device *device)
{
    size_t free_now = 0, all = 0;
    if (cudaMemGetInfo(&free_now, &all) == cudaSuccess) return free_now;
    (void)cudaGetLastError();
    return stk_cuda_of(device)->memory;
}

/* Called on batch threads too, so each call sets the GPU. */
void *stk_cuda_host_alloc(stk_device *device, size_t size)
{
    void *data = NULL;
    if (cudaSetDevice(stk_cuda_of(device)->ordinal) == cudaSuccess &&
        cudaMallocHost(&data, size ? size : 1) == cudaSuccess)
        return data;
    (void)cudaGetLastError();
    return NULL;
}

void stk_cuda_host_free(stk_device *device, void *data, size_t size)
{
    (void)size;
    if (cudaSetDevice(stk_cuda_of(device)->ordinal) != cudaSuccess ||
        cudaFreeHost(data) != cudaSuccess)
        (void)cudaGetLastError(); /* a lost GPU has freed everything */
}

void stk_cuda_free(stk_device *device, void *data, size_t size)
{
    (void)size;
    stk_cuda_record_failure(stk_cuda_of(device), cudaFree(data), "cudaFree");
}

void stk_cuda_upload(stk_device *device, void *dst, const void *src, size_t size)
{
    stk_cuda *cuda = stk_cuda_of(device);
    stk_cuda_record_failure(cuda,
                            cudaMemcpyAsync(dst, src, size, cudaMemcpyHostToDevice, cuda->stream),
                            "copying to the GPU");
    stk_cuda_record_failure(cuda, cudaStreamSynchronize(cuda->stream), "copying to the GPU");
}

void stk_cuda_download(stk_device *device, void *dst, const void *src, size_t size)
{
    stk_cuda *cuda = stk_cuda_of(device);
    stk_cuda_record_failure(cuda,
                            cudaMemcpyAsync(dst, src, size, cudaMemcpyDeviceToHost, cuda->stream),
                            "copying from the GPU");
    stk_cuda_record_failure(cuda, cudaStreamSynchronize(cuda->stream), "copying from the GPU");
}

void stk_cuda_clear(stk_device *device, void *dst, size_t size)
{
    stk_cuda *cuda = stk_cuda_of(device);
    stk_cuda_record_failure(cuda, cudaMemsetAsync(dst, 0, size, cuda->stream),
                            "clearing memory of the GPU");
}

stk_status stk_cuda_sync(stk_device *device, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    STK_TRY(stk_cuda_flush(device, err));
    stk_cuda_record_failure(cuda, cudaStreamSynchronize(cuda->stream), "waiting for the GPU");
    if (cuda->failed == cudaSuccess) return STK_OK;
    return stk_cuda_fail(err, cuda->failed, cuda->failed_at, cuda->name);
}
