/* Checks weights for non-finite values. */
#include "train/saved/finite_weights.h"
#include "tensor/half.h"
#include <math.h>
#include <stdlib.h>

static double element(stk_dtype dtype, const void *data, int64_t index)
{
    if (dtype == STK_DTYPE_F32) return (double)((const float *)data)[index];
    if (dtype == STK_DTYPE_F64) return ((const double *)data)[index];
    if (dtype == STK_DTYPE_F16) return (double)stk_float_from_f16(((const uint16_t *)data)[index]);
    if (dtype == STK_DTYPE_BF16)
        return (double)stk_float_from_bf16(((const uint16_t *)data)[index]);
    return 0; /* integers are finite */
}

static stk_status check(const stk_variable_info *info, const void *data, int64_t count,
                        const char *path, stk_error *err)
{
    for (int64_t i = 0; i < count; i++) {
        const double value = element(info->dtype, data, i);
        if (!isfinite(value))
            return stk_fail(err, STK_E_RANGE, "model", path,
                            "element %lld of '%s' is %g: weights must be finite, so this model is "
                            "broken; take another file or checkpoint (--which)",
                            (long long)i, info->name, value);
    }
    return STK_OK;
}

static stk_status check_variable(stk_variables *variables, size_t index, stk_blob *scratch,
                                 const char *path, stk_error *err)
{
    const stk_variable_info info = stk_variables_at(variables, index);
    int64_t                 count;
    if (info.role != STK_VARIABLE_PARAMETER && info.role != STK_VARIABLE_STATISTIC) return STK_OK;
    STK_TRY(stk_shape_count(&info.shape, &count, err));
    const size_t bytes = (size_t)count * stk_dtype_bytes(info.dtype);
    STK_TRY(stk_blob_reserve(scratch, bytes, err));
    STK_TRY(stk_variables_read(variables, index, scratch->data, bytes, err));
    return check(&info, scratch->data, count, path, err);
}

stk_status stk_variables_check_finite(stk_variables *variables, const char *path, stk_error *err)
{
    stk_blob   scratch;
    stk_status st = STK_OK;
    stk_blob_init(&scratch, NULL, STK_MEMORY_READ);
    for (size_t i = 0; i < stk_variables_count(variables) && !st; i++)
        st = check_variable(variables, i, &scratch, path, err);
    stk_blob_release(&scratch);
    return st;
}
