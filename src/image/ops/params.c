/* Parameters from text and back, by the operation's table. */
#include "base/decimal.h"
#include "base/suggest.h"
#include "image/ops/image_op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_ITEM = 160, MOST_NUMBERS = 3, MOST_PARAMETERS = 64 };

static const char blanks[] = " \t\r\n";

/* "bilinear": the place of a word among words; -1 for none. */
static int find_word(const char *words, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (int index = 0; *words; index++) {
        const size_t word = strcspn(words, " ");
        if (word == length && strncmp(words, wanted, word) == 0) return index;
        words += word + strspn(words + word, " ");
    }
    return -1;
}

static const char *word_at(const char *words, int index, int *length)
{
    for (; index > 0; index--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    *length = (int)strcspn(words, " ");
    return words;
}

static stk_status set_choice(const stk_image_op *op, const stk_image_parameter *parameter,
                             const char *value, int *out, stk_error *err)
{
    *out = find_word(parameter->words, value);
    if (*out >= 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op->name, parameter->name, "%s=%s is none of: %s",
                    parameter->name, value, parameter->words);
}

static stk_status set_flag(const stk_image_op *op, const stk_image_parameter *parameter,
                           const char *value, bool *out, stk_error *err)
{
    const int index = find_word("false true", value);
    *out = index == 1;
    if (index >= 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op->name, parameter->name, "%s=%s must be true or false",
                    parameter->name, value);
}

/* Numbers with commas between: how many; -1 where it is anything else or too many. */
static int read_numbers(const char *value, double *numbers)
{
    for (int count = 0; count < MOST_NUMBERS; value++) {
        const char *end;
        numbers[count] = stk_decimal_read(value, &end);
        if (end == value || !isfinite(numbers[count])) return -1;
        count++;
        if (!*end) return count;
        if (*end != ',') return -1;
        value = end;
    }
    return -1;
}

static int numbers_of(stk_parameter_kind kind)
{
    return kind == STK_PARAMETER_PAIR ? 2 : kind == STK_PARAMETER_COLOUR ? 3 : 1;
}

static stk_status check_bounds(const stk_image_op *op, const stk_image_parameter *parameter,
                               const char *value, double number, stk_error *err)
{
    const bool   any = parameter->least == 0 && parameter->most == 0;
    const bool   whole = parameter->kind == STK_PARAMETER_INTEGER;
    const double least = any ? INT32_MIN : parameter->least;
    const double most = any ? INT32_MAX : parameter->most;
    if (whole && number != floor(number))
        return stk_fail(err, STK_E_INVALID, op->name, parameter->name,
                        "%s=%s must be a whole number", parameter->name, value);
    if ((any && !whole) || (number >= least && number <= most)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op->name, parameter->name,
                    "%s=%s is out of bounds: it must be from %.10g to %.10g", parameter->name,
                    value, least, most);
}

static stk_status set_numbers(const stk_image_op *op, const stk_image_parameter *parameter,
                              const char *value, void *out, stk_error *err)
{
    double    numbers[MOST_NUMBERS];
    const int wanted = numbers_of(parameter->kind), count = read_numbers(value, numbers);
    if (count != 1 && count != wanted)
        return stk_fail(err, STK_E_INVALID, op->name, parameter->name, "%s=%s must be one number%s",
                        parameter->name, value,
                        wanted == 1   ? ""
                        : wanted == 2 ? ", or two with a comma between"
                                      : ", or three with commas between");
    for (int i = 0; i < count; i++)
        STK_TRY(check_bounds(op, parameter, value, numbers[i], err));
    if (parameter->kind == STK_PARAMETER_INTEGER) {
        *(int32_t *)out = (int32_t)numbers[0];
        return STK_OK;
    }
    for (int i = 0; i < wanted; i++)
        ((double *)out)[i] = numbers[count == 1 ? 0 : i];
    return STK_OK;
}

static stk_status set_value(const stk_image_op *op, const stk_image_parameter *parameter,
                            const char *value, void *params, stk_error *err)
{
    void *out = (char *)params + parameter->offset;
    switch (parameter->kind) {
    case STK_PARAMETER_CHOICE:
        return set_choice(op, parameter, value, out, err);
    case STK_PARAMETER_FLAG:
        return set_flag(op, parameter, value, out, err);
    default:
        return set_numbers(op, parameter, value, out, err);
    }
}

static stk_status find_parameter(const stk_image_op *op, const char *name, size_t *index,
                                 stk_error *err)
{
    char        text[LONGEST_ITEM];
    stk_suggest suggest = {.wanted = name};
    for (*index = 0; *index < op->parameter_count; ++*index) {
        if (strcmp(op->parameters[*index].name, name) == 0) return STK_OK;
        stk_suggest_offer(&suggest, op->parameters[*index].name);
    }
    return stk_fail(err, STK_E_INVALID, op->name, name, "%s has no parameter %s%s", op->name, name,
                    stk_suggest_text(&suggest, text, sizeof text));
}

/* item is "name=value"; it is cut in two. */
static stk_status set_item(const stk_image_op *op, char *item, void *params, uint64_t *given,
                           stk_error *err)
{
    size_t index;
    char  *value = strchr(item, '=');
    if (!value)
        return stk_fail(err, STK_E_INVALID, op->name, item,
                        "%s must be a parameter with its value: name=value", item);
    *value++ = 0;
    STK_TRY(find_parameter(op, item, &index, err));
    if (*given >> index & 1)
        return stk_fail(err, STK_E_INVALID, op->name, item, "%s is given twice", item);
    *given |= UINT64_C(1) << index;
    return set_value(op, &op->parameters[index], value, params, err);
}

static stk_status set_fallbacks(const stk_image_op *op, uint64_t given, void *params,
                                stk_error *err)
{
    for (size_t i = 0; i < op->parameter_count; i++) {
        const stk_image_parameter *parameter = &op->parameters[i];
        if (given >> i & 1) continue;
        if (!parameter->fallback)
            return stk_fail(err, STK_E_INVALID, op->name, parameter->name, "%s must be given: %s",
                            parameter->name, parameter->help);
        STK_TRY(set_value(op, parameter, parameter->fallback, params, err));
    }
    return STK_OK;
}

static stk_status set_all(const stk_image_op *op, const char *text, void *params, stk_error *err)
{
    uint64_t given = 0;
    if (op->parameter_count > MOST_PARAMETERS)
        return stk_fail(err, STK_E_LIMIT, op->name, NULL, "%zu parameters are more than %d",
                        op->parameter_count, (int)MOST_PARAMETERS);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        char         item[LONGEST_ITEM];
        const size_t length = strcspn(text, blanks);
        if (length >= sizeof item)
            return stk_fail(err, STK_E_LIMIT, op->name, NULL,
                            "%.40s... has %zu characters, more than %d", text, length,
                            (int)sizeof item - 1);
        memcpy(item, text, length);
        item[length] = 0;
        text += length;
        STK_TRY(set_item(op, item, params, &given, err));
    }
    return set_fallbacks(op, given, params, err);
}

