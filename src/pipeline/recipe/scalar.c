/* What a plain word of YAML says: a whole number, a number, true or false. */
#include "base/decimal.h"
#include "pipeline/recipe/data_recipe.h"

#include <ctype.h>
#include <math.h>
#include <stoker/params.h>

enum { DIGITS_MOST = 80 };

/* Digits may be grouped: 10_000. */
bool stk_scalar_integer(const stk_yaml_node *tree, int64_t *out)
{
    char   digits[DIGITS_MOST];
    size_t used = 0;
    if (tree->kind != STK_YAML_SCALAR || !tree->plain || tree->length >= sizeof digits)
        return false;
    for (size_t i = 0; i < tree->length; i++) {
        const bool groups = i && isdigit((unsigned char)tree->text[i - 1]);
        if (tree->text[i] != '_' || !groups || !isdigit((unsigned char)tree->text[i + 1]))
            digits[used++] = tree->text[i];
    }
    digits[used] = 0;
    return strlen(digits) == used && stk_param_read_integer(digits, out);
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
