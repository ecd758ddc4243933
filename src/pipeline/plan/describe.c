/* Text of stages, for people and for fingerprints. */
#include "pipeline/plan/plan.h"

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

/* What parts the digits is the locale's, and may be several bytes; a fingerprint must not depend on
 * it. */
stk_status stk_describe_real(stk_blob *out, double number, stk_error *err)
{
    char   text[48];
    size_t size = 0;
    snprintf(text, sizeof text, "%.17g", number);
    for (const char *c = text; *c; c++) {
        const bool usual = strchr("0123456789+-einfa", *c) != NULL;
        if (usual || !size || text[size - 1] != '.') text[size++] = usual ? *c : '.';
    }
    STK_TRY(stk_blob_append(out, " ", 1, err));
    return stk_blob_append(out, text, size, err);
}
