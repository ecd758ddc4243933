/* Reads JSON, strictly as RFC 8259 has it, by recursive descent. Memory is in proportion to the
 * text, whatever the text says. */
#include "base/checked.h"
#include "base/decimal.h"
#include "base/json_value.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 64, NUMBER_CHARACTERS_MAX = STK_DECIMAL_CHARACTERS_MAX, LARGEST_TEXT = 256 << 20 };

typedef struct parser {
    const uint8_t *begin, *at, *end;
    const char    *name;
    stk_arena     *arena;
    stk_blob       pending; /* children of the open arrays and objects, innermost last */
    int            depth;
    stk_error     *err;
} parser;

static stk_status parse_value(parser *p, stk_json_value *out);

/* Columns count characters, from 1. */
static stk_status fail_at(parser *p, const uint8_t *at, stk_status status, const char *message)
{
    size_t line = 1, column = 1;
    for (const uint8_t *c = p->begin; c < at; c++)
        if (*c == '\n') {
            line++;
            column = 1;
        } else {
            column += (*c & 0xC0) != 0x80;
        }
    return stk_fail(p->err, status, "json", p->name, "line %zu, column %zu: %s", line, column,
                    message);
}

static stk_status expected(parser *p, const char *what)
{
    char message[128];
    if (p->at == p->end)
        snprintf(message, sizeof message, "the text ends where %s should follow", what);
    else if (isprint(*p->at) && *p->at < 0x80)
        snprintf(message, sizeof message, "'%c' where %s should follow", *p->at, what);
    else
        snprintf(message, sizeof message, "byte 0x%02x where %s should follow", *p->at, what);
    return fail_at(p, p->at, STK_E_FORMAT, message);
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static bool next_is(const parser *p, char c)
{
    return p->at < p->end && *p->at == (uint8_t)c;
}

static bool accept(parser *p, char c)
{
    if (!next_is(p, c)) return false;
    p->at++;
    return true;
}

static stk_status parse_word(parser *p, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0)
        return expected(p, "a value");
    p->at += size;
    return STK_OK;
}

static bool skip_digits(parser *p)
{
    const uint8_t *first = p->at;
    while (p->at < p->end && isdigit(*p->at))
        p->at++;
    return p->at > first;
}

/* Scans a number; *is_integer: it has neither fraction nor exponent. */
static stk_status scan_number(parser *p, bool *is_integer)
{
    *is_integer = true;
    accept(p, '-');
    if (!accept(p, '0') && !skip_digits(p)) return expected(p, "a digit");
    if (accept(p, '.')) {
        *is_integer = false;
        if (!skip_digits(p)) return expected(p, "a digit");
    }
    if (accept(p, 'e') || accept(p, 'E')) {
        *is_integer = false;
        if (!accept(p, '-')) accept(p, '+');
        if (!skip_digits(p)) return expected(p, "a digit");
    }
    return STK_OK;
}

/* A copy, because the text does not end with the number. */
static double to_double(const uint8_t *text, size_t size)
{
    char copy[NUMBER_CHARACTERS_MAX + 1];
    memcpy(copy, text, size);
    copy[size] = 0;
    return stk_decimal_read(copy, NULL);
}

static bool to_integer(const uint8_t *text, size_t size, int64_t *out)
{
    const bool negative = text[0] == '-';
    *out = 0;
    for (size_t i = negative; i < size; i++) {
        const int digit = text[i] - '0';
        if (stk_mul_overflows_i64(*out, 10, out) ||
            stk_add_overflows_i64(*out, negative ? -digit : digit, out))
            return false;
    }
    return true;
}

