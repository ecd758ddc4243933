/* Element types: sizes and names. */
#include <stoker/bytes.h>
#include <stoker/tensor.h>

typedef struct dtype_facts {
    const char *name;
    size_t      bytes;
} dtype_facts;

static const dtype_facts facts[STK_DTYPE_COUNT] = {
    [STK_DTYPE_NONE] = {"none", 0},
    [STK_DTYPE_U8] = {"uint8", 1},
    [STK_DTYPE_I8] = {"int8", 1},
    [STK_DTYPE_I32] = {"int32", 4},
    [STK_DTYPE_I64] = {"int64", 8},
    [STK_DTYPE_F16] = {"float16", 2},
    [STK_DTYPE_BF16] = {"bfloat16", 2},
    [STK_DTYPE_F32] = {"float32", 4},
    [STK_DTYPE_F64] = {"float64", 8},
    [STK_DTYPE_BOOL] = {"bool", 1},
    [STK_DTYPE_BYTES] = {"bytes", sizeof(stk_bytes)},
};

size_t stk_dtype_bytes(stk_dtype dtype)
{
    return (unsigned)dtype < STK_DTYPE_COUNT ? facts[dtype].bytes : 0;
}

const char *stk_dtype_name(stk_dtype dtype)
{
    return (unsigned)dtype < STK_DTYPE_COUNT ? facts[dtype].name : "unknown";
}

stk_dtype stk_dtype_from_name(const char *name)
{
    for (int i = 0; name && i < STK_DTYPE_COUNT; i++)
        if (strcmp(name, facts[i].name) == 0) return (stk_dtype)i;
    return STK_DTYPE_NONE;
}
