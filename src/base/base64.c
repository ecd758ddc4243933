/* Base64: four characters for three bytes. */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

stk_status stk_base64_append(stk_blob *out, stk_bytes bytes, stk_error *err)
{
    for (size_t i = 0; i < bytes.size; i += 3) {
        const size_t left = bytes.size - i;
        uint32_t     bits = (uint32_t)bytes.data[i] << 16;
        if (left > 1) bits |= (uint32_t)bytes.data[i + 1] << 8;
        if (left > 2) bits |= bytes.data[i + 2];
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              left > 1 ? digits[bits >> 6 & 63] : '=',
                              left > 2 ? digits[bits & 63] : '='};
        STK_TRY(stk_blob_append(out, four, sizeof four, err));
    }
    return STK_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool stk_base64_read(const char *text, size_t length, uint8_t *out, size_t *size)
{
    uint32_t bits = 0;
    size_t   count = 0, padding = 0; /* of digits; of = behind them */
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (is_blank(text[i])) continue;
        if (text[i] == '=') padding++;
        if (text[i] == '=') continue;
        if (!digit || padding) return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (++count % 4 == 1) continue; /* six bits are no byte yet */
        out[(*size)++] = (uint8_t)(bits >> (6 - 2 * ((count - 1) % 4)));
    }
    return padding < 3 && (count + padding) % 4 == 0;
}
