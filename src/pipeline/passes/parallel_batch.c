/* parallel_batch: several threads copy large batches, so that copying never delays the pulling
 * thread. */
#include "pipeline/operators/batch.h"
#include "pipeline/operators/fused_map.h"
#include "pipeline/passes/pass.h"

enum {
    WORTH_BYTES = 64 << 10, /* of a batch: below, handing it over costs more than copying it */
    DEFAULT_BYTES = 1 << 10 /* of a value whose size is not known */
};

static double value_bytes(const stk_value_spec *value)
{
    if (value->kind != STK_VALUE_DENSE || !value->rank_known || value->dtype == STK_DTYPE_NONE ||
        value->dtype == STK_DTYPE_BYTES)
        return DEFAULT_BYTES;
    double bytes = (double)stk_dtype_bytes(value->dtype);
    for (int i = 0; i < value->shape.rank; i++) {
        if (value->shape.dim[i] < 0) return DEFAULT_BYTES;
        bytes *= (double)value->shape.dim[i];
    }
    return bytes;
}

static bool is_large(const stk_dataset *batch)
{
    const stk_element_spec *spec = &batch->inputs[0]->spec;
    double                  bytes = spec->known ? 0 : DEFAULT_BYTES;
    for (size_t i = 0; spec->known && i < spec->count; i++)
        bytes += value_bytes(&spec->values[i]);
    return bytes * (double)((const stk_batch_params *)batch->params)->size >= WORTH_BYTES;
}

static stk_status lower_batch(const stk_dataset *data, stk_dataset **out, stk_error *err)
{
    const stk_batch_params    *batch = data->params;
    const stk_fused_map_params p = {.parallel = STK_AUTO,
                                    .order = STK_ORDER_EXACT,
                                    .batch = batch->size,
                                    .drop_remainder = batch->drop_remainder,
                                    .error_ends_batch = !batch->after_map,
                                    .parallel_copy = true};
    return stk_fused_map_make(out, &p, data->inputs[0], err);
}

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    if (data->op == &stk_operator_batch && is_large(data)) return lower_batch(data, out, err);
    if (data->op == &stk_operator_fused_map) {
        stk_fused_map_params p = *(const stk_fused_map_params *)data->params;
        if (p.batch && !p.parallel_copy) {
            p.parallel_copy = true;
            return stk_fused_map_make(out, &p, data->inputs[0], err);
        }
    }
    *out = stk_dataset_ref(data);
    return STK_OK;
}

const stk_pass_info stk_pass_parallel_batch = {
    .pass = STK_PASS_PARALLEL_BATCH, .name = "parallel_batch", .rewrite = rewrite};