stk_status stk_image_params_parse(void **out, const stk_image_op *op, const char *text,
                                  stk_error *err)
{
    *out = NULL;
    void *params = calloc(1, op->params_bytes ? op->params_bytes : 1);
    if (!params)
        return stk_fail(err, STK_E_NOMEM, op->name, NULL, "no memory for %zu bytes",
                        op->params_bytes);
    stk_status st = set_all(op, text, params, err);
    if (!st && op->check) st = op->check(params, err);
    if (st)
        free(params);
    else
        *out = params;
    return st;
}

static int write_number(char *text, size_t capacity, double number)
{
    char digits[STK_DECIMAL_CAPACITY];
    return snprintf(text, capacity, "%s", stk_decimal_shortest(number, 6, digits));
}

static void write_numbers(char *text, size_t capacity, const double *numbers, int count)
{
    bool equal = true;
    for (int i = 1; i < count; i++)
        equal = equal && numbers[i] == numbers[0];
    size_t used = (size_t)write_number(text, capacity, numbers[0]);
    for (int i = 1; i < count && !equal; i++) {
        text[used++] = ',';
        used += (size_t)write_number(text + used, capacity - used, numbers[i]);
    }
}

static void write_value(char *text, size_t capacity, const stk_image_parameter *parameter,
                        const void *value)
{
    int         length;
    const char *word;
    switch (parameter->kind) {
    case STK_PARAMETER_INTEGER:
        snprintf(text, capacity, "%d", (int)*(const int32_t *)value);
        return;
    case STK_PARAMETER_FLAG:
        snprintf(text, capacity, "%s", *(const bool *)value ? "true" : "false");
        return;
    case STK_PARAMETER_CHOICE:
        word = word_at(parameter->words, *(const int *)value, &length);
        snprintf(text, capacity, "%.*s", length, word);
        return;
    default:
        write_numbers(text, capacity, value, numbers_of(parameter->kind));
    }
}

char *stk_image_params_text(const stk_image_op *op, const void *params, char *text, int capacity)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < op->parameter_count; i++) {
        char                       value[LONGEST_ITEM];
        const stk_image_parameter *parameter = &op->parameters[i];
        write_value(value, sizeof value, parameter, (const char *)params + parameter->offset);
        const int length = snprintf(text + used, (size_t)capacity - used, "%s%s=%s", i ? " " : "",
                                    parameter->name, value);
        if (length < 0 || (size_t)length >= (size_t)capacity - used) break;
        used += (size_t)length;
    }
    return text;
}
