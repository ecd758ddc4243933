/* Finding the files that are one data set. */
#include "storage/dataset/shards_complete.h"

#include "storage/file/paths.h"
#include "storage/file/split_name.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/shards.h>
#include <string.h>

/* The position of ".tfrecord", ".tfrecords" or ".tfrec" in name; NULL without it. */
static const char *find_suffix(const char *name)
{
    return strstr(name, ".tfrec");
}

/* Other formats are sharded with the same names; their stems end in their own suffix. */
bool stk_shards_is_record_name(const char *name)
{
    stk_shard_name shard;
    if (name[0] == '.') return false;
    if (find_suffix(name)) return !stk_path_ends_in(name, ".json");
    return stk_shard_name_parse(name, &shard) && !strstr(name, ".array_record") &&
           !strstr(name, ".riegeli") && !strstr(name, ".txt") && !strstr(name, ".json");
}

typedef struct search {
    const char *folder;  /* "" for the current one, when path has one component */
    const char *pattern; /* NULL: everything that is named as TFRecords are */
    stk_shards *found;
    size_t      capacity;
} search;

static stk_status add_path(search *s, const char *name, stk_error *err)
{
    stk_shards *found = s->found;
    if (found->count == s->capacity) {
        const size_t capacity = s->capacity ? s->capacity * 2 : 16;
        char       **paths = realloc(found->paths, capacity * sizeof *paths);
        if (!paths)
            return stk_fail(err, STK_E_NOMEM, "shards", name, "no memory for %zu names", capacity);
        found->paths = paths;
        s->capacity = capacity;
    }
    const size_t length = strlen(s->folder);
    const char  *slash = length && s->folder[length - 1] != '/' ? "/" : "";
    const size_t bytes = length + strlen(slash) + strlen(name) + 1;
    char        *path = malloc(bytes);
    if (!path) return stk_fail(err, STK_E_NOMEM, "shards", name, "no memory for a name");
    snprintf(path, bytes, "%s%s%s", s->folder, slash, name);
    found->paths[found->count++] = path;
    return STK_OK;
}

static stk_status take_entry(void *context, const char *name, const stk_file_info *info,
                             stk_error *err)
{
    search *s = context;
    if (info->kind != STK_FILE_REGULAR || name[0] == '.') return STK_OK;
    if (s->pattern ? fnmatch(s->pattern, name, FNM_PERIOD) : !stk_shards_is_record_name(name))
        return STK_OK;
    return add_path(s, name, err);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The split that a name gives: TensorFlow Datasets writes "NAME-SPLIT.tfrecord-00000-of-00001";
 * elsewhere the stem is, or ends in, one of the usual names, as in "train-00000-of-01024". */
static char *split_of(const char *path)
{
    stk_shard_name shard;
    const char    *name = stk_path_base(path);
    const char    *suffix = find_suffix(name);
    const bool     sharded = stk_shard_name_parse(name, &shard);
    size_t         end = sharded ? shard.stem_length : strlen(name);
    if (suffix && (size_t)(suffix - name) < end) end = (size_t)(suffix - name);
    size_t start = end;
    while (start && name[start - 1] != '-')
        start--;
    if (sharded && suffix && start && start < end) return strndup(name + start, end - start);
    start = end;
    while (start && !strchr("-_.", name[start - 1]))
        start--;
    if (stk_path_is_split(name + start, end - start)) return strndup(name + start, end - start);
    return strdup("");
}

static stk_status name_splits(stk_shards *found, stk_error *err)
{
    found->splits = calloc(found->count, sizeof *found->splits);
    for (size_t i = 0; found->splits && i < found->count; i++) {
        found->splits[i] = split_of(found->paths[i]);
        if (!found->splits[i])
            return stk_fail(err, STK_E_NOMEM, "shards", found->paths[i], "no memory for a name");
    }
    if (!found->splits)
        return stk_fail(err, STK_E_NOMEM, "shards", NULL, "no memory for %zu names", found->count);
    return STK_OK;
}

static stk_status find_all(search *s, const stk_filesystem *fs, const char *path, stk_error *err)
{
    stk_shards *found = s->found;
    STK_TRY(stk_path_list(fs, s->folder[0] ? s->folder : ".", STK_LIST_KINDS, take_entry, s, err));
    if (!found->count)
        return stk_fail(err, STK_E_NOTFOUND, "shards", path, "No files matched%s",
                        s->pattern ? ""
                                   : "; looked for names with .tfrecord or .tfrec, and names that "
                                     "end in -00000-of-00001");
    qsort(found->paths, found->count, sizeof *found->paths, compare_paths);
    return stk_shards_check_complete(found, path, s->pattern, err);
}

/* A pattern stands for names in one folder: what precedes the last slash is taken as it is. */
static stk_status find_pattern(stk_shards *out, const stk_filesystem *fs, const char *path,
                               stk_error *err)
{
    const char  *pattern = stk_path_base(path);
    const size_t length = (size_t)(pattern - path);
    char        *folder = strndup(path, length);
    if (!folder) return stk_fail(err, STK_E_NOMEM, "shards", path, "no memory for a name");
    search           s = {.folder = folder, .pattern = pattern, .found = out};
    const stk_status st = find_all(&s, fs, path, err);
    free(folder);
    return st;
}

static stk_status find_any(stk_shards *out, const stk_filesystem *fs, const char *path,
                           stk_error *err)
{
    stk_file_info info;
    stk_status    st = stk_path_info(fs, path, &info, err);
    if (st == STK_E_NOTFOUND && stk_path_is_pattern(stk_path_base(path)))
        st = find_pattern(out, fs, path, err);
    else if (!st && info.kind == STK_FILE_DIRECTORY)
        st = find_all(&(search){.folder = path, .found = out}, fs, path, err);
    else if (!st)
        st = add_path(&(search){.folder = "", .found = out}, path, err);
    return st ? st : name_splits(out, err);
}

stk_status stk_shards_find(stk_shards *out, const stk_filesystem *fs, const char *path,
                           stk_error *err)
{
    *out = (stk_shards){0};
    const stk_status st = find_any(out, fs, path, err);
    if (st) stk_shards_release(out);
    return st;
}

void stk_shards_release(stk_shards *shards)
{
    for (size_t i = 0; i < shards->count; i++) {
        free(shards->paths[i]);
        if (shards->splits) free(shards->splits[i]);
    }
    free(shards->paths);
    free(shards->splits);
    *shards = (stk_shards){0};
}
