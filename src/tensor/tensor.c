/* Tensors: a shape over a part of a shared buffer. */
#include "base/checked.h"

#include <inttypes.h>
#include <stoker/bytes.h>
#include <stoker/tensor.h>

static stk_status count_bytes(stk_dtype dtype, const stk_shape *shape, size_t *bytes,
                              stk_error *err)
{
    int64_t      count;
    const size_t each = stk_dtype_bytes(dtype);
    if (!each)
        return stk_fail(err, STK_E_TYPE, "tensor", NULL, "element type %d (%s) has no size",
                        (int)dtype, stk_dtype_name(dtype));
    STK_TRY(stk_shape_count(shape, &count, err));
    if ((uint64_t)count > SIZE_MAX || stk_mul_overflows((size_t)count, each, bytes)) {
        char text[256];
        return stk_fail(err, STK_E_SHAPE, "tensor", stk_shape_text(shape, text, sizeof text),
                        "%" PRId64 " elements of %zu bytes do not fit in memory", count, each);
    }
    return STK_OK;
}

stk_status stk_tensor_init(stk_tensor *out, stk_ledger *ledger, stk_memory memory, stk_dtype dtype,
                           const stk_shape *shape, stk_error *err)
{
    *out = (stk_tensor){0};
    size_t      bytes;
    stk_buffer *storage;
    STK_TRY(count_bytes(dtype, shape, &bytes, err));
    STK_TRY(stk_buffer_new(&storage, ledger, memory, bytes, err));
    /* Views into nowhere are a trap for whoever frees or prints a tensor half filled. */
    if (dtype == STK_DTYPE_BYTES) memset(stk_buffer_data(storage), 0, bytes);
    *out = (stk_tensor){.dtype = dtype, .shape = *shape, .storage = storage};
    return STK_OK;
}

stk_tensor stk_tensor_ref(const stk_tensor *tensor)
{
    if (tensor->storage) stk_buffer_ref(tensor->storage);
    return *tensor;
}

static stk_shape shape_of_row(const stk_shape *shape)
{
    stk_shape row = {.rank = shape->rank - 1};
    for (int i = 0; i < row.rank; i++)
        row.dim[i] = shape->dim[i + 1];
    return row;
}

/* A row of a batch is an image in the same order; a part of an image is none. */
static stk_layout layout_of_row(const stk_tensor *tensor)
{
    return tensor->shape.rank == 4 ? tensor->layout : STK_LAYOUT_NONE;
}

stk_status stk_tensor_row(const stk_tensor *tensor, int64_t index, stk_tensor *out, stk_error *err)
{
    char   text[256];
    size_t bytes;
    *out = (stk_tensor){0};
    if (!tensor->storage) return stk_fail(err, STK_E_INVALID, "tensor", NULL, "there is no tensor");
    stk_shape_text(&tensor->shape, text, sizeof text);
    if (tensor->shape.rank < 1)
        return stk_fail(err, STK_E_SHAPE, "tensor", text, "a scalar has no rows");
    if (index < 0 || index >= tensor->shape.dim[0])
        return stk_fail(err, STK_E_RANGE, "tensor", text, "row %" PRId64 " of %" PRId64, index,
                        tensor->shape.dim[0]);
    const stk_shape row = shape_of_row(&tensor->shape);
    STK_TRY(count_bytes(tensor->dtype, &row, &bytes, err));
    *out = (stk_tensor){.dtype = tensor->dtype,
                        .layout = layout_of_row(tensor),
                        .shape = row,
                        .storage = stk_buffer_ref(tensor->storage),
                        .offset = tensor->offset + (size_t)index * bytes};
    return STK_OK;
}

void stk_tensor_release(stk_tensor *tensor)
{
    stk_buffer_unref(tensor->storage);
    *tensor = (stk_tensor){0};
}

void *stk_tensor_data(const stk_tensor *tensor)
{
    return tensor->storage ? stk_buffer_data(tensor->storage) + tensor->offset : NULL;
}

size_t stk_tensor_bytes(const stk_tensor *tensor)
{
    size_t bytes;
    if (!tensor->storage || count_bytes(tensor->dtype, &tensor->shape, &bytes, NULL)) return 0;
    return bytes;
}
