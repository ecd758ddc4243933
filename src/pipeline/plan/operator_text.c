/* Text of operators, for display and fingerprints. */
#include "base/decimal.h"
#include "pipeline/plan/operator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

stk_status stk_describe(stk_blob *out, stk_error *err, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL,
                        "a stage's description is longer than %zu characters", sizeof text - 1);
    return stk_blob_append(out, text, (size_t)length, err);
}

stk_status stk_describe_function(stk_blob *out, const stk_function *function, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    STK_TRY(stk_blob_append(out, info->name, strlen(info->name), err));
    if (*info->details) {
        STK_TRY(stk_describe(out, err, "["));
        STK_TRY(stk_blob_append(out, info->details, strlen(info->details), err));
        STK_TRY(stk_describe(out, err, "]"));
    }
    return info->version ? stk_describe(out, err, "@%" PRIu64, info->version) : STK_OK;
}

stk_status stk_describe_real(stk_blob *out, double number, stk_error *err)
{
    char text[STK_DECIMAL_CAPACITY];
    return stk_describe(out, err, " %s", stk_decimal_write(number, 17, text));
}
