/* Feeding: bytes go from the host into a slot of the GPU's memory beside what is computed, and from
 * there to their place in its order. With two slots a place the next batch crosses while the last
 * one is worked on. Few bytes are not worth two copies: their slots are pinned memory of the host,
 * and go to their place in its order. */
#include "compute/cuda/cuda.h"
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, FEW = 64 << 10 };

typedef struct slot {
    void       *data;
    cudaEvent_t there; /* it has come from the host */
    cudaEvent_t taken; /* it was copied to its place */
    bool        used;
} slot;

typedef struct feed {
    void        *dst;
    size_t       size;
    slot         slots[SLOTS];
    unsigned     turn;
    struct feed *next;
} feed;

struct stk_cuda_feeds {
    feed *first;
};

static void free_slots(feed *f)
{
    for (int i = 0; i < SLOTS; i++) {
        if (f->slots[i].data && f->size <= FEW) cudaFreeHost(f->slots[i].data);
        if (f->slots[i].data && f->size > FEW) cudaFree(f->slots[i].data);
        if (f->slots[i].there) cudaEventDestroy(f->slots[i].there);
        if (f->slots[i].taken) cudaEventDestroy(f->slots[i].taken);
    }
}

void stk_cuda_feeds_free(stk_cuda *cuda)
{
    if (!cuda->feeds) return;
    for (feed *f = cuda->feeds->first, *next; f; f = next) {
        next = f->next;
        free_slots(f);
        free(f);
    }
    free(cuda->feeds);
    cuda->feeds = NULL;
}

static stk_status make_slot(slot *s, size_t size, stk_error *err)
{
    if (size <= FEW) STK_CUDA_TRY(cudaMallocHost(&s->data, size ? size : 1), "feed", err);
    if (size > FEW) STK_CUDA_TRY(cudaMalloc(&s->data, size), "feed", err);
    STK_CUDA_TRY(cudaEventCreateWithFlags(&s->there, cudaEventDisableTiming), "feed", err);
    STK_CUDA_TRY(cudaEventCreateWithFlags(&s->taken, cudaEventDisableTiming), "feed", err);
    return STK_OK;
}

static stk_status add(stk_cuda *cuda, void *dst, size_t size, feed **out, stk_error *err)
{
    if (!cuda->feeds) cuda->feeds = calloc(1, sizeof *cuda->feeds);
    feed *f = cuda->feeds ? calloc(1, sizeof *f) : NULL;
    if (!f) return stk_fail(err, STK_E_NOMEM, "cuda", "feed", "no memory");
    f->dst = dst;
    f->size = size;
    for (int i = 0; i < SLOTS; i++) {
        stk_status st = make_slot(&f->slots[i], size, err);
        if (!st) continue;
        free_slots(f);
        free(f);
        return st;
    }
    f->next = cuda->feeds->first;
    cuda->feeds->first = f;
    *out = f;
    return STK_OK;
}

static feed *find(const stk_cuda *cuda, const void *dst, size_t size)
{
    for (feed *f = cuda->feeds ? cuda->feeds->first : NULL; f; f = f->next)
        if (f->dst == dst && f->size == size) return f;
    return NULL;
}

static stk_status feed_few(stk_cuda *cuda, feed *f, slot *s, const void *src, stk_error *err)
{
    if (s->used) STK_CUDA_TRY(cudaEventSynchronize(s->taken), "feed", err);
    memcpy(s->data, src, f->size);
    STK_CUDA_TRY(cudaMemcpyAsync(f->dst, s->data, f->size, cudaMemcpyHostToDevice, cuda->stream),
                 "feed", err);
    STK_CUDA_TRY(cudaEventRecord(s->taken, cuda->stream), "feed", err);
    return STK_OK;
}

static stk_status feed_many(stk_cuda *cuda, feed *f, slot *s, const void *src, stk_error *err)
{
    if (s->used) STK_CUDA_TRY(cudaStreamWaitEvent(cuda->copies, s->taken, 0), "feed", err);
    stk_cuda_copy_begins(cuda, f->size);
    STK_CUDA_TRY(cudaMemcpyAsync(s->data, src, f->size, cudaMemcpyHostToDevice, cuda->copies),
                 "feed", err);
    stk_cuda_copy_ends(cuda);
    STK_CUDA_TRY(cudaEventRecord(s->there, cuda->copies), "feed", err);
    STK_CUDA_TRY(cudaStreamWaitEvent(cuda->stream, s->there, 0), "feed", err);
    STK_CUDA_TRY(cudaMemcpyAsync(f->dst, s->data, f->size, cudaMemcpyDeviceToDevice, cuda->stream),
                 "feed", err);
    STK_CUDA_TRY(cudaEventRecord(s->taken, cuda->stream), "feed", err);
    return STK_OK;
}

/* What is not lent must have been read when this returns: the host waits for its own copy alone,
 * and the GPU is busy with what was begun before. */
stk_status stk_cuda_feed(stk_device *device, void *dst, const void *src, size_t size, bool lent,
                         stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    feed     *f = find(cuda, dst, size);
    if (!f) STK_TRY(add(cuda, dst, size, &f, err));
    slot *s = &f->slots[f->turn++ % SLOTS];
    bool  few = size <= FEW;
    STK_TRY(few ? feed_few(cuda, f, s, src, err) : feed_many(cuda, f, s, src, err));
    s->used = true;
    if (!few && !lent) STK_CUDA_TRY(cudaEventSynchronize(s->there), "feed", err);
    return STK_OK;
}
