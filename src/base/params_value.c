/* Values of parameters from text and back, one kind after the other. */
#include "base/decimal.h"
#include "base/params_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double int64_end = 9223372036854775808.0;

bool stk_param_is_whole(const stk_param *row)
{
    return row->kind >= STK_PARAM_INT32 && row->kind <= STK_PARAM_UINT64 && !row->units;
}

void stk_param_bounds(const stk_param *row, double *min, double *max)
{
    static const double least[] = {[STK_PARAM_INT32] = INT32_MIN, [STK_PARAM_INT64] = -0x1p63},
                        most[] = {[STK_PARAM_INT32] = INT32_MAX,
                                  [STK_PARAM_INT64] = 0x1p63,
                                  [STK_PARAM_UINT32] = UINT32_MAX,
                                  [STK_PARAM_UINT64] = 0x1p63};
    const bool   any = row->min == 0 && row->max == 0;
    const bool   whole = row->kind >= STK_PARAM_INT32 && row->kind <= STK_PARAM_UINT64;
    const double low = !whole ? -INFINITY : row->kind < STK_PARAM_UINT32 ? least[row->kind] : 0;
    const double high = whole ? most[row->kind] : INFINITY;
    *min = any ? low : fmax(row->min, low);
    *max = any ? high : fmin(row->max, high);
}

bool stk_param_read_integer(const char *text, int64_t *number)
{
    const bool negative = *text == '-';
    int64_t    value = 0;
    text += negative || *text == '+';
    if (!*text) return false;
    for (; *text; text++) {
        const int digit = *text - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return false;
    }
    *number = value;
    return true;
}

bool stk_param_read_number(const char *text, const stk_param_unit *units, bool unit_needed,
                           double *number, const char **end)
{
    const double value = stk_decimal_read(text, end);
    if (*end == text || !isfinite(value)) return false;
    *number = value;
    for (; units && units->name; units++) {
        const size_t length = strlen(units->name);
        if (strncmp(*end, units->name, length) != 0) continue;
        *number = value * units->scale;
        *end += length;
        return true;
    }
    return !units || !unit_needed;
}

static void store(const stk_param *row, void *at, double number, int64_t whole)
{
    switch (row->kind) {
    case STK_PARAM_INT32:
        *(int32_t *)at = (int32_t)whole;
        break;
    case STK_PARAM_UINT32:
        *(uint32_t *)at = (uint32_t)whole;
        break;
    case STK_PARAM_INT64:
    case STK_PARAM_UINT64:
        memcpy(at, &whole, sizeof whole);
        break;
    case STK_PARAM_FLOAT:
        *(float *)at = (float)number;
        break;
    default:
        *(double *)at = number;
    }
}

static bool reads_auto(const stk_param_call *call)
{
    return call->row->flags & STK_PARAM_AUTO && strcmp(call->text, "auto") == 0;
}

/* Integers are compared as such: a double cannot tell the largest ones apart. */
static stk_status check_whole(const stk_param_call *call, double number, int64_t *whole,
                              stk_error *err)
{
    double min, max;
    stk_param_bounds(call->row, &min, &max);
    const bool exact = stk_param_read_integer(call->text, whole);
    if (!exact && number != floor(number)) return stk_param_refuse(call, STK_PARAM_NOT_WHOLE, err);
    if (!exact && fabs(number) < int64_end) *whole = (int64_t)number;
    const bool fits = exact || fabs(number) < int64_end;
    const bool low = min > -int64_end && fits && *whole < (int64_t)min;
    const bool high = max < int64_end && fits && *whole > (int64_t)max;
    return fits && !low && !high ? STK_OK : stk_param_refuse(call, STK_PARAM_NOT_IN_RANGE, err);
}

static stk_status read_number(const stk_param_call *call, void *at, stk_error *err)
{
    const stk_param *row = call->row;
    const char      *end;
    double           number, min, max;
    int64_t          whole = -1;
    if (reads_auto(call)) {
        store(row, at, -1, -1);
        return STK_OK;
    }
    const bool needed = row->units && *row->units->name && !(row->flags & STK_PARAM_UNIT_OPTIONAL);
    if (!stk_param_read_number(call->text, row->units, needed, &number, &end) || *end)
        return stk_param_refuse(call, STK_PARAM_NOT_NUMBER, err);
    if (stk_param_is_whole(row)) {
        STK_TRY(check_whole(call, number, &whole, err));
    } else {
        stk_param_bounds(row, &min, &max);
        if (row->kind == STK_PARAM_FLOAT && fabs(number) > (double)FLT_MAX) max = -INFINITY;
        /* A unit may make a number of 64 bits of what is not whole: 1.5 MB. */
        if (!(number >= min && number <= max) ||
            (row->kind <= STK_PARAM_UINT64 && fabs(number) >= int64_end))
            return stk_param_refuse(call, STK_PARAM_NOT_IN_RANGE, err);
        if (row->kind <= STK_PARAM_UINT64) whole = (int64_t)(number + 0.5);
    }
    store(row, at, number, whole);
    return STK_OK;
}

