/* A printf that escapes its text arguments. */
#include "print.h"

#include "terminal.h"
#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <stoker/text.h>
#include <string.h>
#include <unistd.h>

#undef fprintf /* the C library formats numbers */

enum { SPEC_MAX = 16, NONE = -1 };

/* One conversion of a format: "%-*.3lld". */
typedef struct spec {
    char flags[6];
    int  width, precision; /* NONE: not given */
    char length[3];        /* "", "h", "hh", "l", "ll", "z", "j", "t", "L" */
    char kind;
} spec;

static int read_count(const char **at, va_list *args)
{
    if (**at == '*') {
        ++*at;
        return va_arg(*args, int);
    }
    char     *end;
    const int count = (int)strtol(*at, &end, 10);
    *at = end;
    return count;
}

/* at: after the percent sign; moves past the conversion. */
static spec read_spec(const char **at, va_list *args)
{
    spec         s = {.width = NONE, .precision = NONE};
    const size_t flags = strspn(*at, "-+ #0");
    memcpy(s.flags, *at, flags < sizeof s.flags ? flags : sizeof s.flags - 1);
    *at += flags;
    if (**at == '*' || (**at >= '1' && **at <= '9')) s.width = read_count(at, args);
    if (**at == '.') {
        ++*at;
        s.precision = read_count(at, args);
    }
    if (s.width < NONE) { /* from an argument: left-aligned */
        s.width = -s.width;
        strcat(s.flags, strchr(s.flags, '-') ? "" : "-");
    }
    const size_t length = strspn(*at, "hlzjtL");
    memcpy(s.length, *at, length < sizeof s.length ? length : sizeof s.length - 1);
    *at += length;
    s.kind = *(*at)++;
    return s;
}

static int pad(FILE *out, int count)
{
    return count > 0 ? fprintf(out, "%*s", count, "") : 0;
}

static size_t bytes_of(const char *text, int precision)
{
    const size_t bytes = precision < 0 ? strlen(text) : strnlen(text, (size_t)precision);
    return precision < 0 || bytes < (size_t)precision ? bytes : cli_text_cut(text, bytes);
}

static int print_text(FILE *out, const spec *s, const char *text)
{
    if (!text) text = "(null)";
    if (cli_style_has(text)) {
        fwrite(text, 1, strlen(text), out);
        return 0;
    }
    const size_t bytes = bytes_of(text, s->precision);
    const int    columns = cli_text_width_of(text, bytes), left = s->width - columns;
    const bool   to_left = strchr(s->flags, '-') != NULL;
    int          printed = columns + (to_left ? 0 : pad(out, left));
    cli_text_print_bytes(out, text, bytes);
    return printed + (to_left ? pad(out, left) : 0);
}

/* Signed and unsigned types have the same size and calling convention. */
static intmax_t next_integer(const char *length, va_list *args)
{
    if (strcmp(length, "ll") == 0) return va_arg(*args, long long);
    if (strcmp(length, "l") == 0) return va_arg(*args, long);
    if (strcmp(length, "z") == 0) return (intmax_t)va_arg(*args, size_t);
    if (strcmp(length, "j") == 0) return va_arg(*args, intmax_t);
    if (strcmp(length, "t") == 0) return va_arg(*args, ptrdiff_t);
    return va_arg(*args, int);
}

/* Truncates to the type given by the length modifier. */
static uintmax_t as_unsigned(const char *length, intmax_t value)
{
    return *length && *length != 'h' ? (uintmax_t)value : (uintmax_t)(unsigned)value;
}

static int print_number(FILE *out, const spec *s, va_list *args)
{
    char form[SPEC_MAX];
    snprintf(form, sizeof form, "%%%s*.*%s%c", s->flags,
             strchr("diuxXo", s->kind) ? "j"
             : *s->length == 'L'       ? "L"
                                       : "",
             s->kind);
    const int width = s->width < 0 ? 0 : s->width;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr("di", s->kind))
        return fprintf(out, form, width, s->precision, next_integer(s->length, args));
    if (strchr("uxXo", s->kind))
        return fprintf(out, form, width, s->precision,
                       as_unsigned(s->length, next_integer(s->length, args)));
    if (*s->length == 'L')
        return fprintf(out, form, width, s->precision, va_arg(*args, long double));
    return fprintf(out, form, width, s->precision, va_arg(*args, double));
#pragma GCC diagnostic pop
}

static int print_spec(FILE *out, const spec *s, va_list *args)
{
    char one[2] = "";
    switch (s->kind) {
    case '%':
        return fprintf(out, "%%");
    case 's':
        return print_text(out, s, va_arg(*args, const char *));
    case 'c':
        one[0] = (char)va_arg(*args, int);
        return print_text(out, s, one);
    case 'p':
        return fprintf(out, "%p", va_arg(*args, void *));
    default:
        return print_number(out, s, args);
    }
}

int cli_vprint(FILE *out, const char *format, va_list args)
{
    va_list left;
    int     columns = 0;
    va_copy(left, args);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, out);
        columns += cli_text_width_of(format, plain);
        format += plain;
        if (!*format) break;
        format++;
        const spec s = read_spec(&format, &left);
        columns += print_spec(out, &s, &left);
    }
    va_end(left);
    return columns;
}

int cli_print(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int columns = cli_vprint(out, format, args);
    va_end(args);
    return columns;
}

void cli_print_lines(FILE *out, stk_bytes text)
{
    const char *at = (const char *)text.data, *end = at + text.size;
    while (at < end) {
        const char *stop = at;
        while (stop < end && *stop != '\n' && *stop != '\t')
            stop++;
        cli_text_print_bytes(out, at, (size_t)(stop - at));
        if (stop < end) fwrite(stop, 1, 1, out);
        at = stop + 1;
    }
}

void cli_print_exact(stk_bytes text)
{
    if (isatty(STDOUT_FILENO))
        cli_print_lines(stdout, text);
    else
        fwrite(text.data, 1, text.size, stdout);
}

typedef size_t quote_function(char *dst, size_t capacity, const char *text);

static void print_quoted(FILE *out, quote_function *quote, const char *text, const char *instead)
{
    const size_t size = quote(NULL, 0, text);
    char        *word = malloc(size + 1);
    if (word) (void)quote(word, size + 1, text);
    fwrite(word ? word : instead, 1, word ? size : strlen(instead), out);
    free(word);
}

void cli_print_word(FILE *out, const char *text)
{
    print_quoted(out, stk_shell_word, text, "WORD");
}

void cli_print_path(FILE *out, const char *path)
{
    print_quoted(out, stk_shell_path, path, "PATH");
}
