/* Text on a terminal. */
#include "text.h"

#include <langinfo.h>
#include <stdint.h>
#include <stoker/text.h>
#include <string.h>
#include <wchar.h>

enum { NOT_SHOWN = -1, UTF8_MAX = 4, SAFE_CAPACITY = 4 * UTF8_MAX + 1 };

/* Outside UTF-8 locales a byte from 0x80 on may be a control character. In the C locale, common in
 * containers, text is UTF-8 like files. */
static bool shows_utf8(void)
{
    const char *codeset = nl_langinfo(CODESET);
    return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "ANSI_X3.4-1968") == 0;
}

static wchar_t code_of(const char *text, size_t bytes)
{
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t                   code = (unsigned char)*text & masks[bytes];
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    return (wchar_t)code;
}

/* The next character: its bytes (0 at the end) and columns; -1 columns if it must be escaped. */
static size_t next_character(const char *text, size_t left, int *columns)
{
    bool         shown;
    const size_t bytes = stk_text_character(text, left, &shown);
    if (!bytes) return 0;
    const int width = shown ? wcwidth(code_of(text, bytes)) : NOT_SHOWN;
    /* Characters unknown to the C library take one column. */
    *columns = !shown || (bytes > 1 && !shows_utf8()) ? NOT_SHOWN : width < 0 ? 1 : width;
    return bytes;
}

/* Writes one character, escaped if necessary, and returns its bytes. */
static size_t safe_character(char shown[SAFE_CAPACITY], const char *text, size_t bytes,
                             int *columns)
{
    if (*columns >= 0) {
        memcpy(shown, text, bytes);
        return bytes;
    }
    size_t used = 0;
    for (size_t i = 0; i < bytes; i++)
        used += (size_t)snprintf(shown + used, 5, "\\x%02X", (unsigned char)text[i]);
    *columns = (int)used;
    return used;
}

int cli_text_width_of(const char *text, size_t size)
{
    char shown[SAFE_CAPACITY];
    int  width = 0, columns;
    for (size_t bytes; (bytes = next_character(text, size, &columns)); text += bytes) {
        safe_character(shown, text, bytes, &columns);
        width += columns;
        size -= bytes;
    }
    return width;
}

int cli_text_width(const char *text)
{
    return cli_text_width_of(text, strlen(text));
}

size_t cli_text_cut(const char *text, size_t size)
{
    const size_t max = size < UTF8_MAX ? size : UTF8_MAX;
    for (size_t i = 1; i <= max; i++) {
        const unsigned char c = (unsigned char)text[size - i];
        if ((c & 0xC0) == 0x80) continue;
        const size_t length = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        return length > i ? size - i : size;
    }
    return size;
}

void cli_text_fit(char *dst, size_t capacity, const char *text, int columns)
{
    const bool cut = cli_text_width(text) > columns;
    const int  limit = cut ? (columns > 3 ? columns - 3 : 0) : columns;
    char       shown[SAFE_CAPACITY];
    size_t     size = 0, left = strlen(text);
    int        width = 0, wide;
    for (size_t bytes; (bytes = next_character(text, left, &wide)); text += bytes, left -= bytes) {
        const size_t used = safe_character(shown, text, bytes, &wide);
        if (width + wide > limit || size + used + 4 > capacity) break;
        memcpy(dst + size, shown, used);
        size += used;
        width += wide;
    }
    snprintf(dst + size, capacity - size, "%s", cut ? "..." : "");
}

void cli_text_print_bytes(FILE *out, const char *text, size_t size)
{
    char shown[SAFE_CAPACITY];
    int  columns;
    for (size_t bytes; (bytes = next_character(text, size, &columns)); text += bytes, size -= bytes)
        fwrite(shown, 1, safe_character(shown, text, bytes, &columns), out);
}

void cli_text_print(FILE *out, const char *text)
{
    cli_text_print_bytes(out, text, strlen(text));
}

void cli_text_wrap(FILE *out, const char *text, int first_column, int indent, int width)
{
    int column = first_column;
    if (column < indent) column += fprintf(out, "%*s", indent - column, "");
    bool fresh = true; /* the line is empty */
    while (*text) {
        if (*text == '\n') {
            fprintf(out, "\n");
            column = text[1] == '\n' ? 0 : fprintf(out, "%*s", indent, "");
            fresh = true;
            text++;
            continue;
        }
        text += *text == ' ';
        const int length = (int)strcspn(text, " \n");
        if (!fresh && column + 1 + length > width) {
            fprintf(out, "\n");
            column = fprintf(out, "%*s", indent, "");
            fresh = true;
        }
        column += fprintf(out, "%s%.*s", fresh ? "" : " ", length, text);
        fresh = false;
        text += length;
    }
    fprintf(out, "\n");
}