/* Numbers with commas between: how many; -1 where it is anything else or too many. */
static int read_list(const char *text, double numbers[STK_PARAM_NUMBERS_MOST])
{
    for (int count = 0; count < STK_PARAM_NUMBERS_MOST; text++) {
        const char *end;
        if (!stk_param_read_number(text, NULL, false, &numbers[count], &end)) return -1;
        count++;
        if (!*end) return count;
        if (*end != ',') return -1;
        text = end;
    }
    return -1;
}

static stk_status read_numbers(const stk_param_call *call, void *at, stk_error *err)
{
    const stk_param *row = call->row;
    double           numbers[STK_PARAM_NUMBERS_MOST], min, max;
    const int        count = read_list(call->text, numbers);
    if (count != 1 && (count < 0 || (size_t)count != row->count))
        return stk_param_refuse(call, STK_PARAM_NOT_NUMBER, err);
    stk_param_bounds(row, &min, &max);
    for (int i = 0; i < count; i++)
        if (!(numbers[i] >= min && numbers[i] <= max))
            return stk_param_refuse(call, STK_PARAM_NOT_IN_RANGE, err);
    for (size_t i = 0; i < row->count; i++)
        ((double *)at)[i] = numbers[count == 1 ? 0 : i];
    return STK_OK;
}

static stk_status read_bool(const stk_param_call *call, void *at, stk_error *err)
{
    const bool yes = strcmp(call->text, "true") == 0;
    if (!yes && strcmp(call->text, "false") != 0)
        return stk_param_refuse(call, STK_PARAM_NOT_BOOL, err);
    *(bool *)at = yes;
    return STK_OK;
}

static stk_status read_text(const stk_param_call *call, void *at, stk_error *err)
{
    const char  *text = reads_auto(call) ? "" : call->text;
    const size_t length = strlen(text);
    if (length >= call->row->size) return stk_param_refuse(call, STK_PARAM_TOO_LONG, err);
    memcpy(at, text, length + 1);
    return STK_OK;
}

static stk_status read_string(const stk_param_call *call, void *at, stk_error *err)
{
    if (!*call->text) return stk_param_refuse(call, STK_PARAM_EMPTY, err);
    *(const char **)at = call->text;
    return STK_OK;
}

const char *stk_param_word(const stk_param *row, size_t index, int *value)
{
    const char *word = NULL;
    for (size_t i = 0; row->choices && row->choices[i] && !word; i++)
        if (i == index) word = row->choices[i];
    if (row->word) word = row->word(index);
    if (row->count && index >= row->count) word = NULL;
    if (word && value) *value = row->values ? row->values[index] : (int)index;
    return word;
}

const char *stk_param_word_of(const stk_param *row, int value)
{
    const char *word;
    int         number;
    for (size_t i = 0; (word = stk_param_word(row, i, &number)); i++)
        if (number == value) return word;
    return NULL;
}

static stk_status read_word(const stk_param_call *call, void *at, stk_error *err)
{
    int         value;
    const char *word;
    for (size_t i = 0; (word = stk_param_word(call->row, i, &value)); i++) {
        if (strcmp(word, call->text) != 0) continue;
        if (call->row->kind == STK_PARAM_CHOICE)
            *(const char **)at = word;
        else
            *(int *)at = value;
        return STK_OK;
    }
    return stk_param_refuse(call, STK_PARAM_NOT_CHOICE, err);
}

stk_status stk_param_read(const stk_param_call *call, void *to, stk_error *err)
{
    void *at = (char *)to + call->row->offset;
    switch (call->row->kind) {
    case STK_PARAM_BOOL:
        return read_bool(call, at, err);
    case STK_PARAM_NUMBERS:
        return read_numbers(call, at, err);
    case STK_PARAM_TEXT:
        return read_text(call, at, err);
    case STK_PARAM_STRING:
        return read_string(call, at, err);
    case STK_PARAM_CHOICE:
    case STK_PARAM_ENUM:
        return read_word(call, at, err);
    case STK_PARAM_CUSTOM:
        return call->row->parse(call, to, err);
    default:
        if (call->row->kind <= STK_PARAM_DOUBLE) return read_number(call, at, err);
        return stk_fail(err, STK_E_UNSUPPORTED, call->source->component, call->row->name,
                        "has no form of one text");
    }
}

