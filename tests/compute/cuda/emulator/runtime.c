/* The CUDA runtime functions that the backend uses, on the CPU. Calls complete at once. But copies
 * to pinned memory become visible only after the synchronization CUDA requires, and a new event is
 * not complete at the first query. There is no capture. */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    (void)device;
    memset(p, 0, sizeof *p);
    strcpy(p->name, "emulated");
    p->major = 9;
    p->multiProcessorCount = 4;
    p->totalGlobalMem = (size_t)1 << 32;
    p->l2CacheSize = 1 << 20;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **data, size_t size)
{
    *data = aligned_alloc(256, (size + 255) & ~(size_t)255);
    return *data ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *data)
{
    free(data);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **data, size_t size)
{
    return cudaMalloc(data, size);
}

cudaError_t cudaFreeHost(void *data)
{
    return cudaFree(data);
}

cudaError_t cudaMemGetInfo(size_t *free_now, size_t *all)
{
    *free_now = *all = (size_t)1 << 32;
    return cudaSuccess;
}

/* Copies to the host that were not synchronized yet. */
typedef struct late {
    struct late *next;
    void        *dst;
    size_t       size;
    char         data[];
} late;

static late *first_late, **last_late = &first_late;

static cudaError_t copy_late(void *dst, const void *src, size_t size)
{
    late *l = malloc(sizeof *l + size);
    if (!l) return cudaErrorMemoryAllocation;
    l->next = NULL;
    l->dst = dst;
    l->size = size;
    memcpy(l->data, src, size);
    *last_late = l;
    last_late = &l->next;
    return cudaSuccess;
}

static void arrive(void)
{
    for (late *l = first_late, *next; l; l = next) {
        next = l->next;
        memcpy(l->dst, l->data, l->size);
        free(l);
    }
    first_late = NULL;
    last_late = &first_late;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    if (kind == cudaMemcpyDeviceToHost) return copy_late(dst, src, size);
    memmove(dst, src, size);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t size, cudaStream_t stream)
{
    (void)stream;
    memset(dst, value, size);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = (cudaStream_t)malloc(1);
    return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free((void *)stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    arrive();
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

typedef struct event {
    struct timespec at;
    bool            asked;
} event;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *made, unsigned flags)
{
    (void)flags;
    *made = (cudaEvent_t)calloc(1, sizeof(event));
    return *made ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t one)
{
    free((void *)one);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t one, cudaStream_t stream)
{
    event *e = (event *)one;
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &e->at);
    e->asked = false;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t one)
{
    (void)one;
    arrive();
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t one)
{
    event *e = (event *)one;
    if (!e->asked) {
        e->asked = true;
        return cudaErrorNotReady;
    }
    return cudaEventSynchronize(one);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    const struct timespec *a = &((event *)from)->at, *b = &((event *)to)->at;
    *milliseconds =
        (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaSuccess                 ? "no error"
           : code == cudaErrorMemoryAllocation ? "out of memory"
                                               : "emulated error";
}

const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaSuccess                 ? "cudaSuccess"
           : code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
                                               : "emulated";
}
