/* Moves tensors from a file through host memory into variables. */
#include "train/checkpoint/staging.h"

#include "base/checked.h"
#include "compute/runtime/device_variables.h"

typedef struct move {
    const stk_safetensors_tensor *tensor;
    size_t                        variable, offset; /* offset: in data */
} move;

enum { SHAPE_CAPACITY = 192 };

void stk_staging_init(stk_staging *staging, const stk_variables *variables)
{
    stk_ledger *ledger = variables->device->options.ledger;
    stk_blob_init(&staging->moves, ledger, STK_MEMORY_READ);
    stk_blob_init(&staging->data, ledger, STK_MEMORY_READ);
    staging->end = 0;
}

void stk_staging_release(stk_staging *staging)
{
    stk_blob_release(&staging->data);
    stk_blob_release(&staging->moves);
}

stk_status stk_staging_match(const stk_safetensors *file, const stk_variable_info *info,
                             const char *path, const stk_safetensors_tensor **tensor,
                             stk_error *err)
{
    char                          ours[SHAPE_CAPACITY], theirs[SHAPE_CAPACITY];
    const stk_safetensors_tensor *t = stk_safetensors_find(file, info->name);
    *tensor = t;
    if (!t)
        return stk_fail(err, STK_E_NOTFOUND, "checkpoint", path,
                        "the model has '%s' as %s%s but the file has no such tensor: it is of "
                        "another model",
                        info->name, stk_dtype_name(info->dtype),
                        stk_shape_text(&info->shape, ours, sizeof ours));
    const bool same = stk_shape_equal(&t->shape, &info->shape);
    if (same && t->dtype == info->dtype) return STK_OK;
    return stk_fail(err, same ? STK_E_TYPE : STK_E_SHAPE, "checkpoint", path,
                    "tensor '%s' is %s%s in the file but %s%s in the model: it is of another model",
                    info->name, stk_dtype_name(t->dtype),
                    stk_shape_text(&t->shape, theirs, sizeof theirs), stk_dtype_name(info->dtype),
                    stk_shape_text(&info->shape, ours, sizeof ours));
}

stk_status stk_staging_add(stk_staging *staging, const stk_safetensors_tensor *tensor, size_t index,
                           stk_error *err)
{
    const move added = {.tensor = tensor, .variable = index, .offset = staging->end};
    if (stk_add_overflows(staging->end, (size_t)tensor->bytes, &staging->end))
        return stk_fail(err, STK_E_LIMIT, "checkpoint", tensor->name,
                        "the tensors up to this one have more bytes than memory can hold");
    return stk_blob_append(&staging->moves, &added, sizeof added, err);
}

static const move *moves_of(const stk_staging *staging, size_t *count)
{
    *count = staging->moves.size / sizeof(move);
    return (const move *)(const void *)staging->moves.data;
}

stk_status stk_staging_read(stk_staging *staging, const stk_safetensors *file, stk_error *err)
{
    size_t      count;
    const move *moves = moves_of(staging, &count);
    STK_TRY(stk_blob_reserve_exact(&staging->data, staging->end ? staging->end : 1, err));
    for (size_t i = 0; i < count; i++)
        STK_TRY(
            stk_safetensors_read(file, moves[i].tensor, staging->data.data + moves[i].offset, err));
    return STK_OK;
}

stk_status stk_staging_put(const stk_staging *staging, stk_variables *variables, stk_error *err)
{
    size_t      count;
    const move *moves = moves_of(staging, &count);
    for (size_t i = 0; i < count; i++)
        STK_TRY(stk_variables_write(variables, moves[i].variable,
                                    staging->data.data + moves[i].offset,
                                    (size_t)moves[i].tensor->bytes, err));
    return STK_OK;
}
