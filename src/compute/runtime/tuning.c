#include "compute/runtime/tuning.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 1024, LINES = 1 << 16 }; /* more lines than shapes in any set of models */

typedef struct entry {
    char  *key, *choice;
    double us;
    bool   is_new; /* not known to be in the file */
} entry;

struct stk_tuning {
    char   path[PATH];
    entry *list;
    size_t count, capacity;
};

/* Delimiters within a field would corrupt the file. */
static bool fits(const char *text, size_t capacity)
{
    return *text && strlen(text) < capacity && !strpbrk(text, "\t\n\r");
}

static entry *find(const stk_tuning *t, const char *key)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->list[i].key, key) == 0) return &t->list[i];
    return NULL;
}

static stk_status no_memory(stk_error *err)
{
    return stk_fail(err, STK_E_NOMEM, "tuning", NULL, "no memory");
}

static stk_status add(stk_tuning *t, const char *key, const char *choice, double us, bool is_new,
                      stk_error *err)
{
    if (t->count == LINES)
        return stk_fail(err, STK_E_LIMIT, "tuning", t->path, "has %d lines: remove it", LINES);
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 64;
        entry *grown = realloc(t->list, capacity * sizeof *grown);
        if (!grown) return no_memory(err);
        t->list = grown;
        t->capacity = capacity;
    }
    entry *e = &t->list[t->count];
    *e = (entry){strdup(key), strdup(choice), us, is_new};
    if (!e->key || !e->choice) {
        free(e->key);
        free(e->choice);
        return no_memory(err);
    }
    t->count++;
    return STK_OK;
}

/* Splits "key \t microseconds \t choice" in place; false if line is invalid. */
static bool parse(char *line, char **key, double *us, char **choice)
{
    char *end = strchr(line, '\n'), *first = strchr(line, '\t');
    char *second = first ? strchr(first + 1, '\t') : NULL, *after;
    if (!end || !second) return false; /* truncated */
    *end = *first = *second = 0;
    *us = strtod(first + 1, &after);
    *key = line;
    *choice = second + 1;
    return after == second && after > first + 1 && isfinite(*us) && *us >= 0 &&
           fits(*key, STK_TUNING_KEY) && fits(*choice, STK_TUNING_CHOICE);
}

/* Adds lines with new keys. */
static stk_status read_file(stk_tuning *t, stk_error *err)
{
    char       line[STK_TUNING_KEY + STK_TUNING_CHOICE + 64], *key, *choice;
    double     us;
    FILE      *file = fopen(t->path, "r");
    stk_status st = STK_OK;
    while (file && !st && fgets(line, sizeof line, file))
        if (parse(line, &key, &us, &choice) && !find(t, key))
            st = add(t, key, choice, us, false, err);
    if (file) fclose(file);
    return st;
}

static void folder_of_caches(char *to, size_t capacity)
{
    const char *ours = getenv("STOKER_CACHE"), *caches = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (ours && *ours)
        snprintf(to, capacity, "%s", ours);
    else if (caches && *caches == '/')
        snprintf(to, capacity, "%s/stoker", caches);
    else
        snprintf(to, capacity, "%s/.cache/stoker", home ? home : "");
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static void set_path(stk_tuning *t, const char *name)
{
    folder_of_caches(t->path, sizeof t->path - 1);
    size_t used = strlen(t->path);
    t->path[used++] = '/';
    for (; *name && used + 1 < sizeof t->path; name++)
        t->path[used++] = is_plain(*name) ? *name : '-';
    t->path[used] = 0;
}

stk_status stk_tuning_open(stk_tuning **out, const char *name, stk_error *err)
{
    stk_tuning *t = *out = calloc(1, sizeof *t);
    if (!t) return no_memory(err);
    set_path(t, name);
    stk_status st = read_file(t, err);
    if (st) {
        stk_tuning_free(t);
        *out = NULL;
    }
    return st;
}

void stk_tuning_free(stk_tuning *tuning)
{
    if (!tuning) return;
    for (size_t i = 0; i < tuning->count; i++) {
        free(tuning->list[i].key);
        free(tuning->list[i].choice);
    }
    free(tuning->list);
    free(tuning);
}

const char *stk_tuning_path(const stk_tuning *tuning)
{
    return tuning->path;
}

const char *stk_tuning_find(const stk_tuning *tuning, const char *key, double *us)
{
    const entry *e = find(tuning, key);
    if (e && us) *us = e->us;
    return e ? e->choice : NULL;
}

stk_status stk_tuning_set(stk_tuning *tuning, const char *key, const char *choice, double us,
                          stk_error *err)
{
    if (!fits(key, STK_TUNING_KEY) || !fits(choice, STK_TUNING_CHOICE) || !(us >= 0))
        return stk_fail(err, STK_E_INVALID, "tuning", key, "'%s' in %g us is no line of a file",
                        choice, us);
    entry *e = find(tuning, key);
    if (!e) return add(tuning, key, choice, us, true, err);
    char *copy = strdup(choice);
    if (!copy) return no_memory(err);
    free(e->choice);
    e->choice = copy;
    e->us = us;
    e->is_new = true;
    return STK_OK;
}

static stk_status cannot(const char *path, const char *tried, stk_error *err)
{
    return stk_fail(err, STK_E_IO, "tuning", path, "%s: %s", tried, strerror(errno));
}

static void make_folders(const char *path)
{
    char part[PATH];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(part, 0777); /* opening the file reports errors */
        *slash = '/';
    }
}

static bool write_lines(const stk_tuning *t, FILE *file)
{
    for (size_t i = 0; i < t->count; i++)
        if (fprintf(file, "%s\t%.3f\t%s\n", t->list[i].key, t->list[i].us, t->list[i].choice) < 0)
            return false;
    return true;
}

/* If two processes write at once, the last one wins and the other's entries are measured again. */
static stk_status write_file(const stk_tuning *t, stk_error *err)
{
    char partial[PATH + 32];
    snprintf(partial, sizeof partial, "%s.%ld", t->path, (long)getpid());
    make_folders(t->path);
    FILE *file = fopen(partial, "w");
    if (!file) return cannot(partial, "cannot be written", err);
    bool written = write_lines(t, file);
    written = fclose(file) == 0 && written;
    if (written && rename(partial, t->path) == 0) return STK_OK;
    stk_status st = cannot(t->path, "cannot be written", err);
    remove(partial);
    return st;
}

stk_status stk_tuning_save(stk_tuning *tuning, stk_error *err)
{
    bool any = false;
    for (size_t i = 0; i < tuning->count; i++)
        any = any || tuning->list[i].is_new;
    if (!any) return STK_OK;
    STK_TRY(read_file(tuning, err));
    STK_TRY(write_file(tuning, err));
    for (size_t i = 0; i < tuning->count; i++)
        tuning->list[i].is_new = false;
    return STK_OK;
}
