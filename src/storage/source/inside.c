/* Whether a path is inside of a folder. */
#include "storage/source/inside.h"

#include "storage/dataset/dataset_info_internal.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void stk_inside_release(stk_inside *inside)
{
    stk_blob_release(&inside->root);
    stk_blob_release(&inside->folder);
    stk_blob_release(&inside->real);
}

stk_status stk_inside_open(stk_inside *inside, const stk_filesystem *fs, const char *folder,
                           stk_ledger *ledger, stk_error *err)
{
    *inside = (stk_inside){.fs = fs};
    stk_blob_init(&inside->root, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&inside->folder, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&inside->real, ledger, STK_MEMORY_INDEX);
    STK_TRY(stk_path_resolve(fs, *folder ? folder : ".", &inside->root, err));
    inside->root.size--; /* the terminator */
    if (inside->root.size && inside->root.data[inside->root.size - 1] == '/') return STK_OK;
    return stk_blob_append(&inside->root, "/", 1, err);
}

static stk_status look(stk_inside *inside, const char *path, bool *holds, stk_error *err)
{
    const stk_blob *root = &inside->root;
    STK_TRY(stk_path_resolve(inside->fs, path, &inside->real, err));
    const char  *real = (const char *)inside->real.data;
    const size_t length = inside->real.size - 1;
    *holds = length >= root->size ? memcmp(real, root->data, root->size) == 0
                                  : length + 1 == root->size && !memcmp(real, root->data, length);
    return STK_OK;
}

/* Files of one folder come together: it is looked at once for them. */
stk_status stk_inside_holds(stk_inside *inside, const char *path, bool link, bool *holds,
                            stk_error *err)
{
    const size_t length = (size_t)(stk_path_base(path) - path);
    stk_blob    *folder = &inside->folder;
    if (link) return look(inside, path, holds, err);
    if (folder->size != length + 1 || memcmp(folder->data, path, length) != 0) {
        folder->size = 0;
        STK_TRY(stk_blob_append(folder, path, length, err));
        STK_TRY(stk_blob_append(folder, "", 1, err));
        const stk_status st =
            look(inside, length ? (const char *)folder->data : ".", &inside->holds_folder, err);
        if (st) folder->size = 0;
        STK_TRY(st);
    }
    *holds = inside->holds_folder;
    return STK_OK;
}

typedef struct count_links {
    stk_inside  inside;
    const char *folder;
    stk_blob    path;
    bool        description; /* only files that describe records count */
    uint64_t    count;
    char       *example;
    size_t      capacity;
} count_links;

static stk_status count_entry(void *context, const char *name, const stk_file_info *info,
                              stk_error *err)
{
    count_links *c = context;
    bool         holds;
    const bool   describes = stk_dataset_info_is_name(name); /* a label may be called ".x" */
    if (!info->link || info->kind != STK_FILE_REGULAR) return STK_OK;
    if (!describes && (c->description || name[0] == '.')) return STK_OK;
    STK_TRY(stk_path_join(&c->path, c->folder, name, err));
    STK_TRY(stk_inside_holds(&c->inside, (const char *)c->path.data, true, &holds, err));
    if (holds) return STK_OK;
    if (!c->count || strcmp(name, c->example) < 0) snprintf(c->example, c->capacity, "%s", name);
    c->count++;
    return STK_OK;
}

static stk_status count_in(count_links *c, const stk_filesystem *fs, stk_ledger *ledger,
                           stk_error *err)
{
    stk_blob_init(&c->path, ledger, STK_MEMORY_INDEX);
    stk_status st = stk_inside_open(&c->inside, fs, c->folder, ledger, err);
    if (!st) st = stk_path_list(fs, c->folder, STK_LIST_KINDS, count_entry, c, err);
    stk_inside_release(&c->inside);
    stk_blob_release(&c->path);
    return st;
}

stk_status stk_inside_count(const stk_filesystem *fs, const char *folder, stk_ledger *ledger,
                            uint64_t *count, char *example, size_t capacity, stk_error *err)
{
    count_links      c = {.folder = folder, .example = example, .capacity = capacity};
    const stk_status st = count_in(&c, fs, ledger, err);
    *count = c.count;
    return st;
}

static stk_status check(const stk_filesystem *fs, const char *folder, bool description,
                        stk_ledger *ledger, stk_error *err)
{
    char        example[256];
    count_links c = {.folder = folder,
                     .description = description,
                     .example = example,
                     .capacity = sizeof example};
    STK_TRY(count_in(&c, fs, ledger, err));
    if (!c.count) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "source", folder,
                    "%" PRIu64 " %s out of the data's folder, first '%.80s'; take what lies there "
                    "with --follow-outside (in a recipe: data.follow_outside: true), or remove the "
                    "links",
                    c.count, c.count == 1 ? "link leads" : "links lead", example);
}

stk_status stk_inside_check(const stk_filesystem *fs, const char *folder, stk_ledger *ledger,
                            stk_error *err)
{
    return check(fs, folder, false, ledger, err);
}

stk_status stk_inside_check_description(const stk_filesystem *fs, const char *folder,
                                        stk_ledger *ledger, stk_error *err)
{
    return check(fs, folder, true, ledger, err);
}
