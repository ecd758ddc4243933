/* Values of JSON pieces: numbers, exact times, text. */
#include "base/checked.h"
#include "base/decimal.h"
#include "base/utf8.h"
#include "observe/timeline/json_scan.h"

#include <ctype.h>
#include <math.h>

enum { NUMBER_MAX = 64, NS_DIGITS = 3 };

static stk_bytes without_quotes(stk_bytes value)
{
    return stk_scan_is_string(value) ? stk_bytes_of(value.data + 1, value.size - 2) : value;
}

bool stk_scan_number(stk_bytes value, double *number)
{
    char            copy[NUMBER_MAX + 1];
    const char     *end;
    const stk_bytes text = without_quotes(value);
    if (!text.size || text.size > NUMBER_MAX) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *number = stk_decimal_read(copy, &end);
    return end == copy + text.size && isfinite(*number);
}

/* Parses a plain decimal as thousandths; false for other notations. */
static bool read_thousandths(stk_bytes text, int64_t *out)
{
    const bool negative = text.size && text.data[0] == '-';
    int        behind = -1; /* digits after the point; -1: before it */
    *out = 0;
    if (text.size == negative) return false;
    for (size_t i = negative; i < text.size; i++) {
        const uint8_t c = text.data[i];
        if (c == '.' && behind < 0) {
            behind = 0;
            continue;
        }
        if (!isdigit(c)) return false;
        if (behind == NS_DIGITS) continue;
        behind += behind >= 0;
        if (stk_mul_overflows_i64(*out, 10, out) ||
            stk_add_overflows_i64(*out, negative ? '0' - c : c - '0', out))
            return false;
    }
    for (behind = behind < 0 ? 0 : behind; behind < NS_DIGITS; behind++)
        if (stk_mul_overflows_i64(*out, 10, out)) return false;
    return true;
}

static const double largest_time = 0x1p62; /* in nanoseconds; the sum of two does not overflow */

bool stk_scan_microseconds(stk_bytes value, int64_t *ns)
{
    double number;
    if (!read_thousandths(without_quotes(value), ns)) {
        if (!stk_scan_number(value, &number) || fabs(number * 1000) > largest_time) return false;
        *ns = llround(number * 1000);
    }
    return fabs((double)*ns) <= largest_time;
}

bool stk_scan_integer(stk_bytes value, int64_t *number)
{
    double          real;
    const stk_bytes text = without_quotes(value);
    size_t          i = text.size && text.data[0] == '-';
    bool            digits = i < text.size;
    *number = 0;
    for (; i < text.size && digits; i++)
        digits = isdigit(text.data[i]) && !stk_mul_overflows_i64(*number, 10, number) &&
                 !stk_add_overflows_i64(*number, text.data[i] - '0', number);
    if (digits) {
        if (text.data[0] == '-') *number = -*number;
        return true;
    }
    if (!stk_scan_number(value, &real) || fabs(real) >= 0x1p62 || real != trunc(real)) return false;
    *number = (int64_t)real;
    return true;
}

static uint32_t read_hex4(const uint8_t *text)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit(text[i])) return 0xFFFD;
        code =
            code * 16 + (uint32_t)(isdigit(text[i]) ? text[i] - '0' : (text[i] | 0x20) - 'a' + 10);
    }
    return code ? code : 0xFFFD; /* texts are NUL-terminated */
}

/* at: after the backslash. An unpaired surrogate becomes U+FFFD; an unknown escape is copied. */
static const uint8_t *unescape(const uint8_t *at, const uint8_t *end, uint8_t **dst)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char       *found = *at ? strchr(letters, *at) : NULL;
    if (*at != 'u' || end - at < 5) {
        *(*dst)++ = found ? (uint8_t)meanings[found - letters] : *at;
        return at + 1;
    }
    uint32_t code = read_hex4(at + 1);
    at += 5;
    if (code >= 0xD800 && code <= 0xDFFF) {
        const bool     pair = code <= 0xDBFF && end - at >= 6 && at[0] == '\\' && at[1] == 'u';
        const uint32_t low = pair ? read_hex4(at + 2) : 0;
        const bool     low_half = low >= 0xDC00 && low <= 0xDFFF;
        code = low_half ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
        at += low_half ? 6 : 0;
    }
    *dst += stk_utf8_write(*dst, code);
    return at;
}

stk_status stk_scan_text(stk_bytes value, size_t max_bytes, stk_blob *out, stk_error *err)
{
    const stk_bytes text = without_quotes(value);
    const uint8_t  *at = text.data, *end = text.data + text.size;
    out->size = 0;
    /* An escape is never shorter than its character. */
    STK_TRY(stk_blob_reserve(out, (text.size < max_bytes ? text.size : max_bytes) + 4, err));
    uint8_t *dst = out->data;
    while (at < end && (size_t)(dst - out->data) < max_bytes)
        if (*at == '\\' && at + 1 < end)
            at = unescape(at + 1, end, &dst);
        else
            *dst++ = *at++;
    out->size = (size_t)(dst - out->data);
    return STK_OK;
}
