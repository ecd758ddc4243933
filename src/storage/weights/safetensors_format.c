/* Types and sizes in safetensors' terms. */
#include "storage/weights/safetensors_format.h"

#include "base/checked.h"
#include "base/crc32c.h"

#include <string.h>

static const char *const names[STK_DTYPE_COUNT] = {
    [STK_DTYPE_U8] = "U8",   [STK_DTYPE_I8] = "I8",   [STK_DTYPE_I32] = "I32",
    [STK_DTYPE_I64] = "I64", [STK_DTYPE_F16] = "F16", [STK_DTYPE_BF16] = "BF16",
    [STK_DTYPE_F32] = "F32", [STK_DTYPE_F64] = "F64", [STK_DTYPE_BOOL] = "BOOL",
};

const char *stk_safetensors_dtype_name(stk_dtype dtype)
{
    return (unsigned)dtype < STK_DTYPE_COUNT ? names[dtype] : NULL;
}

stk_dtype stk_safetensors_dtype(const char *name)
{
    for (int i = 0; i < STK_DTYPE_COUNT; i++)
        if (names[i] && !strcmp(names[i], name)) return (stk_dtype)i;
    return STK_DTYPE_NONE;
}

stk_status stk_safetensors_bytes(stk_dtype dtype, const stk_shape *shape, uint64_t *bytes,
                                 stk_error *err)
{
    int64_t count, size;
    char    text[128];
    STK_TRY(stk_shape_count(shape, &count, err));
    if (stk_mul_overflows_i64(count, (int64_t)stk_dtype_bytes(dtype), &size))
        return stk_fail(err, STK_E_SHAPE, "safetensors", NULL,
                        "shape %s of %s has more bytes than a file can hold",
                        stk_shape_text(shape, text, sizeof text), stk_dtype_name(dtype));
    *bytes = (uint64_t)size;
    return STK_OK;
}

uint32_t stk_safetensors_crc32c(stk_bytes data)
{
    return stk_crc32c(0, data.data, data.size);
}
