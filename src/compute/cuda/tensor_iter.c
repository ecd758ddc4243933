/* Fewer dimensions are fewer divisions a piece. */
#include "compute/cuda/tensor_iter.h"

enum { WIDEST = 16 }; /* bytes of an access */

void stk_cuda_tensor_iter_strides(const stk_shape *shape, int64_t step[STK_CUDA_WALK_RANK])
{
    int64_t next = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        step[d] = next;
        next *= shape->dim[d];
    }
}

static bool follows(const stk_cuda_tensor_iter *walk, int before, const stk_cuda_tensor_iter *from,
                    int d)
{
    for (int t = 0; t < walk->tensors; t++)
        if (walk->step[t][before] != from->step[t][d] * from->size[d]) return false;
    return true;
}

void stk_cuda_tensor_iter_join(stk_cuda_tensor_iter *walk)
{
    stk_cuda_tensor_iter from = *walk;
    walk->rank = 0;
    for (int d = 0; d < from.rank; d++) {
        if (from.size[d] == 1) continue;
        bool joined = walk->rank && follows(walk, walk->rank - 1, &from, d);
        int  at = joined ? walk->rank - 1 : walk->rank++;
        walk->size[at] = joined ? walk->size[at] * from.size[d] : from.size[d];
        for (int t = 0; t < from.tensors; t++)
            walk->step[t][at] = from.step[t][d];
    }
    if (walk->rank) return;
    walk->rank = 1;
    walk->size[0] = 1;
    for (int t = 0; t < from.tensors; t++)
        walk->step[t][0] = 1;
}

bool stk_cuda_tensor_iter_in_pieces(const stk_cuda_tensor_iter *walk, int64_t count)
{
    int last = walk->rank - 1;
    if (walk->size[last] % count) return false;
    for (int t = 0; t < walk->tensors; t++) {
        if (walk->step[t][last] == 0) continue;
        if (walk->step[t][last] != 1) return false;
        for (int d = 0; d < last; d++)
            if (walk->step[t][d] % count) return false;
    }
    return true;
}

static bool both_together(const stk_cuda_tensor_iter *walk)
{
    int last = walk->rank - 1;
    return walk->step[0][last] == 1 && walk->step[1][last] == 1;
}

size_t stk_cuda_tensor_iter_widen(stk_cuda_tensor_iter *walk, size_t width, const void *src,
                                  const void *dst)
{
    while (width < WIDEST && both_together(walk) && stk_cuda_tensor_iter_in_pieces(walk, 2) &&
           ((uintptr_t)src | (uintptr_t)dst) % (2 * width) == 0) {
        for (int d = 0; d < walk->rank - 1; d++)
            walk->step[0][d] /= 2, walk->step[1][d] /= 2;
        walk->size[walk->rank - 1] /= 2;
        width *= 2;
    }
    return width;
}

int64_t stk_cuda_tensor_iter_count(const stk_cuda_tensor_iter *walk)
{
    int64_t count = 1;
    for (int d = 0; d < walk->rank; d++)
        count *= walk->size[d];
    return count;
}
