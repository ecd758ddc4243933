/* Knobs: "name=value,value", where a value may be a range. */
#include "tune/program/knob.h"

#include "base/decimal.h"
#include "storage/file/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 }; /* of a range's values: 0.1+0.1+0.1 is 0.3 with so many */

/* Whole numbers up to here are written without an exponent: programs read them as integers. */
static const double whole_max = 1e15;

bool stk_tune_knob_number(const char *text, double *out)
{
    const char  *end;
    const double value = stk_decimal_read(text, &end);
    if (end == text || *end || !isfinite(value)) return false;
    *out = value;
    return true;
}

static bool has_value(const stk_tune_knob *knob, const char *value)
{
    for (size_t i = 0; i < knob->count; i++)
        if (strcmp(knob->values[i], value) == 0) return true;
    return false;
}

static stk_status add_value(stk_tune_knob *knob, const char *value, stk_error *err)
{
    double number;
    if (strlen(value) >= STK_TUNE_VALUE)
        return stk_fail(err, STK_E_LIMIT, "tune", knob->name,
                        "the value '%.40s...' has %zu bytes; at most %d are possible", value,
                        strlen(value), STK_TUNE_VALUE - 1);
    if (knob->count == STK_TUNE_KNOB_VALUES)
        return stk_fail(err, STK_E_LIMIT, "tune", knob->name,
                        "more than %d values; give fewer, or a range with a larger step",
                        STK_TUNE_KNOB_VALUES);
    if (!(knob->values[knob->count] = strdup(value)))
        return stk_fail(err, STK_E_NOMEM, "tune", knob->name, "no memory for its values");
    knob->numbers = knob->numbers && stk_tune_knob_number(value, &number);
    knob->count++;
    return STK_OK;
}

static stk_status add_word(stk_tune_knob *knob, const char *word, stk_error *err)
{
    if (!*word)
        return stk_fail(err, STK_E_INVALID, "tune", knob->name,
                        "value %zu is empty; write them as in %s=1,2,4", knob->count + 1,
                        knob->name);
    if (has_value(knob, word))
        return stk_fail(err, STK_E_INVALID, "tune", knob->name, "the value '%.80s' is there twice",
                        word);
    return add_value(knob, word, err);
}

/* first, then by + or x to last. */
typedef struct range {
    double first, last, step;
    bool   times;
} range;

/* Text "LAST", "LAST+STEP" or "LASTxSTEP". A sign or an exponent is no step: a number is read
 * first. */
static bool read_end(range *out, const char *text)
{
    const char *end;
    out->last = stk_decimal_read(text, &end);
    out->step = 1;
    out->times = *end == 'x';
    if (end == text || !isfinite(out->last)) return false;
    return !*end || ((*end == '+' || *end == 'x') && stk_tune_knob_number(end + 1, &out->step));
}

/* Whether it is meant as a range: a number before "..". Paths such as ../data are words. */
static bool is_range(const char *word, const char *dots, double *first)
{
    char         text[STK_DECIMAL_CAPACITY];
    const size_t length = dots ? (size_t)(dots - word) : 0;
    if (!dots || length >= sizeof text) return false;
    memcpy(text, word, length);
    text[length] = 0;
    return stk_tune_knob_number(text, first);
}

static stk_status check_range(const stk_tune_knob *knob, const range *r, const char *word,
                              stk_error *err)
{
    if (r->last < r->first)
        return stk_fail(err, STK_E_INVALID, "tune", knob->name,
                        "the range %.80s never ends: its last number is less than the first; the "
                        "start may stand before it: %s=64,32..512x2",
                        word, knob->name);
    if (r->times && (r->step <= 1 || r->first <= 0))
        return stk_fail(err, STK_E_INVALID, "tune", knob->name,
                        "the range %.80s never ends: x needs a factor above 1 and a first number "
                        "above 0",
                        word);
    if (!r->times && r->step <= 0)
        return stk_fail(err, STK_E_INVALID, "tune", knob->name,
                        "the range %.80s never ends: + needs a step above 0", word);
    return STK_OK;
}

static char *write_number(double number, char text[STK_DECIMAL_CAPACITY])
{
    if (number != trunc(number) || fabs(number) > whole_max)
        return stk_decimal_write(number, DIGITS, text);
    snprintf(text, STK_DECIMAL_CAPACITY, "%.0f", number);
    return text;
}

/* Computed from the first one: sums of steps would drift. Factors between whole numbers give whole
 * ones, since batch=32..512x1.5 means sizes. */
static double value_at(const range *r, int index)
{
    const bool whole = r->first == trunc(r->first) && r->last == trunc(r->last);
    if (!r->times) return r->first + r->step * index;
    const double value = r->first * pow(r->step, index);
    return whole ? round(value) : value;
}

