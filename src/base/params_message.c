/* What a parameter table says when it refuses: templates of messages, filled in. */
#include "base/decimal.h"
#include "base/params_internal.h"
#include "base/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const usual[STK_PARAM_MESSAGES] = {
    [STK_PARAM_NOT_VALUE] = "{key} is \"{text}\"; it takes {kind}{range}{auto}",
    [STK_PARAM_NOT_CHOICE] = "{key} is \"{text}\"; it is one of: {choices}{near}",
    [STK_PARAM_NOT_BOOL] = "{key} is \"{text}\"; it is true or false",
    [STK_PARAM_TOO_LONG] = "{key} takes at most {size} bytes",
    [STK_PARAM_EMPTY] = "{key} is empty",
    [STK_PARAM_UNKNOWN] = "{table} has no parameter {name}{near}",
    [STK_PARAM_MISSING] = "{name} must be given: {help}",
    [STK_PARAM_TWICE] = "{name} is given twice",
    [STK_PARAM_WHERE] = "{name}",
};

/* The table's own, then what stands for several, then the usual. */
static const char *template_of(const stk_params *table, stk_param_message message)
{
    const char *const *own = table->messages;
    if (own && own[message]) return own[message];
    const bool value = message < STK_PARAM_UNKNOWN || message == STK_PARAM_NO_VALUE;
    if (own && value && own[STK_PARAM_NOT_VALUE]) return own[STK_PARAM_NOT_VALUE];
    return usual[message] ? usual[message] : usual[STK_PARAM_NOT_VALUE];
}

enum { LIST = 512, SHORT = 128 };

/* What stands for {name} and the others. */
typedef struct places {
    char key[SHORT], item[LIST], min[STK_DECIMAL_CAPACITY], max[STK_DECIMAL_CAPACITY], range[SHORT];
    char choices[LIST], list[LIST], names[LIST], near[SHORT], size[32];
} places;

static void add(char text[LIST], const char *separator, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, LIST - used, "%s%s", used ? separator : "", word);
}

static void write_bound(const stk_param *row, double bound, char text[STK_DECIMAL_CAPACITY])
{
    const double scale = row->units && !*row->units->name ? row->units->scale : 1;
    if (!stk_param_is_whole(row) || fabs(bound) < 1e15)
        stk_decimal_write(bound / scale, 15, text);
    else /* to the last digit */
        snprintf(text, STK_DECIMAL_CAPACITY, "%lld",
                 bound >= 0x1p63 ? (long long)INT64_MAX : (long long)bound);
}

static void fill_row(places *p, const stk_param *row)
{
    double      min, max;
    const char *word;
    stk_param_bounds(row, &min, &max);
    write_bound(row, min, p->min);
    write_bound(row, max, p->max);
    if (isfinite(min) && isfinite(max))
        snprintf(p->range, sizeof p->range, " from %s to %s", p->min, p->max);
    for (size_t i = 0; (word = stk_param_word(row, i, NULL)); i++) {
        add(p->choices, " ", word);
        add(p->list, ", ", word);
    }
    snprintf(p->size, sizeof p->size, "%zu", row->size - 1);
}

/* The nearest word of a row that there is, else the nearest name. */
static void fill_near(places *p, const stk_param_call *call, bool unknown)
{
    const char *word;
    stk_suggest suggest = {.wanted = unknown ? call->name : call->text ? call->text : ""};
    for (size_t i = 0; unknown && i < call->table->count; i++)
        stk_suggest_offer(&suggest, call->table->rows[i].name);
    for (size_t i = 0; !unknown && call->row && (word = stk_param_word(call->row, i, NULL)); i++)
        stk_suggest_offer(&suggest, word);
    stk_suggest_text(&suggest, p->near, sizeof p->near);
}

static void fill_places(places *p, const stk_param_call *call, bool unknown)
{
    char        key[SHORT];
    const char *prefix = call->source->prefix ? call->source->prefix : "";
    *p = (places){0};
    /* The name as it is now, so that a former one is not learnt again. */
    snprintf(p->key, sizeof p->key, "%s%s", prefix,
             call->row ? stk_param_key(call->row, key, sizeof key) : call->name);
    add(p->item, "", call->name);
    if (call->text) add(p->item, "=", call->text);
    for (size_t i = 0; i < call->table->count; i++)
        add(p->names, ", ", call->table->rows[i].name);
    if (call->row) fill_row(p, call->row);
    fill_near(p, call, unknown);
}

static const char *numbers_of(const stk_param *row)
{
    return row->kind != STK_PARAM_NUMBERS || row->count < 2 ? "one number"
           : row->count == 2 ? "one number, or two with a comma between"
                             : "one number, or three with commas between";
}

static void fill(const places *p, const stk_param_call *call, const char *text, char *out,
                 size_t capacity)
{
    static const stk_param none = {0};
    const stk_param       *row = call->row ? call->row : &none;
    const struct {
        const char *name, *text;
    } all[] = {{"{name}", call->name},
               {"{key}", p->key},
               {"{text}", call->text},
               {"{item}", p->item},
               {"{kind}", stk_param_is_whole(row) ? "a whole number" : "a number"},
               {"{numbers}", numbers_of(row)},
               {"{min}", p->min},
               {"{max}", p->max},
               {"{range}", p->range},
               {"{auto}", row->flags & STK_PARAM_AUTO ? ", or auto" : ""},
               {"{choices}", p->choices},
               {"{list}", p->list},
               {"{names}", p->names},
               {"{near}", p->near},
               {"{size}", p->size},
               {"{usage}", row->usage},
               {"{help}", row->help},
               {"{table}", call->table->name}};
    size_t used = 0;
    for (*out = 0; *text && used + 1 < capacity; used = strlen(out)) {
        size_t i = 0, count = sizeof all / sizeof *all;
        while (i < count && strncmp(text, all[i].name, strlen(all[i].name)) != 0)
            i++;
        if (i == count)
            snprintf(out + used, capacity - used, "%c", *text);
        else
            snprintf(out + used, capacity - used, "%s", all[i].text ? all[i].text : "");
        text += i == count ? 1 : strlen(all[i].name);
    }
}

stk_status stk_param_refuse(const stk_param_call *call, stk_param_message message, stk_error *err)
{
    char   where[sizeof err->where], text[sizeof err->message];
    places p;
    fill_places(&p, call, message == STK_PARAM_UNKNOWN);
    fill(&p, call, template_of(call->table, STK_PARAM_WHERE), where, sizeof where);
    fill(&p, call, template_of(call->table, message), text, sizeof text);
    return stk_fail(err, message == STK_PARAM_TOO_LONG ? STK_E_LIMIT : STK_E_INVALID,
                    call->source->component, call->source->where ? call->source->where : where,
                    "%s", text);
}
