/* Double-buffered uploads. Batch n+1 crosses on the copy stream into a staging slot while batch n
 * computes; a copy on the compute stream moves it into place. Up to 64 KB, slots are pinned host
 * memory: one copy instead of two. */
#include "compute/cuda/cuda.h"
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, SMALL_MAX = 64 << 10 };

typedef struct slot {
    void       *data;
    cudaEvent_t arrived;  /* the copy from the host has completed */
    cudaEvent_t consumed; /* the copy into place has completed */
    bool        used;
} slot;

typedef struct upload {
    void          *dst;
    size_t         size;
    slot           slots[SLOTS];
    unsigned       turn;
    struct upload *next;
} upload;

struct stk_cuda_uploads {
    upload *first;
};

static void free_slots(upload *f)
{
    for (int i = 0; i < SLOTS; i++) {
        if (f->slots[i].data && f->size <= SMALL_MAX) cudaFreeHost(f->slots[i].data);
        if (f->slots[i].data && f->size > SMALL_MAX) cudaFree(f->slots[i].data);
        if (f->slots[i].arrived) cudaEventDestroy(f->slots[i].arrived);
        if (f->slots[i].consumed) cudaEventDestroy(f->slots[i].consumed);
    }
}

void stk_cuda_uploads_free(stk_cuda *cuda)
{
    if (!cuda->uploads) return;
    for (upload *f = cuda->uploads->first, *next; f; f = next) {
        next = f->next;
        free_slots(f);
        free(f);
    }
    free(cuda->uploads);
    cuda->uploads = NULL;
}

static stk_status make_slot(slot *s, size_t size, stk_error *err)
{
    if (size <= SMALL_MAX) STK_CUDA_TRY(cudaMallocHost(&s->data, size ? size : 1), "upload", err);
    if (size > SMALL_MAX) STK_CUDA_TRY(cudaMalloc(&s->data, size), "upload", err);
    STK_CUDA_TRY(cudaEventCreateWithFlags(&s->arrived, cudaEventDisableTiming), "upload", err);
    STK_CUDA_TRY(cudaEventCreateWithFlags(&s->consumed, cudaEventDisableTiming), "upload", err);
    return STK_OK;
}

static stk_status add(stk_cuda *cuda, void *dst, size_t size, upload **out, stk_error *err)
{
    if (!cuda->uploads) cuda->uploads = calloc(1, sizeof *cuda->uploads);
    upload *f = cuda->uploads ? calloc(1, sizeof *f) : NULL;
    if (!f) return stk_fail(err, STK_E_NOMEM, "cuda", "upload", "no memory");
    f->dst = dst;
    f->size = size;
    for (int i = 0; i < SLOTS; i++) {
        stk_status st = make_slot(&f->slots[i], size, err);
        if (!st) continue;
        free_slots(f);
        free(f);
        return st;
    }
    f->next = cuda->uploads->first;
    cuda->uploads->first = f;
    *out = f;
    return STK_OK;
}

static upload *find(const stk_cuda *cuda, const void *dst, size_t size)
{
    for (upload *f = cuda->uploads ? cuda->uploads->first : NULL; f; f = f->next)
        if (f->dst == dst && f->size == size) return f;
    return NULL;
}

static stk_status upload_small(stk_cuda *cuda, upload *f, slot *s, const void *src, stk_error *err)
{
    if (s->used) STK_CUDA_TRY(cudaEventSynchronize(s->consumed), "upload", err);
    memcpy(s->data, src, f->size);
    STK_CUDA_TRY(cudaMemcpyAsync(f->dst, s->data, f->size, cudaMemcpyHostToDevice, cuda->stream),
                 "upload", err);
    STK_CUDA_TRY(cudaEventRecord(s->consumed, cuda->stream), "upload", err);
    return STK_OK;
}

static stk_status upload_large(stk_cuda *cuda, upload *f, slot *s, const void *src, stk_error *err)
{
    if (s->used) STK_CUDA_TRY(cudaStreamWaitEvent(cuda->copies, s->consumed, 0), "upload", err);
    stk_cuda_copy_begin(cuda, f->size);
    STK_CUDA_TRY(cudaMemcpyAsync(s->data, src, f->size, cudaMemcpyHostToDevice, cuda->copies),
                 "upload", err);
    stk_cuda_copy_end(cuda);
    STK_CUDA_TRY(cudaEventRecord(s->arrived, cuda->copies), "upload", err);
    STK_CUDA_TRY(cudaStreamWaitEvent(cuda->stream, s->arrived, 0), "upload", err);
    STK_CUDA_TRY(cudaMemcpyAsync(f->dst, s->data, f->size, cudaMemcpyDeviceToDevice, cuda->stream),
                 "upload", err);
    STK_CUDA_TRY(cudaEventRecord(s->consumed, cuda->stream), "upload", err);
    return STK_OK;
}

/* Unless src is borrowed, the host waits for its own copy only; the GPU stays busy with earlier
 * work. */
stk_status stk_cuda_upload_async(stk_device *device, void *dst, const void *src, size_t size,
                                 bool borrowed, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    upload   *f = find(cuda, dst, size);
    if (!f) STK_TRY(add(cuda, dst, size, &f, err));
    slot *s = &f->slots[f->turn++ % SLOTS];
    bool  small = size <= SMALL_MAX;
    STK_TRY(small ? upload_small(cuda, f, s, src, err) : upload_large(cuda, f, s, src, err));
    s->used = true;
    if (!small && !borrowed) STK_CUDA_TRY(cudaEventSynchronize(s->arrived), "upload", err);
    return STK_OK;
}