static stk_status add_range(stk_tune_knob *knob, const char *word, const char *dots, double first,
                            stk_error *err)
{
    range r = {.first = first};
    char  text[STK_DECIMAL_CAPACITY];
    if (!read_end(&r, dots + 2))
        return stk_fail(err, STK_E_INVALID, "tune", knob->name,
                        "'%.80s' is no range; ranges are 0..8, 0..8+2 and 32..512x2", word);
    STK_TRY(check_range(knob, &r, word, err));
    const double beyond = r.last + 1e-9 * fabs(r.last);
    for (int i = 0; i <= STK_TUNE_KNOB_VALUES; i++) {
        const double value = value_at(&r, i);
        if (value > beyond) return STK_OK;
        write_number(value, text);
        if (!has_value(knob, text)) STK_TRY(add_value(knob, text, err));
    }
    return stk_fail(err, STK_E_LIMIT, "tune", knob->name,
                    "the range %.80s has more than %d values; give it a larger step", word,
                    STK_TUNE_KNOB_VALUES);
}

static stk_status add_part(stk_tune_knob *knob, const char *word, stk_error *err)
{
    const char *dots = strstr(word, "..");
    double      first;
    return is_range(word, dots, &first) ? add_range(knob, word, dots, first, err)
                                        : add_word(knob, word, err);
}

/* Blanks around a value are the shell user's: "0, 1". */
static void trim(const char **text, size_t *length)
{
    while (*length && **text == ' ')
        (*text)++, (*length)--;
    while (*length && (*text)[*length - 1] == ' ')
        (*length)--;
}

static stk_status add_parts(stk_tune_knob *knob, const char *values, stk_error *err)
{
    for (const char *part = values;; part++) {
        size_t      length = strcspn(part, ",");
        const char *next = part + length, *text = part;
        trim(&text, &length);
        char *word = strndup(text, length);
        if (!word)
            return stk_fail(err, STK_E_NOMEM, "tune", knob->name, "no memory for its values");
        const stk_status st = add_part(knob, word, err);
        free(word);
        if (st || !*next) return st;
        part = next;
    }
}

static stk_status check_name(const char *text, size_t length, stk_error *err)
{
    bool plain = length > 0;
    for (size_t i = 0; i < length; i++)
        plain = plain && stk_path_is_word(text[i]);
    if (!plain || text[length] != '=')
        return stk_fail(err, STK_E_INVALID, "tune", text,
                        "no knob; write NAME=VALUE,VALUE with a name of letters, digits and _: "
                        "workers=0,1,2,4");
    if (length >= STK_TUNE_KEY)
        return stk_fail(err, STK_E_LIMIT, "tune", text,
                        "its name has %zu characters; at most %d are possible", length,
                        STK_TUNE_KEY - 1);
    if (length == 6 && memcmp(text, "config", 6) == 0)
        return stk_fail(err, STK_E_INVALID, "tune", text,
                        "{config} is the filled template; name the knob otherwise");
    return STK_OK;
}

static stk_status parse_one(stk_tune_knobs *knobs, const char *text, stk_error *err)
{
    const size_t length = strcspn(text, "=");
    STK_TRY(check_name(text, length, err));
    if (stk_tune_knobs_find(knobs, text, length))
        return stk_fail(err, STK_E_INVALID, "tune", text,
                        "the knob %.*s is there twice; give all its values at once", (int)length,
                        text);
    if (knobs->count == STK_TUNE_KEYS)
        return stk_fail(err, STK_E_LIMIT, "tune", text, "more than %d knobs", STK_TUNE_KEYS);
    stk_tune_knob *knob = &knobs->list[knobs->count++];
    *knob = (stk_tune_knob){.numbers = true};
    memcpy(knob->name, text, length);
    return add_parts(knob, text + length + 1, err);
}

stk_status stk_tune_knobs_parse(stk_tune_knobs *out, const char *const *texts, size_t count,
                                stk_error *err)
{
    out->count = 0;
    for (size_t i = 0; i < count; i++)
        STK_TRY(parse_one(out, texts[i], err));
    return STK_OK;
}

void stk_tune_knobs_release(stk_tune_knobs *knobs)
{
    for (size_t i = 0; i < knobs->count; i++)
        for (size_t k = 0; k < knobs->list[i].count; k++)
            free(knobs->list[i].values[k]);
    knobs->count = 0;
}

const stk_tune_knob *stk_tune_knobs_find(const stk_tune_knobs *knobs, const char *name,
                                         size_t length)
{
    for (size_t i = 0; i < knobs->count; i++)
        if (strlen(knobs->list[i].name) == length && memcmp(knobs->list[i].name, name, length) == 0)
            return &knobs->list[i];
    return NULL;
}

char *stk_tune_knobs_names(const stk_tune_knobs *knobs, char *text, size_t capacity)
{
    size_t used = 0;
    snprintf(text, capacity, "none");
    for (size_t i = 0; i < knobs->count && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "",
                                 knobs->list[i].name);
    return text;
}

const char *stk_tune_knob_value(const stk_tune_knob *knob, const stk_tune_setting *setting)
{
    const char *value = stk_tune_setting_get(setting, knob->name);
    return value ? value : knob->values[0];
}

stk_tune_setting stk_tune_knobs_normalize(const stk_tune_knobs   *knobs,
                                          const stk_tune_setting *setting)
{
    stk_tune_setting out = {0};
    for (size_t i = 0; i < setting->count; i++) {
        const stk_tune_assignment *one = &setting->list[i];
        const stk_tune_knob       *knob = stk_tune_knobs_find(knobs, one->key, strlen(one->key));
        if (!knob || strcmp(one->value, knob->values[0]) != 0) out.list[out.count++] = *one;
    }
    return out;
}
