/* Matches classes by name. Indices are only valid within their own data: a folder with two of three
 * classes numbers them anew. */
#include "train/tasks/class_match.h"

#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 88, LINE_BYTES = 512 };

/* "T-shirt/top" cannot be a folder name, so ASCII punctuation is interchangeable. Letters of any
 * script must be equal, so UTF-8 bytes are no punctuation. */
static bool is_like(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        const unsigned char x = (unsigned char)*a, y = (unsigned char)*b;
        if (x != y && (x >= 0x80 || y >= 0x80 || isalnum(x) || isalnum(y))) return false;
    }
    return *a == *b;
}

int64_t stk_class_find(char *const *names, int64_t count, const char *name)
{
    int64_t found = -1;
    for (int64_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    for (int64_t i = 0; i < count; i++)
        if (is_like(names[i], name)) {
            if (found >= 0) return -1;
            found = i;
        }
    return found;
}

static bool occurs(const stk_class_sides *s, int64_t label)
{
    return !s->occurs || s->occurs[label];
}

/* "0", "1", "2"... or "class 0"...: placeholders of importers and runs for missing names. */
static bool are_numbers(char *const *names, int64_t count)
{
    char text[32];
    for (int64_t i = 0; names && i < count; i++) {
        const int word = strncmp(names[i], "class ", 6) == 0 ? 6 : 0;
        snprintf(text, sizeof text, "%lld", (long long)i);
        if (strcmp(names[i] + word, text) != 0) return false;
    }
    return true;
}

static void warn(const stk_class_sides *s, const char *line)
{
    if (s->log) s->log(s->log_context, line);
}

/* Adds ", name" while it fits besides "...". */
static bool add_name(char *list, size_t capacity, const char *name)
{
    const size_t used = strlen(list), more = strlen(name) + (used ? 2 : 0);
    if (used + more + sizeof ", ..." > capacity) {
        if (!strstr(list, ", ...")) strcat(list, used ? ", ..." : "...");
        return false;
    }
    snprintf(list + used, capacity - used, "%s%s", used ? ", " : "", name);
    return true;
}

static void list_run(const stk_class_sides *s, char *list, size_t capacity)
{
    bool more = true;
    list[0] = 0;
    for (int64_t i = 0; i < s->run_count && more; i++)
        more = add_name(list, capacity, s->run_names[i]);
}

static bool is_unknown(const stk_class_match *m, const stk_class_sides *s, int64_t label)
{
    return m->to_run[label] < 0 && occurs(s, label);
}

/* One line per class, since a message cannot hold a hundred. Classes that the message names are
 * listed if they have a suggestion. */
static void warn_unknown(const stk_class_match *m, const stk_class_sides *s, bool all)
{
    for (int64_t i = 0; i < m->count; i++) {
        char        line[LINE_BYTES], near[128];
        stk_suggest suggest = {.wanted = s->data_names[i]};
        if (!is_unknown(m, s, i)) continue;
        for (int64_t k = 0; k < s->run_count; k++)
            stk_suggest_offer(&suggest, s->run_names[k]);
        snprintf(line, sizeof line, "the run does not know the class \"%.200s\"%s",
                 s->data_names[i], stk_suggest_text(&suggest, near, sizeof near));
        if (all || suggest.best) warn(s, line);
    }
}

static stk_status refuse(const stk_class_match *m, const stk_class_sides *s, stk_error *err)
{
    char    unknown[LIST_BYTES] = "", known[LIST_BYTES];
    int64_t count = 0;
    bool    more = true;
    for (int64_t i = 0; i < m->count; i++) {
        if (!is_unknown(m, s, i)) continue;
        count++;
        if (more) more = add_name(unknown, sizeof unknown, s->data_names[i]);
    }
    warn_unknown(m, s, !more);
    list_run(s, known, sizeof known);
    return stk_fail(err, STK_E_INVALID, "classes", s->path,
                    "%lld of its class names %s not the run's: %s; the run knows %lld: %s",
                    (long long)count, count == 1 ? "is" : "are", unknown, (long long)s->run_count,
                    known);
}

static void note_likeness(const stk_class_sides *s, int64_t label, int64_t found)
{
    char line[LINE_BYTES];
    if (strcmp(s->data_names[label], s->run_names[found]) == 0) return;
    snprintf(line, sizeof line, "class \"%.200s\" of the data is taken for the run's \"%.200s\"",
             s->data_names[label], s->run_names[found]);
    warn(s, line);
}

/* Counts the occurring classes that are known. */
static int64_t find_all(stk_class_match *m, const stk_class_sides *s, int64_t *wanted)
{
    int64_t known = 0;
    *wanted = 0;
    for (int64_t i = 0; i < m->count; i++) {
        m->to_run[i] = stk_class_find(s->run_names, s->run_count, s->data_names[i]);
        *wanted += occurs(s, i);
        known += occurs(s, i) && m->to_run[i] >= 0;
    }
    return known;
}

static stk_status match_names(stk_class_match *m, const stk_class_sides *s, stk_error *err)
{
    int64_t wanted;
    m->to_run = calloc((size_t)m->count + 1, sizeof *m->to_run);
    if (!m->to_run)
        return stk_fail(err, STK_E_NOMEM, "classes", s->path, "no memory for %lld classes",
                        (long long)m->count);
    const int64_t known = find_all(m, s, &wanted);
    if (!known && are_numbers(s->data_names, s->data_count)) {
        free(m->to_run);
        m->to_run = NULL;
        m->rule = STK_CLASSES_BY_INDEX;
        return STK_OK;
    }
    if (known < wanted) return refuse(m, s, err);
    for (int64_t i = 0; i < m->count; i++)
        if (occurs(s, i)) note_likeness(s, i, m->to_run[i]);
    return STK_OK;
}

static void note_index(const stk_class_match *m, const stk_class_sides *s, stk_class_rule wanted)
{
    char line[LINE_BYTES], known[2 * LIST_BYTES];
    if (m->rule != STK_CLASSES_BY_INDEX || are_numbers(s->run_names, s->run_count)) return;
    list_run(s, known, sizeof known);
    snprintf(line, sizeof line, "%s: class 0 of it is the run's first, and so on (%s)",
             wanted == STK_CLASSES_BY_INDEX ? "classes are matched by index, as was asked for"
                                            : "the data has no class names",
             known);
    warn(s, line);
}

stk_status stk_class_match_make(stk_class_match *out, stk_class_rule rule,
                                const stk_class_sides *sides, stk_error *err)
{
    const bool named = sides->data_names && rule == STK_CLASSES_BY_NAME;
    *out = (stk_class_match){.rule = named ? STK_CLASSES_BY_NAME : STK_CLASSES_BY_INDEX,
                             .count = sides->data_count,
                             .classes = sides->run_count};
    if (named) {
        const stk_status st = match_names(out, sides, err);
        if (st) {
            stk_class_match_release(out);
            return st;
        }
    }
    note_index(out, sides, rule);
    return STK_OK;
}

void stk_class_match_release(stk_class_match *match)
{
    free(match->to_run);
    *match = (stk_class_match){0};
}

int64_t stk_class_match_label(const stk_class_match *match, int64_t label)
{
    if (label < 0) return -1;
    if (match->to_run) return label < match->count ? match->to_run[label] : -1;
    return label < match->classes ? label : -1;
}
