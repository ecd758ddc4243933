/* Multi-tensor launches. Deferred items have levels, one more than the items they depend on; items
 * of a level launch in any order, grouped by kind. Programs alternate ops per parameter (sgd, ema,
 * sgd, ema): without levels each would depend on the one before. */
#include "compute/cuda/multi_tensor.h"
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 512 };

typedef struct pending {
    const stk_cuda_multi_tensor_kind *kind;
    stk_cuda_multi_tensor_item        item;
    uint8_t                           attrs[STK_CUDA_BATCH_ATTRS];
    int                               level;
    bool                              launched;
} pending;

struct stk_cuda_multi_tensor {
    int                               count;
    pending                           list[CAPACITY];
    const stk_cuda_multi_tensor_item *group[CAPACITY]; /* items of the next launch */
};

stk_status stk_cuda_multi_tensor_new(stk_cuda_multi_tensor **out, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "cuda", "batch", "no memory");
    return STK_OK;
}

void stk_cuda_multi_tensor_free(stk_cuda_multi_tensor *batch)
{
    free(batch);
}

bool stk_cuda_overlap(const stk_cuda_span *a, const stk_cuda_span *b)
{
    const char *from_a = a->at, *from_b = b->at;
    return from_a && from_b && from_a < from_b + b->bytes && from_b < from_a + a->bytes;
}

static bool any_overlap(const stk_cuda_span *a, const stk_cuda_span *b)
{
    for (int i = 0; i < STK_CUDA_MULTI_TENSOR_MAX && a[i].at; i++)
        for (int k = 0; k < STK_CUDA_MULTI_TENSOR_MAX && b[k].at; k++)
            if (stk_cuda_overlap(&a[i], &b[k])) return true;
    return false;
}

static int level_of(const stk_cuda_multi_tensor *batch, const stk_cuda_multi_tensor_item *item)
{
    int level = 0;
    for (int i = 0; i < batch->count; i++) {
        const stk_cuda_multi_tensor_item *before = &batch->list[i].item;
        if (batch->list[i].level < level) continue;
        if (any_overlap(item->out, before->out) || any_overlap(item->out, before->in) ||
            any_overlap(item->in, before->out))
            level = batch->list[i].level + 1;
    }
    return level;
}

stk_status stk_cuda_multi_tensor_add(stk_device *device, const stk_cuda_multi_tensor_kind *kind,
                                     const void *attrs, size_t attrs_size,
                                     const stk_cuda_multi_tensor_item *item, stk_error *err)
{
    stk_cuda_multi_tensor *batch = stk_cuda_of(device)->batch;
    if (item->count == 0) return STK_OK;
    if (batch->count == CAPACITY) STK_TRY(stk_cuda_flush(device, err));
    pending *n = &batch->list[batch->count];
    *n = (pending){.kind = kind, .item = *item, .level = level_of(batch, item)};
    if (attrs_size) memcpy(n->attrs, attrs, attrs_size);
    batch->count++;
    return STK_OK;
}

static bool alike(const pending *a, const pending *b)
{
    return a->kind == b->kind && a->level == b->level &&
           memcmp(a->attrs, b->attrs, sizeof a->attrs) == 0;
}

/* Launches all items that can be grouped with list[first]. */
static stk_status launch_from(stk_cuda *cuda, int first, stk_error *err)
{
    stk_cuda_multi_tensor            *batch = cuda->batch;
    const stk_cuda_multi_tensor_kind *kind = batch->list[first].kind;
    const void                       *attrs = batch->list[first].attrs;
    int                               count = 0;
    for (int i = first; i < batch->count; i++) {
        if (batch->list[i].launched || !alike(&batch->list[first], &batch->list[i])) continue;
        batch->group[count++] = &batch->list[i].item;
        batch->list[i].launched = true;
    }
    for (int at = 0; at < count; at += kind->max_items) {
        int         now = count - at < kind->max_items ? count - at : kind->max_items;
        cudaError_t code = kind->launch(attrs, batch->group + at, now, cuda->stream);
        if (code != cudaSuccess)
            return stk_cuda_fail(err, code, "a multi-tensor launch", kind->name);
    }
    return STK_OK;
}

stk_status stk_cuda_defer(const stk_kernel_call *call,
                          stk_status (*launch)(const stk_kernel_call *call, stk_error *err),
                          stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(call->device);
    STK_TRY(stk_cuda_flush(call->device, err));
    cuda->deferred_call = call;
    cuda->launch_deferred = launch;
    return STK_OK;
}

const stk_kernel_call *stk_cuda_deferred(const stk_device *device,
                                         stk_status (*launch)(const stk_kernel_call *call,
                                                              stk_error             *err))
{
    const stk_cuda *cuda = stk_cuda_of(device);
    return cuda->launch_deferred == launch && cuda->batch->count == 0 ? cuda->deferred_call : NULL;
}

static stk_status launch_deferred(stk_cuda *cuda, stk_error *err)
{
    const stk_kernel_call *call = cuda->deferred_call;
    cuda->deferred_call = NULL;
    return call ? cuda->launch_deferred(call, err) : STK_OK;
}

stk_status stk_cuda_flush(stk_device *device, stk_error *err)
{
    stk_cuda              *cuda = stk_cuda_of(device);
    stk_cuda_multi_tensor *batch = cuda->batch;
    stk_status             st = launch_deferred(cuda, err);
    int                    deepest = 0;
    for (int i = 0; i < batch->count; i++)
        if (batch->list[i].level > deepest) deepest = batch->list[i].level;
    for (int level = 0; level <= deepest && !st; level++)
        for (int i = 0; i < batch->count && !st; i++)
            if (!batch->list[i].launched && batch->list[i].level == level)
                st = launch_from(cuda, i, err);
    batch->count = 0;
    return st;
}
