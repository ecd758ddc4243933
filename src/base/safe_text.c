/* Names that others chose, fit to be shown. */
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <stoker/text.h>
#include <string.h>

size_t stk_text_character(const char *text, size_t left, bool *shown)
{
    const uint8_t *bytes = (const uint8_t *)text;
    if (!left || !*text) return 0;
    const int length = stk_utf8_length(bytes, left);
    *shown = length && stk_utf8_is_shown(bytes, length);
    return length ? (size_t)length : 1;
}

/* A character in the form that it is shown in; its bytes. */
static size_t write_shown(char form[4 * 4 + 1], const char *text, size_t bytes, bool shown)
{
    if (shown) {
        memcpy(form, text, bytes);
        return bytes;
    }
    for (size_t i = 0; i < bytes; i++)
        snprintf(form + 4 * i, 5, "\\x%02X", (unsigned char)text[i]);
    return 4 * bytes;
}

size_t stk_text_escape(char *dst, size_t capacity, const char *text)
{
    size_t used = 0, all = 0, left = strlen(text), bytes;
    char   form[4 * 4 + 1];
    bool   shown;
    for (; (bytes = stk_text_character(text, left, &shown)); text += bytes, left -= bytes) {
        const size_t size = write_shown(form, text, bytes, shown);
        if (used == all && used + size < capacity) {
            memcpy(dst + used, form, size);
            used += size;
        }
        all += size;
    }
    if (capacity) dst[used] = 0;
    return all;
}
