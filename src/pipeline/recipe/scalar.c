/* What a plain word of YAML says: a whole number, a number, true or false. */
#include "pipeline/recipe/recipe.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits may be grouped: 10_000. */
bool stk_scalar_whole(const stk_tree *tree, int64_t *out)
{
    if (tree->kind != STK_TREE_SCALAR || !tree->plain) return false;
    const char *c = tree->text;
    const bool  negative = *c == '-';
    c += *c == '-' || *c == '+';
    if (!is_digit(*c)) return false;
    int64_t number = 0;
    for (; *c; c++) {
        if (*c == '_' && is_digit(c[1])) continue;
        const int digit = *c - '0';
        if (!is_digit(*c) || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, negative ? -digit : digit, &number))
            return false;
    }
    *out = number;
    return c == tree->text + tree->length;
}

/* Optional sign, digits with at most one point, optional exponent: what JSON and YAML share, and
 * nothing else that strtod takes. */
static bool looks_real(const char *c)
{
    int digits = 0;
    c += *c == '-' || *c == '+';
    for (; is_digit(*c); c++)
        digits++;
    if (*c == '.')
        for (c++; is_digit(*c); c++)
            digits++;
    if (!digits) return false;
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '-' || *c == '+';
        if (!is_digit(*c)) return false;
        while (is_digit(*c))
            c++;
    }
    return !*c;
}

/* strtod reads the locale's decimal point, so the text gets that one. */
static double to_real(const char *text)
{
    char        copy[96];
    const char *point = localeconv()->decimal_point;
    size_t      used = 0;
    for (; *text && used + strlen(point) + 1 < sizeof copy; text++)
        for (const char *from = *text == '.' ? point : text, *end = *text == '.' ? NULL : text + 1;
             from != end && *from; from++)
            copy[used++] = *from;
    copy[used] = 0;
    return strtod(copy, NULL);
}

bool stk_scalar_number(const stk_tree *tree, stk_number *out)
{
    int64_t whole;
    if (stk_scalar_whole(tree, &whole)) {
        *out = stk_number_whole(whole);
        return true;
    }
    if (tree->kind != STK_TREE_SCALAR || !tree->plain || tree->length > 80) return false;
    static const struct {
        const char *text;
        double      number;
    } words[] = {{".inf", (double)INFINITY}, {"-.inf", -(double)INFINITY}, {".nan", (double)NAN}};
    for (size_t i = 0; i < STK_COUNT_OF(words); i++)
        if (strcmp(tree->text, words[i].text) == 0) {
            *out = stk_number_real(words[i].number);
            return true;
        }
    if (!looks_real(tree->text)) return false;
    *out = stk_number_real(to_real(tree->text));
    return true;
}

bool stk_scalar_bool(const stk_tree *tree, bool *out)
{
    if (tree->kind != STK_TREE_SCALAR || !tree->plain) return false;
    *out = strcmp(tree->text, "true") == 0;
    return *out || strcmp(tree->text, "false") == 0;
}
