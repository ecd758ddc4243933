/* Matches path patterns component by component: descends into matching folders with the rest. */
#include "pipeline/support/file_glob.h"

#include "storage/file/paths.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const char           *component;
    const stk_filesystem *fs;
    stk_file_list        *found;
    size_t                capacity;
} search;

/* One folder of the search, while it is listed. */
typedef struct folder {
    search       *search;
    const char   *path;    /* with its slash; "" for the current one */
    char         *pattern; /* of one part */
    const char   *rest;    /* the parts after it; NULL: none, so files are wanted */
    stk_file_list folders; /* that fit: looked into when the listing is over */
    size_t        folders_capacity;
} folder;

enum { DEPTH_MAX = 64 };

static stk_status add(stk_file_list *list, size_t *capacity, const char *path, const char *name,
                      const char *slash, const char *component, stk_error *err)
{
    if (list->count == *capacity) {
        const size_t more = *capacity ? *capacity * 2 : 16;
        char       **paths = realloc(list->paths, more * sizeof *paths);
        if (!paths)
            return stk_fail(err, STK_E_NOMEM, component, path, "no memory for %zu names", more);
        list->paths = paths;
        *capacity = more;
    }
    const size_t bytes = strlen(path) + strlen(name) + strlen(slash) + 1;
    char        *text = malloc(bytes);
    if (!text) return stk_fail(err, STK_E_NOMEM, component, path, "no memory for a name");
    snprintf(text, bytes, "%s%s%s", path, name, slash);
    list->paths[list->count++] = text;
    return STK_OK;
}

static stk_status take_entry(void *context, const char *name, const stk_file_info *info,
                             stk_error *err)
{
    folder    *f = context;
    const bool wanted = info->kind == (f->rest ? STK_FILE_DIRECTORY : STK_FILE_REGULAR);
    if (!wanted || fnmatch(f->pattern, name, FNM_PERIOD)) return STK_OK;
    if (f->rest)
        return add(&f->folders, &f->folders_capacity, f->path, name, "/", f->search->component,
                   err);
    return add(f->search->found, &f->search->capacity, f->path, name, "", f->search->component,
               err);
}

static stk_status look_into(search *s, const char *path, const char *pattern, int depth,
                            stk_error *err);

static stk_status list_folder(folder *f, int depth, stk_error *err)
{
    search *s = f->search;
    STK_TRY(stk_path_list(s->fs, f->path[0] ? f->path : ".", STK_LIST_KINDS, take_entry, f, err));
    for (size_t i = 0; i < f->folders.count; i++)
        STK_TRY(look_into(s, f->folders.paths[i], f->rest, depth + 1, err));
    return STK_OK;
}

/* path ends in a slash or is empty; pattern has no slash at its beginning. Parts without wildcards
 * join the path, which need not be listed then. */
static stk_status look_into(search *s, const char *path, const char *pattern, int depth,
                            stk_error *err)
{
    if (depth > DEPTH_MAX)
        return stk_fail(err, STK_E_LIMIT, s->component, path,
                        "the pattern has more than %d wildcards", DEPTH_MAX);
    const char *wild = strpbrk(pattern, "*?[");
    const char *part = pattern;
    for (const char *c = pattern; wild && c < wild; c++)
        if (*c == '/') part = c + 1;
    const char  *slash = strchr(part, '/');
    const size_t fixed = (size_t)(part - pattern);
    const size_t bytes = strlen(path) + fixed + 1;
    char        *joined = malloc(bytes);
    folder       f = {.search = s, .path = joined};
    f.pattern = slash ? strndup(part, (size_t)(slash - part)) : strdup(part);
    f.rest = slash ? slash + strspn(slash, "/") : NULL;
    stk_status st = STK_OK;
    if (joined && f.pattern) {
        snprintf(joined, bytes, "%s%.*s", path, (int)fixed, pattern);
        st = list_folder(&f, depth, err);
        /* Folders that a wildcard found need not hold the parts after it. */
        if (st == STK_E_NOTFOUND && depth) st = STK_OK;
    } else {
        st = stk_fail(err, STK_E_NOMEM, s->component, path, "no memory for a name");
    }
    stk_file_list_release(&f.folders);
    free(f.pattern);
    free(joined);
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All files of a folder: as the pattern * in it. */
static stk_status list_all(search *s, const char *path, stk_error *err)
{
    const size_t bytes = strlen(path) + 2;
    char        *text = malloc(bytes);
    if (!text) return stk_fail(err, STK_E_NOMEM, s->component, path, "no memory for a name");
    const bool slash = path[strlen(path) - 1] == '/';
    snprintf(text, bytes, "%s%s", path, slash ? "" : "/");
    stk_status st = look_into(s, text, "*", 0, err);
    free(text);
    return st;
}

static stk_status find(search *s, const char *pattern, stk_error *err)
{
    stk_file_info info;
    if (!*pattern)
        return stk_fail(err, STK_E_INVALID, s->component, NULL,
                        "the pattern of the files is empty");
    stk_status st = stk_path_info(s->fs, pattern, &info, err);
    if (!st && info.kind == STK_FILE_DIRECTORY) return list_all(s, pattern, err);
    if (!st) return add(s->found, &s->capacity, pattern, "", "", s->component, err);
    if (st != STK_E_NOTFOUND) return st;
    if (!stk_path_is_pattern(pattern)) return STK_OK;
    st = look_into(s, "", pattern, 0, err);
    return st == STK_E_NOTFOUND ? STK_OK : st;
}

stk_status stk_file_glob(stk_file_list *out, const char *component, const stk_filesystem *fs,
                         const char *pattern, stk_error *err)
{
    *out = (stk_file_list){0};
    search     s = {.component = component, .fs = fs, .found = out};
    stk_status st = find(&s, pattern ? pattern : "", err);
    if (!st && !out->count)
        st = stk_fail(err, STK_E_INVALID, component, pattern, "No files matched: %s", pattern);
    if (st) {
        stk_file_list_release(out);
        return st;
    }
    qsort(out->paths, out->count, sizeof *out->paths, compare_paths);
    return STK_OK;
}