static stk_status parse_number(parser *p, stk_json_value *out)
{
    const uint8_t *text = p->at;
    bool           is_integer;
    STK_TRY(scan_number(p, &is_integer));
    const size_t size = (size_t)(p->at - text);
    if (size > NUMBER_CHARACTERS_MAX)
        return fail_at(p, text, STK_E_LIMIT, "a number of more than 512 characters");
    out->type = STK_JSON_NUMBER;
    out->number = to_double(text, size);
    if (!isfinite(out->number))
        return fail_at(p, text, STK_E_RANGE, "a number too large for a double");
    if (is_integer) {
        out->is_integer = to_integer(text, size, &out->integer);
    } else if (fabs(out->number) < 0x1p63 && out->number == trunc(out->number)) {
        out->is_integer = true;
        out->integer = (int64_t)out->number;
    }
    return STK_OK;
}

/* Moves to the closing quote and checks everything but the escapes. */
static stk_status scan_string(parser *p)
{
    while (!next_is(p, '"')) {
        if (p->at == p->end) return expected(p, "'\"'");
        if (*p->at < 0x20)
            return fail_at(p, p->at, STK_E_FORMAT,
                           "a control character in a string: write it as \\u00XX");
        const int length = stk_utf8_length(p->at, (size_t)(p->end - p->at));
        if (!length) return fail_at(p, p->at, STK_E_FORMAT, "bytes that are not UTF-8");
        p->at += length;
        if (p->at[-1] == '\\' && p->at < p->end && (*p->at == '"' || *p->at == '\\')) p->at++;
    }
    return STK_OK;
}

static bool read_hex4(const uint8_t *p, const uint8_t *end, uint32_t *code)
{
    *code = 0;
    if (end - p < 4) return false;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit(p[i])) return false;
        const int digit = isdigit(p[i]) ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10;
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

/* at is behind "\u"; moves behind the digits, of both halves where it is a surrogate pair. */
static stk_status read_unicode(parser *p, const uint8_t **at, const uint8_t *end, uint32_t *code)
{
    const uint8_t *escape = *at - 2;
    uint32_t       low;
    if (!read_hex4(*at, end, code))
        return fail_at(p, escape, STK_E_FORMAT, "\\u without four hexadecimal digits");
    *at += 4;
    if (*code < 0xD800 || *code > 0xDFFF) return STK_OK;
    if (*code > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' ||
        !read_hex4(*at + 2, end, &low) || low < 0xDC00 || low > 0xDFFF)
        return fail_at(p, escape, STK_E_FORMAT, "half of a surrogate pair");
    *at += 6;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return STK_OK;
}

/* at is on the backslash; moves behind the escape and writes what it means. */
static stk_status unescape(parser *p, const uint8_t **at, const uint8_t *end, uint8_t **dst)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const uint8_t     letter = (*at)[1]; /* at worst the closing quote */
    if (letter == 'u') {
        uint32_t code;
        *at += 2;
        STK_TRY(read_unicode(p, at, end, &code));
        *dst += stk_utf8_write(*dst, code);
        return STK_OK;
    }
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found) return fail_at(p, *at, STK_E_FORMAT, "an escape that JSON does not have");
    *(*dst)++ = (uint8_t)meanings[found - letters];
    *at += 2;
    return STK_OK;
}

/* No escape is shorter than its character, so the length between the quotes is enough. */
static stk_status parse_string(parser *p, const char **text, size_t *size)
{
    if (!accept(p, '"')) return expected(p, "'\"'");
    const uint8_t *at = p->at;
    STK_TRY(scan_string(p));
    const uint8_t *end = p->at++;
    uint8_t       *copy = stk_arena_alloc(p->arena, (size_t)(end - at) + 1, p->err);
    if (!copy) return STK_E_NOMEM;
    uint8_t *dst = copy;
    while (at < end)
        if (*at == '\\')
            STK_TRY(unescape(p, &at, end, &dst));
        else
            *dst++ = *at++;
    *dst = '\0';
    *text = (const char *)copy;
    *size = (size_t)(dst - copy);
    return STK_OK;
}

static stk_status parse_member(parser *p, stk_json_value *child)
{
    const char *key;
    size_t      size;
    if (!next_is(p, '"')) return expected(p, "a key in quotes");
    STK_TRY(parse_string(p, &key, &size));
    skip_space(p);
    if (!accept(p, ':')) return expected(p, "':'");
    skip_space(p);
    STK_TRY(parse_value(p, child));
    child->key = key;
    child->key_size = (uint32_t)size;
    return STK_OK;
}

