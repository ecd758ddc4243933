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

typedef struct filler {
    const stk_param_call *call;
    bool                  unknown;
    char                 *text;
    size_t                used, capacity;
} filler;

static void put(filler *f, const char *text, size_t length)
{
    const size_t room = f->capacity - 1 - f->used;
    if (length > room) length = room;
    memcpy(f->text + f->used, text, length);
    f->used += length;
    f->text[f->used] = 0;
}

static void put_text(filler *f, const char *text)
{
    if (text) put(f, text, strlen(text));
}

static void put_name(filler *f)
{
    put_text(f, f->call->name);
}

/* The full name as it is now, so that a former one is not learnt again. */
static void put_key(filler *f)
{
    char key[STK_PARAM_VALUE];
    put_text(f, f->call->source->prefix);
    put_text(f, f->call->row ? stk_param_key(f->call->row, key, sizeof key) : f->call->name);
}

static void put_value(filler *f)
{
    put_text(f, f->call->text);
}

static void put_item(filler *f)
{
    put_name(f);
    if (!f->call->text) return;
    put_text(f, "=");
    put_value(f);
}

static void put_kind(filler *f)
{
    const stk_param *row = f->call->row;
    put_text(f, stk_param_is_whole(row) ? "a whole number" : "a number");
}

static void put_numbers(filler *f)
{
    static const char *const rest[] = {"", "", ", or two with a comma between",
                                       ", or three with commas between"};
    const stk_param         *row = f->call->row;
    put_text(f, "one number");
    if (row->kind == STK_PARAM_NUMBERS && row->count <= STK_PARAM_NUMBERS_MOST)
        put_text(f, rest[row->count]);
}

static void put_bound(filler *f, double bound)
{
    char             text[STK_DECIMAL_CAPACITY];
    const stk_param *row = f->call->row;
    const double     scale = row->units && !*row->units->name ? row->units->scale : 1;
    if (stk_param_is_whole(row) && fabs(bound) >= 1e15) {
        const bool top = bound >= 9.2e18;
        snprintf(text, sizeof text, "%lld", top ? (long long)INT64_MAX : (long long)bound);
        put_text(f, text);
    } else {
        put_text(f, stk_decimal_write(bound / scale, 15, text));
    }
}

static void put_min(filler *f)
{
    double min, max;
    stk_param_bounds(f->call->row, &min, &max);
    put_bound(f, min);
}

static void put_max(filler *f)
{
    double min, max;
    stk_param_bounds(f->call->row, &min, &max);
    put_bound(f, max);
}

static void put_range(filler *f)
{
    double min, max;
    stk_param_bounds(f->call->row, &min, &max);
    if (!isfinite(min) || !isfinite(max)) return;
    put_text(f, " from ");
    put_bound(f, min);
    put_text(f, " to ");
    put_bound(f, max);
}

static void put_auto(filler *f)
{
    if (f->call->row->flags & STK_PARAM_AUTO) put_text(f, ", or auto");
}

static void put_words(filler *f, const char *separator)
{
    const char *word;
    for (size_t i = 0; (word = stk_param_word(f->call->row, i, NULL)); i++) {
        if (i) put_text(f, separator);
        put_text(f, word);
    }
}

static void put_choices(filler *f)
{
    put_words(f, " ");
}

static void put_list(filler *f)
{
    put_words(f, ", ");
}

static void put_names(filler *f)
{
    for (size_t i = 0; i < f->call->table->count; i++) {
        if (i) put_text(f, ", ");
        put_text(f, f->call->table->rows[i].name);
    }
}

/* The nearest word of a row that there is, else the nearest name. */
static void put_near(filler *f)
{
    const stk_param_call *call = f->call;
    char                  text[96];
    const char           *word;
    stk_suggest           suggest = {.wanted = f->unknown ? call->name : call->text};
    for (size_t i = 0; f->unknown && i < call->table->count; i++)
        stk_suggest_offer(&suggest, call->table->rows[i].name);
    for (size_t i = 0; !f->unknown && (word = stk_param_word(call->row, i, NULL)); i++)
        stk_suggest_offer(&suggest, word);
    put_text(f, stk_suggest_text(&suggest, text, sizeof text));
}

static void put_size(filler *f)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", f->call->row->size - 1);
    put_text(f, text);
}

static void put_usage(filler *f)
{
    put_text(f, f->call->row->usage);
}

static void put_help(filler *f)
{
    put_text(f, f->call->row->help);
}

static void put_table(filler *f)
{
    put_text(f, f->call->table->name);
}

static const struct {
    const char *name;
    void (*put)(filler *f);
} places[] = {
    {"{name}", put_name},       {"{key}", put_key},         {"{text}", put_value},
    {"{item}", put_item},       {"{kind}", put_kind},       {"{range}", put_range},
    {"{numbers}", put_numbers}, {"{min}", put_min},         {"{max}", put_max},
    {"{auto}", put_auto},       {"{choices}", put_choices}, {"{list}", put_list},
    {"{names}", put_names},     {"{near}", put_near},       {"{size}", put_size},
    {"{usage}", put_usage},     {"{help}", put_help},       {"{table}", put_table},
};

/* Of a place: how long its name is; 0: there is none at text. */
static size_t fill_place(filler *f, const char *text)
{
    for (size_t i = 0; *text == '{' && i < sizeof places / sizeof *places; i++) {
        const size_t length = strlen(places[i].name);
        if (strncmp(places[i].name, text, length) != 0) continue;
        places[i].put(f);
        return length;
    }
    return 0;
}

static char *fill(const stk_param_call *call, const char *text, bool unknown, char *out,
                  size_t capacity)
{
    filler f = {call, unknown, out, 0, capacity};
    *out = 0;
    while (*text) {
        const size_t place = fill_place(&f, text);
        if (!place) put(&f, text, 1);
        text += place ? place : 1;
    }
    return out;
}

stk_status stk_param_refuse(const stk_param_call *call, stk_param_message message, stk_error *err)
{
    char              where[sizeof err->where], text[sizeof err->message];
    const bool        unknown = message == STK_PARAM_UNKNOWN;
    const char *const place = template_of(call->table, STK_PARAM_WHERE);
    fill(call, place, unknown, where, sizeof where);
    fill(call, template_of(call->table, message), unknown, text, sizeof text);
    return stk_fail(err, message == STK_PARAM_TOO_LONG ? STK_E_LIMIT : STK_E_INVALID,
                    call->source->stage, call->source->where ? call->source->where : where, "%s",
                    text);
}
