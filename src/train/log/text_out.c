/* Appends text to a blob. */
#include "train/log/text_out.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 256 };

static void put(stk_text_out *out, const void *data, size_t size)
{
    if (!out->status && size) out->status = stk_blob_append(out->blob, data, size, out->err);
}

void stk_text_put(stk_text_out *out, const char *text)
{
    put(out, text, strlen(text));
}

void stk_text_format(stk_text_out *out, const char *format, ...)
{
    char    piece[PIECE];
    va_list args;
    va_start(args, format);
    vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    stk_text_put(out, piece);
}

void stk_text_tenths(stk_text_out *out, double number)
{
    const int64_t tenths = llround(number * 10), size = tenths < 0 ? -tenths : tenths;
    stk_text_format(out, "%s%" PRId64, tenths < 0 ? "-" : "", size / 10);
    if (size % 10) stk_text_format(out, ".%" PRId64, size % 10);
}

void stk_text_repeat(stk_text_out *out, const char *text, int count)
{
    for (int i = 0; i < count; i++)
        stk_text_put(out, text);
}

/* Control characters, and characters that XML forbids. bytes: its length. */
static bool is_control(const uint8_t *text, int bytes)
{
    if (!stk_utf8_is_shown(text, bytes)) return true;
    return bytes == 3 && text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe;
}

/* The next character of *text, which moves past it; "?" for one that must not be shown. */
static stk_bytes next_character(const char **text, size_t left, bool utf8)
{
    const uint8_t *at = (const uint8_t *)*text;
    const int      bytes = stk_utf8_length(at, left);
    *text += bytes ? bytes : 1;
    if (!bytes || is_control(at, bytes) || (bytes > 1 && !utf8)) return stk_bytes_text("?");
    return stk_bytes_of(at, (size_t)bytes);
}

void stk_text_xml(stk_text_out *out, const char *text)
{
    for (const char *end = text + strlen(text); text < end;) {
        const stk_bytes one = next_character(&text, (size_t)(end - text), true);
        if (one.data[0] == '&')
            stk_text_put(out, "&amp;");
        else if (one.data[0] == '<')
            stk_text_put(out, "&lt;");
        else if (one.data[0] == '>')
            stk_text_put(out, "&gt;");
        else
            put(out, one.data, one.size);
    }
}

int stk_text_plain(stk_text_out *out, const char *text, bool utf8, int max)
{
    int count = 0;
    for (const char *end = text + strlen(text); text < end && count < max; count++) {
        const stk_bytes one = next_character(&text, (size_t)(end - text), utf8);
        put(out, one.data, one.size);
    }
    return count;
}
