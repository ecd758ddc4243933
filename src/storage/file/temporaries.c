/* Temporary files, by their names: .NAME.PROCESS-NUMBER.tmp, as filesystem_local_output.c makes
 * them. They are listed before the first is removed: a folder that changes may be listed anyhow. */
#include "storage/file/temporaries.h"

#include "storage/file/paths.h"

#include <string.h>

typedef struct sweep {
    bool (*ours)(const char *name, size_t length);
    stk_blob names; /* terminated, one after the other */
} sweep;

/* Goes back over digits; how many there are. */
static size_t skip_digits(const char *name, size_t *end)
{
    const size_t before = *end;
    while (*end && name[*end - 1] >= '0' && name[*end - 1] <= '9')
        --*end;
    return before - *end;
}

static bool skip_char(const char *name, size_t *end, char c)
{
    if (!*end || name[*end - 1] != c) return false;
    --*end;
    return true;
}

/* The length of the name that the file would have got, which begins after the point; 0: it is no
 * temporary file. */
static size_t final_length(const char *name)
{
    size_t end = strlen(name);
    if (name[0] != '.' || !stk_path_ends_in(name, ".tmp")) return 0;
    end -= 4;
    if (!skip_digits(name, &end) || !skip_char(name, &end, '-')) return 0;
    if (!skip_digits(name, &end) || !skip_char(name, &end, '.')) return 0;
    return end > 1 ? end - 1 : 0;
}

static stk_status note_name(void *context, const char *name, const stk_file_info *info,
                            stk_error *err)
{
    sweep       *s = context;
    const size_t length = final_length(name);
    if (info->kind != STK_FILE_REGULAR || !length || !s->ours(name + 1, length)) return STK_OK;
    return stk_blob_append(&s->names, name, strlen(name) + 1, err);
}

static stk_status remove_names(const stk_filesystem *fs, const char *folder, const stk_blob *names,
                               stk_error *err)
{
    stk_blob   path;
    stk_status st = STK_OK;
    stk_blob_init(&path, names->ledger, STK_MEMORY_OUTPUT);
    for (size_t at = 0; !st && at < names->size;) {
        const char *name = (const char *)names->data + at;
        at += strlen(name) + 1;
        st = stk_path_join(&path, folder, name, err);
        if (!st) st = stk_path_remove(fs, (const char *)path.data, err);
        if (st == STK_E_NOTFOUND) st = STK_OK;
    }
    stk_blob_release(&path);
    return st;
}

stk_status stk_temporaries_sweep(const stk_filesystem *fs, const char                     *folder,
                                 bool (*ours)(const char *name, size_t length), stk_error *err)
{
    sweep s = {.ours = ours};
    stk_blob_init(&s.names, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_path_list(fs, folder, STK_LIST_KINDS, note_name, &s, err);
    if (!st) st = remove_names(fs, folder, &s.names, err);
    stk_blob_release(&s.names);
    return st;
}
