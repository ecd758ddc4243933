/* Writes JSON into a blob. */
#include "base/decimal.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>

void stk_json_begin(stk_json_writer *w, stk_blob *out, int indent)
{
    *w = (stk_json_writer){.out = out, .indent = indent, .first = true};
}

static void put(stk_json_writer *w, const void *text, size_t size)
{
    if (!w->status) w->status = stk_blob_append(w->out, text, size, &w->error);
}

static void put_text(stk_json_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void misuse(stk_json_writer *w, const char *message)
{
    if (!w->status) w->status = stk_fail(&w->error, STK_E_INVALID, "json", NULL, "%s", message);
}

static void new_line(stk_json_writer *w)
{
    static const char spaces[] = "                                ";
    if (!w->indent) return;
    put(w, "\n", 1);
    for (int left = w->indent * w->depth; left > 0; left -= (int)sizeof spaces - 1)
        put(w, spaces, left < (int)sizeof spaces - 1 ? (size_t)left : sizeof spaces - 1);
}

/* Writes the separator before a value or key: nothing after a key, else comma and new line. */
static void lead_in(stk_json_writer *w)
{
    if (!w->after_key) {
        if (!w->first) put(w, ",", 1);
        if (w->depth) new_line(w);
    }
    w->after_key = false;
    w->first = false;
}

static void open_level(stk_json_writer *w, const char *bracket)
{
    lead_in(w);
    put(w, bracket, 1);
    w->depth++;
    w->first = true;
}

static void close_level(stk_json_writer *w, const char *bracket)
{
    if (w->after_key) misuse(w, "a key has no value");
    if (w->depth == 0) {
        misuse(w, "an object or array is closed that was not opened");
        return;
    }
    w->depth--;
    if (!w->first) new_line(w);
    put(w, bracket, 1);
    w->first = false;
}

void stk_json_object(stk_json_writer *w)
{
    open_level(w, "{");
}

void stk_json_object_end(stk_json_writer *w)
{
    close_level(w, "}");
}

void stk_json_array(stk_json_writer *w)
{
    open_level(w, "[");
}

void stk_json_array_end(stk_json_writer *w)
{
    close_level(w, "]");
}

static void put_escaped(stk_json_writer *w, uint8_t c)
{
    static const char letters[] = "btn\vfr"; /* by code from 8; 11 has no letter */
    char              text[8];
    if (c == '"' || c == '\\')
        snprintf(text, sizeof text, "\\%c", c);
    else if (c >= '\b' && c <= '\r' && c != '\v')
        snprintf(text, sizeof text, "\\%c", letters[c - '\b']);
    else
        snprintf(text, sizeof text, "\\u%04x", c);
    put_text(w, text);
}

/* Bytes from p that can be copied as they are. What may not be shown is written as a number: it is
 * the same text, and harms no terminal. */
static size_t plain_run(const uint8_t *p, size_t left)
{
    size_t run = 0;
    while (run < left && p[run] != '"' && p[run] != '\\') {
        if (p[run] >= 0x20 && p[run] < 0x7F) {
            run++;
            continue;
        }
        const int length = stk_utf8_length(p + run, left - run);
        if (!length || !stk_utf8_is_shown(p + run, length)) break;
        run += (size_t)length;
    }
    return run;
}

/* The code point of a character of two or three bytes. */
static void put_number(stk_json_writer *w, const uint8_t *p, int length)
{
    char           text[8];
    const unsigned code = length == 2 ? (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu)
                                      : (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    snprintf(text, sizeof text, "\\u%04x", code & 0xFFFF);
    put_text(w, text);
}

/* The character that a run ends at; its bytes. */
static size_t put_odd(stk_json_writer *w, const uint8_t *p, size_t left)
{
    const int length = stk_utf8_length(p, left);
    if (length == 1)
        put_escaped(w, *p);
    else if (length)
        put_number(w, p, length);
    else
        put_text(w, "\xEF\xBF\xBD");
    return length ? (size_t)length : 1;
}

static void put_quoted(stk_json_writer *w, stk_bytes text)
{
    put(w, "\"", 1);
    for (size_t i = 0; i < text.size;) {
        const size_t run = plain_run(text.data + i, text.size - i);
        if (run) put(w, text.data + i, run);
        i += run;
        if (i < text.size) i += put_odd(w, text.data + i, text.size - i);
    }
    put(w, "\"", 1);
}

void stk_json_key(stk_json_writer *w, const char *key)
{
    if (w->after_key) misuse(w, "a key has no value");
    lead_in(w);
    put_quoted(w, stk_bytes_text(key));
    put(w, ": ", w->indent ? 2 : 1);
    w->after_key = true;
}

void stk_json_bytes(stk_json_writer *w, stk_bytes text)
{
    lead_in(w);
    put_quoted(w, text);
}

void stk_json_string(stk_json_writer *w, const char *text)
{
    stk_json_bytes(w, stk_bytes_text(text));
}

/* Writes value from end backwards and returns where it begins. */
static char *digits_before(char *end, uint64_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

static void put_integer(stk_json_writer *w, bool negative, uint64_t size)
{
    char  text[24], *end = text + sizeof text;
    char *begin = digits_before(end, size);
    if (negative) *--begin = '-';
    lead_in(w);
    put(w, begin, (size_t)(end - begin));
}

void stk_json_int(stk_json_writer *w, int64_t value)
{
    put_integer(w, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void stk_json_uint(stk_json_writer *w, uint64_t value)
{
    put_integer(w, false, value);
}

/* Times and sizes are mostly thousandths. When the number is exactly n / 1000 rounded once, its
 * decimal form is n with a point, and reads back the same: far quicker than trying precisions. */
static bool put_thousandths(stk_json_writer *w, double value)
{
    const double size = fabs(value), scaled = size * 1000;
    if (!(scaled < 0x1p53) || (value == 0 && signbit(value))) return false;
    const uint64_t n = (uint64_t)nearbyint(scaled);
    if ((double)n / 1000 != size) return false;
    char  text[32], *end = text + sizeof text;
    char *begin = end;
    if (n % 1000) {
        for (uint64_t rest = n % 1000 + 1000; rest > 1; rest /= 10)
            if (begin != end || rest % 10) *--begin = (char)('0' + rest % 10);
        *--begin = '.';
    }
    begin = digits_before(begin, n / 1000);
    if (value < 0) *--begin = '-';
    put(w, begin, (size_t)(end - begin));
    return true;
}

void stk_json_double(stk_json_writer *w, double value)
{
    if (!isfinite(value)) {
        stk_json_null(w);
        return;
    }
    lead_in(w);
    if (put_thousandths(w, value)) return;
    char text[STK_DECIMAL_CAPACITY];
    put_text(w, stk_decimal_shortest(value, 15, text));
}

void stk_json_bool(stk_json_writer *w, bool value)
{
    lead_in(w);
    put_text(w, value ? "true" : "false");
}

void stk_json_null(stk_json_writer *w)
{
    lead_in(w);
    put_text(w, "null");
}

stk_status stk_json_end(stk_json_writer *w, stk_error *err)
{
    if (w->depth) misuse(w, "the document ends inside an object or array");
    if (w->indent) put(w, "\n", 1);
    if (w->status && err) *err = w->error;
    return w->status;
}

void stk_json_pair_string(stk_json_writer *w, const char *key, const char *text)
{
    stk_json_key(w, key);
    stk_json_string(w, text);
}

void stk_json_pair_int(stk_json_writer *w, const char *key, int64_t value)
{
    stk_json_key(w, key);
    stk_json_int(w, value);
}

void stk_json_pair_uint(stk_json_writer *w, const char *key, uint64_t value)
{
    stk_json_key(w, key);
    stk_json_uint(w, value);
}

void stk_json_pair_double(stk_json_writer *w, const char *key, double value)
{
    stk_json_key(w, key);
    stk_json_double(w, value);
}

void stk_json_pair_bool(stk_json_writer *w, const char *key, bool value)
{
    stk_json_key(w, key);
    stk_json_bool(w, value);
}
