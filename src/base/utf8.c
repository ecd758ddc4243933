/* UTF-8 as RFC 3629 has it. */
#include "base/utf8.h"

#include <stdbool.h>

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