/* Children wait in pending until their number is known, then move to the arena side by side. */
static stk_status adopt(parser *p, size_t mark, stk_json_value *out)
{
    const size_t bytes = p->pending.size - mark;
    out->count = bytes / sizeof *out;
    if (!bytes) return STK_OK;
    stk_json_value *children = stk_arena_alloc(p->arena, bytes, p->err);
    if (!children) return STK_E_NOMEM;
    memcpy(children, p->pending.data + mark, bytes);
    p->pending.size = mark;
    out->children = children;
    return STK_OK;
}

static stk_status parse_children(parser *p, bool object, stk_json_value *out)
{
    const char   close = object ? '}' : ']';
    const size_t mark = p->pending.size;
    out->type = object ? STK_JSON_OBJECT : STK_JSON_ARRAY;
    if (p->depth == DEEPEST)
        return fail_at(p, p->at, STK_E_LIMIT, "more than 64 objects and arrays in each other");
    p->depth++;
    p->at++;
    skip_space(p);
    if (!accept(p, close))
        for (;;) {
            stk_json_value child = {0};
            STK_TRY(object ? parse_member(p, &child) : parse_value(p, &child));
            STK_TRY(stk_blob_append(&p->pending, &child, sizeof child, p->err));
            skip_space(p);
            if (accept(p, close)) break;
            if (!accept(p, ',')) return expected(p, object ? "',' or '}'" : "',' or ']'");
            skip_space(p);
        }
    p->depth--;
    return adopt(p, mark, out);
}

static stk_status parse_value(parser *p, stk_json_value *out)
{
    *out = (stk_json_value){0};
    switch (p->at < p->end ? *p->at : 0) {
    case '{':
        return parse_children(p, true, out);
    case '[':
        return parse_children(p, false, out);
    case '"':
        out->type = STK_JSON_STRING;
        return parse_string(p, &out->text, &out->count);
    case 't':
    case 'f':
        out->type = STK_JSON_BOOL;
        out->truth = *p->at == 't';
        return parse_word(p, out->truth ? "true" : "false");
    case 'n':
        out->type = STK_JSON_NULL;
        return parse_word(p, "null");
    default:
        if (next_is(p, '-') || (p->at < p->end && isdigit(*p->at))) return parse_number(p, out);
        return expected(p, "a value");
    }
}

static stk_status parse_document(parser *p, stk_json_value *root)
{
    skip_space(p);
    STK_TRY(parse_value(p, root));
    skip_space(p);
    return p->at == p->end ? STK_OK : expected(p, "the end of the text");
}

stk_status stk_json_parse(stk_json_document **out, stk_bytes text, const char *name, stk_error *err)
{
    *out = NULL;
    if (text.size > LARGEST_TEXT)
        return stk_fail(err, STK_E_LIMIT, "json", name,
                        "%zu bytes of JSON; %d are the most that are read at once", text.size,
                        LARGEST_TEXT);
    stk_json_document *doc = calloc(1, sizeof *doc);
    if (!doc) return stk_fail(err, STK_E_NOMEM, "json", name, "no memory for a document");
    stk_arena_init(&doc->arena, NULL, STK_MEMORY_RECORD);
    const uint8_t *begin = text.data ? text.data : (const uint8_t *)"";
    parser         p = {.begin = begin,
                        .at = begin,
                        .end = begin + text.size,
                        .name = name,
                        .arena = &doc->arena,
                        .err = err};
    stk_blob_init(&p.pending, NULL, STK_MEMORY_RECORD);
    const stk_status st = parse_document(&p, &doc->root);
    stk_blob_release(&p.pending);
    if (st) {
        stk_json_document_free(doc);
        return st;
    }
    *out = doc;
    return STK_OK;
}
