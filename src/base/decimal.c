/* Decimal numbers without a locale. The C library does the arithmetic; the point is put in and
 * taken out around it. */
#include "base/decimal.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 17, POINT_BYTES_MAX = 8 }; /* bytes of a locale's decimal point */

static const char *skip_digits(const char *c)
{
    return c + strspn(c, "0123456789");
}

/* Behind the number that text begins with; text: there is none. */
static const char *find_end(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const char *c = skip_digits(digits);
    bool        any = c > digits;
    if (*c == '.') {
        const char *behind = skip_digits(c + 1);
        any = any || behind > c + 1;
        c = behind;
    }
    if (!any) return text;
    if (*c == 'e' || *c == 'E') {
        const char *exponent = c + 1 + (c[1] == '-' || c[1] == '+');
        const char *behind = skip_digits(exponent);
        if (behind > exponent) c = behind;
    }
    return c;
}

double stk_decimal_read(const char *text, const char **end)
{
    const char  *behind = find_end(text), *point = localeconv()->decimal_point;
    const size_t length = (size_t)(behind - text), point_length = strlen(point);
    char         copy[STK_DECIMAL_CHARACTERS_MAX + POINT_BYTES_MAX + 1];
    size_t       used = 0;
    if (length > STK_DECIMAL_CHARACTERS_MAX || point_length > POINT_BYTES_MAX) behind = text;
    if (end) *end = behind;
    for (const char *c = text; c < behind; c++) {
        if (*c == '.')
            memcpy(copy + used, point, point_length);
        else
            copy[used] = *c;
        used += *c == '.' ? point_length : 1;
    }
    copy[used] = 0;
    return strtod(copy, NULL);
}

/* Whatever is not part of a number is the locale's point, of one or more bytes. */
static char *use_point(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (strchr("0123456789+-einfa", *from))
            *to++ = *from;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    }
    *to = 0;
    return text;
}

char *stk_decimal_write(double number, int digits, char text[STK_DECIMAL_CAPACITY])
{
    snprintf(text, STK_DECIMAL_CAPACITY, "%.*g", digits, number);
    return use_point(text);
}

char *stk_decimal_shortest(double number, int digits, char text[STK_DECIMAL_CAPACITY])
{
    for (; digits < DIGITS_MAX; digits++)
        if (stk_decimal_read(stk_decimal_write(number, digits, text), NULL) == number) return text;
    return stk_decimal_write(number, DIGITS_MAX, text);
}
