/* Writes a merged trace. */
#include "observe/timeline/merge_output.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 256 << 10, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, LEVEL = 6 };

static bool ends_in_gz(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

stk_status stk_merge_output_open(stk_merge_output *out, const stk_filesystem *fs, const char *path,
                                 stk_error *err)
{
    *out = (stk_merge_output){0};
    stk_blob_init(&out->text, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&out->packed, NULL, STK_MEMORY_OUTPUT);
    STK_TRY(stk_output_create(&out->file, fs, path, err));
    if (!ends_in_gz(path)) return STK_OK;
    STK_TRY(stk_blob_reserve_exact(&out->packed, CHUNK, err));
    if (deflateInit2(&out->pack, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return stk_fail(err, STK_E_NOMEM, "trace", path, "no memory to pack by gzip");
    out->is_packed = true;
    return STK_OK;
}

static stk_status pack(stk_merge_output *out, int flush, stk_error *err)
{
    out->pack.next_in = out->text.data;
    out->pack.avail_in = (uInt)out->text.size;
    int code;
    do {
        out->pack.next_out = out->packed.data;
        out->pack.avail_out = CHUNK;
        code = deflate(&out->pack, flush);
        const size_t made = CHUNK - out->pack.avail_out;
        if (made) STK_TRY(stk_output_write(out->file, out->packed.data, made, err));
    } while (out->pack.avail_out == 0 || (flush == Z_FINISH && code != Z_STREAM_END));
    return STK_OK;
}

static stk_status write_out(stk_merge_output *out, int flush, stk_error *err)
{
    if (out->is_packed)
        STK_TRY(pack(out, flush, err));
    else if (out->text.size)
        STK_TRY(stk_output_write(out->file, out->text.data, out->text.size, err));
    out->text.size = 0;
    return STK_OK;
}

stk_status stk_merge_output_commit(stk_merge_output *out, stk_error *err)
{
    STK_TRY(write_out(out, Z_FINISH, err));
    return stk_output_commit(out->file, err);
}

void stk_merge_output_release(stk_merge_output *out)
{
    if (out->is_packed) deflateEnd(&out->pack);
    stk_output_close(out->file);
    stk_blob_release(&out->text);
    stk_blob_release(&out->packed);
    *out = (stk_merge_output){0};
}

stk_status stk_merge_put(stk_merge_output *out, stk_bytes text, stk_error *err)
{
    STK_TRY(stk_blob_append(&out->text, text.data, text.size, err));
    return out->text.size < CHUNK ? STK_OK : write_out(out, Z_NO_FLUSH, err);
}

stk_status stk_merge_print(stk_merge_output *out, stk_error *err, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return stk_merge_put(out, stk_bytes_of(text, (size_t)size), err);
}

enum {
    NUMBER = 6,
    HIGH = 0xD800,
    LOW = 0xDC00,
    PAST = 0xE000
}; /* length of "\\uD83D"; surrogate ranges */

/* The code of an escape at c; -1: none. */
static int32_t number_at(const uint8_t *c, const uint8_t *end)
{
    char digits[5] = "";
    if (end - c < NUMBER || c[0] != '\\' || c[1] != 'u') return -1;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit(c[2 + i])) return -1;
        digits[i] = (char)c[2 + i];
    }
    return (int32_t)strtol(digits, NULL, 16);
}

/* Copies an escape or a surrogate pair; replaces an unpaired surrogate, for which many readers
 * reject the file. */
static stk_status put_number(stk_merge_output *out, const uint8_t **at, const uint8_t *end,
                             stk_error *err)
{
    const uint8_t *c = *at;
    const int32_t  code = number_at(c, end), next = number_at(c + NUMBER, end);
    const bool     pair = code >= HIGH && code < LOW && next >= LOW && next < PAST;
    *at += pair ? 2 * NUMBER : NUMBER;
    if (code >= HIGH && code < PAST && !pair)
        return stk_merge_put(out, stk_bytes_text("\\ufffd"), err);
    return stk_merge_put(out, stk_bytes_of(c, (size_t)(*at - c)), err);
}

/* Copies one character of a string; *at moves past it. */
static stk_status put_character(stk_merge_output *out, const uint8_t **at, const uint8_t *end,
                                stk_error *err)
{
    const uint8_t *c = *at;
    const int      length = stk_utf8_length(c, (size_t)(end - c));
    if (number_at(c, end) >= 0) return put_number(out, at, end, err);
    *at += length ? length : 1;
    if (*c < 0x20) return stk_merge_print(out, err, "\\u%04x", *c);
    if (!length) return stk_merge_put(out, stk_bytes_text("\\ufffd"), err);
    if (*c != '\\') return stk_merge_put(out, stk_bytes_of(c, (size_t)length), err);
    const bool known = c + 1 < end && c[1] && strchr("\"\\/bfnrt", c[1]);
    if (!known) return stk_merge_put(out, stk_bytes_text("\\\\"), err);
    ++*at;
    return stk_merge_put(out, stk_bytes_of(c, 2), err);
}

static const uint8_t *skip_digits(const uint8_t *c, const uint8_t *end)
{
    while (c < end && isdigit(*c))
        c++;
    return c;
}

/* Numbers and words by RFC 8259. */
static bool is_scalar(stk_bytes word)
{
    const uint8_t *c = word.data, *end = word.data + word.size;
    if (stk_bytes_equal(word, stk_bytes_text("true")) ||
        stk_bytes_equal(word, stk_bytes_text("false")) ||
        stk_bytes_equal(word, stk_bytes_text("null")))
        return true;
    c += c < end && *c == '-';
    const uint8_t *digits = c;
    c = skip_digits(c, end);
    if (c == digits || (*digits == '0' && c > digits + 1)) return false;
    if (c < end && *c == '.') {
        digits = c + 1;
        c = skip_digits(digits, end);
        if (c == digits) return false;
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        c++;
        c += c < end && (*c == '-' || *c == '+');
        digits = c;
        c = skip_digits(digits, end);
        if (c == digits) return false;
    }
    return c == end;
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* at: after the opening quote. */
static stk_status put_string(stk_merge_output *out, const uint8_t **at, const uint8_t *end,
                             stk_error *err)
{
    while (*at < end && **at != '"') {
        const uint8_t *begin = *at;
        while (*at < end && is_plain(**at))
            ++*at;
        STK_TRY(stk_merge_put(out, stk_bytes_of(begin, (size_t)(*at - begin)), err));
        if (*at < end && **at != '"') STK_TRY(put_character(out, at, end, err));
    }
    *at += *at < end;
    return stk_merge_put(out, stk_bytes_text("\""), err);
}

stk_status stk_merge_put_rest(stk_merge_output *out, stk_bytes string, stk_error *err)
{
    const uint8_t *at = string.data + 1;
    return put_string(out, &at, string.data + string.size, err);
}

stk_status stk_merge_put_value(stk_merge_output *out, stk_bytes value, stk_error *err)
{
    const uint8_t *at = value.data, *end = value.data + value.size;
    while (at < end) {
        const uint8_t *begin = at++;
        if (*begin == '"') {
            STK_TRY(stk_merge_put(out, stk_bytes_text("\""), err));
            STK_TRY(put_string(out, &at, end, err));
        } else if (strchr("{}[]:, \t\r\n", *begin)) {
            STK_TRY(stk_merge_put(out, stk_bytes_of(begin, 1), err));
        } else {
            while (at < end && !strchr("{}[]:, \t\r\n\"", *at))
                at++;
            const stk_bytes word = stk_bytes_of(begin, (size_t)(at - begin));
            STK_TRY(stk_merge_put(out, is_scalar(word) ? word : stk_bytes_text("null"), err));
        }
    }
    return STK_OK;
}
