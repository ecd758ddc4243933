/* What a plain word of YAML says: a whole number, a number, true or false. */
#include "base/decimal.h"
#include "pipeline/recipe/data_recipe.h"

#include <math.h>
#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits may be grouped: 10_000. */
bool stk_scalar_integer(const stk_yaml_node *tree, int64_t *out)
{
    if (tree->kind != STK_YAML_SCALAR || !tree->plain) return false;
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

bool stk_scalar_number(const stk_yaml_node *tree, stk_number *out)
{
    int64_t whole;
    if (stk_scalar_integer(tree, &whole)) {
        *out = stk_number_integer(whole);
        return true;
    }
    if (tree->kind != STK_YAML_SCALAR || !tree->plain || tree->length > 80) return false;
    static const struct {
        const char *text;
        double      number;
    } words[] = {{".inf", (double)INFINITY}, {"-.inf", -(double)INFINITY}, {".nan", (double)NAN}};
    for (size_t i = 0; i < STK_COUNT_OF(words); i++)
        if (strcmp(tree->text, words[i].text) == 0) {
            *out = stk_number_float(words[i].number);
            return true;
        }
    const char  *end;
    const double number = stk_decimal_read(tree->text, &end);
    if (end == tree->text || *end) return false;
    *out = stk_number_float(number);
    return true;
}

bool stk_scalar_bool(const stk_yaml_node *tree, bool *out)
{
    if (tree->kind != STK_YAML_SCALAR || !tree->plain) return false;
    *out = strcmp(tree->text, "true") == 0;
    return *out || strcmp(tree->text, "false") == 0;
}