int stk_param_print_number(double number, const stk_param_unit *units, char *text, size_t capacity)
{
    char digits[STK_DECIMAL_CAPACITY];
    if (!units) return snprintf(text, capacity, "%s", stk_decimal_shortest(number, 6, digits));
    while (units[1].name && number < units->scale * (1 - 1e-9))
        units++;
    return snprintf(text, capacity, "%s%s", stk_decimal_write(number / units->scale, 6, digits),
                    units->name);
}

static double number_of(const stk_param *row, const void *at)
{
    switch (row->kind) {
    case STK_PARAM_INT32:
        return *(const int32_t *)at;
    case STK_PARAM_UINT32:
        return *(const uint32_t *)at;
    case STK_PARAM_INT64:
        return (double)*(const int64_t *)at;
    case STK_PARAM_UINT64:
        return (double)*(const uint64_t *)at;
    case STK_PARAM_FLOAT:
        return (double)*(const float *)at;
    default:
        return *(const double *)at;
    }
}

bool stk_param_is_auto(const stk_param *row, const void *from)
{
    const void *at = (const char *)from + row->offset;
    if (row->kind == STK_PARAM_ENUM) {
        const char *word = stk_param_word_of(row, *(const int *)at);
        return word && strcmp(word, "auto") == 0;
    }
    if (!(row->flags & STK_PARAM_AUTO)) return false;
    return row->kind == STK_PARAM_TEXT ? !*(const char *)at : number_of(row, at) < 0;
}

static int print_numbers(const stk_param *row, const double *numbers, char *text, size_t capacity)
{
    char   all[STK_PARAM_NUMBERS_MOST * (STK_DECIMAL_CAPACITY + 1)];
    bool   equal = true;
    size_t used = 0;
    for (size_t i = 1; i < row->count; i++)
        equal = equal && numbers[i] == numbers[0];
    for (size_t i = 0; i < (equal ? 1 : row->count); i++) {
        if (i) all[used++] = ',';
        used += (size_t)stk_param_print_number(numbers[i], NULL, all + used, sizeof all - used);
    }
    return snprintf(text, capacity, "%s", all);
}

static int print_word(const stk_param *row, int value, char *text, size_t capacity)
{
    const char *word = stk_param_word_of(row, value);
    return snprintf(text, capacity, "%s", word ? word : "");
}

static int print_number(const stk_param *row, const void *at, char *text, size_t capacity)
{
    const double number = number_of(row, at);
    int64_t      whole;
    if (row->flags & STK_PARAM_ZERO_IS_OFF && number <= 0) return 0;
    if (row->units || (row->kind != STK_PARAM_INT64 && row->kind != STK_PARAM_UINT64))
        return stk_param_print_number(number, row->units, text, capacity);
    memcpy(&whole, at, sizeof whole);
    if (row->kind == STK_PARAM_INT64) return snprintf(text, capacity, "%lld", (long long)whole);
    return snprintf(text, capacity, "%llu", (unsigned long long)whole);
}

int stk_param_print(const stk_param *row, const void *from, char *text, size_t capacity)
{
    const void *at = (const char *)from + row->offset;
    if (capacity) text[0] = 0;
    if (row->kind == STK_PARAM_CUSTOM) return row->print(from, text, capacity);
    if (stk_param_is_auto(row, from)) return snprintf(text, capacity, "auto");
    switch (row->kind) {
    case STK_PARAM_BOOL:
        return snprintf(text, capacity, *(const bool *)at ? "true" : "false");
    case STK_PARAM_NUMBERS:
        return print_numbers(row, at, text, capacity);
    case STK_PARAM_TEXT:
        return snprintf(text, capacity, "%s", (const char *)at);
    case STK_PARAM_STRING:
    case STK_PARAM_CHOICE:
        return *(const char *const *)at ? snprintf(text, capacity, "%s", *(const char *const *)at)
                                        : 0;
    case STK_PARAM_ENUM:
        return print_word(row, *(const int *)at, text, capacity);
    default:
        return row->kind <= STK_PARAM_DOUBLE ? print_number(row, at, text, capacity) : 0;
    }
}
