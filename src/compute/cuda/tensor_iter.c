/* Fewer dimensions need fewer divisions per piece. */
#include "compute/cuda/tensor_iter.h"

enum { WIDEST = 16 }; /* bytes of an access */

void stk_cuda_tensor_iter_strides(const stk_shape *shape, int64_t step[STK_CUDA_ITER_RANK])
{
    int64_t next = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        step[d] = next;
        next *= shape->dim[d];
    }
}

static bool follows(const stk_cuda_tensor_iter *iter, int before, const stk_cuda_tensor_iter *from,
                    int d)
{
    for (int t = 0; t < iter->tensors; t++)
        if (iter->stride[t][before] != from->stride[t][d] * from->size[d]) return false;
    return true;
}

void stk_cuda_tensor_iter_join(stk_cuda_tensor_iter *iter)
{
    stk_cuda_tensor_iter from = *iter;
    iter->rank = 0;
    for (int d = 0; d < from.rank; d++) {
        if (from.size[d] == 1) continue;
        bool joined = iter->rank && follows(iter, iter->rank - 1, &from, d);
        int  at = joined ? iter->rank - 1 : iter->rank++;
        iter->size[at] = joined ? iter->size[at] * from.size[d] : from.size[d];
        for (int t = 0; t < from.tensors; t++)
            iter->stride[t][at] = from.stride[t][d];
    }
    if (iter->rank) return;
    iter->rank = 1;
    iter->size[0] = 1;
    for (int t = 0; t < from.tensors; t++)
        iter->stride[t][0] = 1;
}

bool stk_cuda_tensor_iter_split(const stk_cuda_tensor_iter *iter, int64_t count)
{
    int last = iter->rank - 1;
    if (iter->size[last] % count) return false;
    for (int t = 0; t < iter->tensors; t++) {
        if (iter->stride[t][last] == 0) continue;
        if (iter->stride[t][last] != 1) return false;
        for (int d = 0; d < last; d++)
            if (iter->stride[t][d] % count) return false;
    }
    return true;
}

static bool join_dims(const stk_cuda_tensor_iter *iter)
{
    int last = iter->rank - 1;
    return iter->stride[0][last] == 1 && iter->stride[1][last] == 1;
}

size_t stk_cuda_tensor_iter_widen(stk_cuda_tensor_iter *iter, size_t width, const void *src,
                                  const void *dst)
{
    while (width < WIDEST && join_dims(iter) && stk_cuda_tensor_iter_split(iter, 2) &&
           ((uintptr_t)src | (uintptr_t)dst) % (2 * width) == 0) {
        for (int d = 0; d < iter->rank - 1; d++)
            iter->stride[0][d] /= 2, iter->stride[1][d] /= 2;
        iter->size[iter->rank - 1] /= 2;
        width *= 2;
    }
    return width;
}

int64_t stk_cuda_tensor_iter_count(const stk_cuda_tensor_iter *iter)
{
    int64_t count = 1;
    for (int d = 0; d < iter->rank; d++)
        count *= iter->size[d];
    return count;
}
