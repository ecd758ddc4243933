/* The list of lints: filled, ranked, written. */
#include "lint/lint_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>

stk_lint *stk_lint_add(stk_lint_list *list, const char *rule, stk_stage stage, const char *where)
{
    if (list->count == STK_LINT_MAX) {
        list->left_out++;
        return NULL;
    }
    stk_lint *item = &list->items[list->count++];
    *item = (stk_lint){.rule = rule, .stage = stage, .saves = -1, .gain = -1};
    snprintf(item->where, sizeof item->where, "%s", where);
    return item;
}

void stk_lint_print(char *text, size_t capacity, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, capacity, format, args);
    va_end(args);
}

/* Exposed fraction of the stage in a step; below 0: not known. */
static double exposed(const stk_profile *profile, stk_stage stage)
{
    if (!profile || profile->measured_ns <= 0) return stage == STK_STAGE_COMPUTE ? 1 : -1;
    return profile->stages[stage].exposed_ns / profile->measured_ns;
}

/* Largest first; unknown gains last. */
static int by_gain(const void *a, const void *b)
{
    const stk_lint *x = a, *y = b;
    return (x->gain < y->gain) - (x->gain > y->gain);
}

void stk_lint_rank(stk_lint_list *list, const stk_profile *profile)
{
    for (size_t i = 0; i < list->count; i++) {
        stk_lint    *item = &list->items[i];
        const double fraction = exposed(profile, item->stage), saved = item->saves * fraction;
        item->gain = item->saves < 0 || fraction < 0 ? -1 : saved < 0.99 ? saved / (1 - saved) : 99;
    }
    qsort(list->items, list->count, sizeof *list->items, by_gain);
}

static void write_item(stk_json_writer *w, const stk_lint *item)
{
    stk_json_object(w);
    stk_json_pair_string(w, "rule", item->rule);
    stk_json_pair_string(w, "stage", stk_stage_name(item->stage));
    stk_json_pair_string(w, "where", item->where);
    stk_json_pair_string(w, "message", item->message);
    stk_json_pair_string(w, "command", item->command);
    stk_json_pair_string(w, "recipe", item->recipe);
    stk_json_key(w, "gain");
    if (item->gain < 0)
        stk_json_null(w);
    else
        stk_json_double(w, item->gain);
    stk_json_pair_string(w, "how", item->how);
    stk_json_pair_bool(w, "changes_training", item->changes_training);
    stk_json_pair_bool(w, "data", item->data);
    stk_json_object_end(w);
}

stk_status stk_lint_write(const stk_lint_list *list, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_json_array(&w);
    for (size_t i = 0; i < list->count; i++)
        write_item(&w, &list->items[i]);
    stk_json_array_end(&w);
    return stk_json_end(&w, err);
}

/* Converts "data: {batch: 32}" to "data.batch=32" for --set; other lines are for the user only. */
static bool read_key(const char *recipe, char *set, size_t capacity)
{
    char section[32], key[32], value[STK_LINT_TEXT];
    int  end = 0;
    if (sscanf(recipe, "%31[a-z_]: {%31[a-z_]: %90[^},]}%n", section, key, value, &end) != 3 ||
        !end || recipe[end])
        return false;
    if (value[0] >= 'A' && value[0] <= 'Z')
        return false; /* a letter stands for the user's own number */
    if (strcmp(value, "\"\"") == 0) *value = 0;
    snprintf(set, capacity, "%s.%s=%s", section, key, value);
    return true;
}

/* A lint is an upper bound, so its interval begins at the current rate. */
static stk_fix fix_of(const stk_lint *item, const stk_diagnosis *diagnosis)
{
    const double now = diagnosis->samples_per_s.value;
    const bool   known = item->gain >= 0 && now > 0;
    stk_fix      fix = {.stage = item->stage,
                        .gain = known ? item->gain : 0,
                        .gain_high = known ? item->gain : 0,
                        .at_most = true,
                        .changes_training = item->changes_training};
    snprintf(fix.name, sizeof fix.name, "%s", item->rule);
    fix.set_count = read_key(item->recipe, fix.set[0], sizeof fix.set[0]);
    stk_lint_print(fix.title, sizeof fix.title, "%s: %s", item->where, item->message);
    snprintf(fix.why, sizeof fix.why, "rule %s%s%s", item->rule, *item->how ? "; " : "", item->how);
    snprintf(fix.command, sizeof fix.command, "%.*s", (int)sizeof fix.command - 1, item->command);
    snprintf(fix.recipe, sizeof fix.recipe, "%s", item->recipe);
    fix.samples_per_s = known ? (stk_estimate){now * (1 + item->gain), now, now * (1 + item->gain)}
                              : (stk_estimate){-1, -1, -1};
    return fix;
}

/* A measured fix of the same key takes precedence over a rule. */
static bool is_told(const stk_diagnosis *d, const stk_fix *fix)
{
    const size_t key = fix->set_count ? strcspn(fix->set[0], "=") + 1 : 0;
    for (size_t i = 0; i < d->fix_count && key; i++)
        for (size_t k = 0; k < d->fixes[i].set_count; k++)
            if (strncmp(d->fixes[i].set[k], fix->set[0], key) == 0) return true;
    return false;
}

void stk_lint_add_fixes(const stk_lint_list *list, stk_diagnosis *diagnosis)
{
    for (size_t i = 0; i < list->count && diagnosis->fix_count < STK_DIAGNOSIS_FIXES; i++) {
        const stk_fix fix = fix_of(&list->items[i], diagnosis);
        if (!is_told(diagnosis, &fix)) diagnosis->fixes[diagnosis->fix_count++] = fix;
    }
    stk_diagnosis_calibrate(diagnosis);
}
