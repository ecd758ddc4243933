/* Composes output ops into one output format. */
#include "image/ops/output_format.h"

stk_dtype stk_real_type(int choice)
{
    static const stk_dtype types[] = {STK_DTYPE_F32, STK_DTYPE_F16, STK_DTYPE_BF16};
    return types[choice];
}

stk_status stk_output_format_cast(const char *op, stk_output_format *ending, stk_dtype dtype,
                                  stk_error *err)
{
    if (ending->dtype != dtype && ending->dtype != STK_DTYPE_U8 &&
        (ending->dtype != STK_DTYPE_F32 || dtype == STK_DTYPE_U8))
        return stk_fail(err, STK_E_INVALID, op, "dtype",
                        "values are %s already and cannot become %s: name the type once, in the "
                        "last operation that has one",
                        stk_dtype_name(ending->dtype), stk_dtype_name(dtype));
    ending->dtype = dtype;
    return STK_OK;
}

stk_status stk_output_format_scale(const char *op, stk_output_format *ending, const double scale[3],
                                   const double offset[3], stk_error *err)
{
    if (ending->dtype != STK_DTYPE_U8 && ending->dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_INVALID, op, NULL,
                        "values are %s already, and %s works on uint8 or float32: give dtype=%s "
                        "here instead of before",
                        stk_dtype_name(ending->dtype), op, stk_dtype_name(ending->dtype));
    for (int i = 0; i < 3; i++) {
        const double before = ending->scaled ? ending->scale[i] : 1;
        const double offset_before = ending->scaled ? ending->offset[i] : 0;
        ending->scale[i] = (float)(before * scale[i]);
        ending->offset[i] = (float)(offset_before * scale[i] + offset[i]);
    }
    ending->dtype = STK_DTYPE_F32;
    ending->scaled = true;
    return STK_OK;
}
