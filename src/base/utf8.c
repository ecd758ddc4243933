/* UTF-8 as RFC 3629 has it. */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static bool continues(const uint8_t *text, int count)
{
    for (int i = 1; i <= count; i++)
        if ((text[i] & 0xC0) != 0x80) return false;
    return true;
}

int stk_utf8_length(const uint8_t *text, size_t left)
{
    if (left == 0) return 0;
    const uint8_t a = text[0];
    if (a < 0x80) return 1;
    if (a < 0xC2 || a > 0xF4) return 0;
    const int length = a < 0xE0 ? 2 : a < 0xF0 ? 3 : 4;
    if ((size_t)length > left || !continues(text, length - 1)) return 0;
    const uint8_t b = text[1];
    if (a == 0xE0 && b < 0xA0) return 0; /* fits two bytes */
    if (a == 0xED && b > 0x9F) return 0; /* a surrogate */
    if (a == 0xF0 && b < 0x90) return 0; /* fits three bytes */
    if (a == 0xF4 && b > 0x8F) return 0; /* past the last code point */
    return length;
}

/* By their bytes, which lie together: U+0080 to 9F; U+061C; U+200E, 200F and 2028 to 202E; U+2066
 * to 2069. */
bool stk_utf8_is_shown(const uint8_t *text, int length)
{
    const uint8_t a = text[0];
    if (length == 1) return a >= 0x20 && a != 0x7F;
    if (length == 2) return !(a == 0xC2 && text[1] < 0xA0) && !(a == 0xD8 && text[1] == 0x9C);
    if (length == 4 || a != 0xE2) return true;
    const uint8_t c = text[2];
    if (text[1] == 0x80) return !(c == 0x8E || c == 0x8F || (c >= 0xA8 && c <= 0xAE));
    return !(text[1] == 0x81 && c >= 0xA6 && c <= 0xA9);
}

int stk_utf8_write(uint8_t *dst, uint32_t code)
{
    if (code < 0x80) {
        dst[0] = (uint8_t)code;
        return 1;
    }
    const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, code >>= 6)
        dst[i] = (uint8_t)(0x80 | (code & 0x3F));
    static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    dst[0] = (uint8_t)(lead[length] | code);
    return length;
}

bool stk_utf8_is_valid(const char *text)
{
    const size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        const int length = stk_utf8_length((const uint8_t *)text + at, size - at);
        if (!length) return false;
        at += (size_t)length;
    }
    return true;
}

stk_status stk_utf8_escape(stk_blob *out, const char *text, stk_error *err)
{
    const size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        char      escaped[8];
        const int length = stk_utf8_length((const uint8_t *)text + at, size - at);
        if (length)
            STK_TRY(stk_blob_append(out, text + at, (size_t)length, err));
        else
            STK_TRY(stk_blob_append(
                out, escaped,
                (size_t)snprintf(escaped, sizeof escaped, "\\x%02X", (unsigned char)text[at]),
                err));
        at += length ? (size_t)length : 1;
    }
    return STK_OK;
}
