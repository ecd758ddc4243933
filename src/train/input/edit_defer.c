/* Defers a pipeline's last pixel operations to a device, as edits. */
#include "train/input/edit_defer.h"
#include "image/chain/chain_edit.h"
#include "pipeline/functions/edit_image.h"
#include "pipeline/operators/map.h"

typedef struct tail {
    int                image;
    const stk_dataset *maps[STK_EDIT_OPS];  /* last one first */
    stk_chain_op       steps[STK_EDIT_OPS]; /* filled from the end, so they are in order */
    size_t             count;
} tail;

/* Returns false if the size is not known. */
static bool size_of(const stk_dataset *data, int image, stk_image_size *out)
{
    if (!data->spec.known || (size_t)image >= data->spec.count) return false;
    const stk_value_spec *v = &data->spec.values[image];
    const int64_t        *dim = v->shape.dim;
    *out = (stk_image_size){.dtype = STK_DTYPE_U8};
    if (v->dtype != STK_DTYPE_U8 || !v->rank_known || v->shape.rank != 3) return false;
    out->height = (int32_t)dim[0];
    out->width = (int32_t)dim[1];
    out->channels = (int32_t)dim[2];
    return dim[0] > 0 && dim[1] > 0 && dim[2] > 0 && dim[0] <= INT32_MAX && dim[1] <= INT32_MAX;
}

/* Prepends data to the deferred tail, if it can be one more op of it. */
static bool grow(tail *t, const stk_dataset *data)
{
    stk_image_size size;
    stk_error      unasked;
    int            value;
    if (t->count == STK_EDIT_OPS || data->op != &stk_operator_map) return false;
    stk_chain_op *step = &t->steps[STK_EDIT_OPS - 1 - t->count];
    stk_function *function = ((const stk_map_params *)data->params)->function;
    if (!stk_image_function_step(function, &value, step) || value != t->image) return false;
    if (!size_of(data->inputs[0], value, &size)) return false;
    const stk_chain chain = {.steps = step, .count = t->count + 1};
    if (stk_chain_can_edit(&chain, &size, &unasked)) return false;
    t->maps[t->count++] = data;
    return true;
}

static stk_status put(stk_dataset **data, const stk_dataset *map, int edits, stk_error *err)
{
    stk_map_params p = *(const stk_map_params *)map->params;
    STK_TRY(stk_function_image_edit(&p.function, p.function, edits, err));
    return stk_dataset_append(data, &stk_operator_map, &p, err);
}

stk_status stk_dataset_defer_edits(stk_dataset **data, stk_error *err)
{
    stk_dataset *base = *data;
    tail         t = {.image = stk_element_spec_find(stk_dataset_spec(*data), "image")};
    while (t.image >= 0 && grow(&t, base))
        base = base->inputs[0];
    if (!t.count) return STK_OK;
    stk_dataset *made = stk_dataset_ref(base);
    stk_status   st = STK_OK;
    for (size_t i = t.count; i-- > 0 && !st;)
        st = put(&made, t.maps[i], (int)base->spec.count, err);
    stk_dataset_unref(st ? made : *data);
    if (!st) *data = made;
    return st;
}
