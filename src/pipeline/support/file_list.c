/* Lists of file names. */
#include "pipeline/support/file_list.h"

#include "base/hash.h"
#include "pipeline/plan/operator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/shards.h>

static stk_status check_names(const char *component, const char *const *paths, size_t count,
                              stk_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!paths[i] || !*paths[i])
            return stk_fail(err, STK_E_INVALID, component, NULL,
                            "the name of file %zu of %zu is empty", i, count);
    return STK_OK;
}

stk_status stk_file_list_copy(stk_file_list *out, const char *component, const char *const *paths,
                              size_t count, stk_error *err)
{
    *out = (stk_file_list){0};
    STK_TRY(check_names(component, paths, count, err));
    out->paths = calloc(count ? count : 1, sizeof *out->paths);
    for (size_t i = 0; out->paths && i < count; i++) {
        out->paths[i] = strdup(paths[i]);
        if (!out->paths[i]) break;
        out->count++;
    }
    if (out->paths && out->count == count) return STK_OK;
    stk_file_list_release(out);
    return stk_fail(err, STK_E_NOMEM, component, NULL, "no memory for the names of %zu files",
                    count);
}

stk_status stk_file_list_every(stk_file_list *out, const char *component, const stk_file_list *all,
                               size_t count, size_t first, stk_error *err)
{
    *out = (stk_file_list){0};
    const char **kept = calloc(all->count ? all->count : 1, sizeof *kept);
    size_t       found = 0;
    if (!kept)
        return stk_fail(err, STK_E_NOMEM, component, NULL, "no memory for the names of %zu files",
                        all->count);
    for (size_t i = 0; i < all->count; i++)
        if (i % count == first) kept[found++] = all->paths[i];
    stk_status st = stk_file_list_copy(out, component, kept, found, err);
    free(kept);
    return st;
}

stk_status stk_file_list_shards(stk_file_list *out, const char *component, const stk_filesystem *fs,
                                const char *path, stk_error *err)
{
    *out = (stk_file_list){0};
    stk_shards shards;
    STK_TRY(stk_shards_find(&shards, fs, path, err));
    stk_status st =
        stk_file_list_copy(out, component, (const char *const *)shards.paths, shards.count, err);
    stk_shards_release(&shards);
    return st;
}

void stk_file_list_release(stk_file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (stk_file_list){0};
}

/* The length of the folder that all lie in, with its slash. */
static size_t common_folder(const stk_file_list *list)
{
    if (!list->count) return 0;
    const char *first = list->paths[0], *slash = strrchr(first, '/');
    size_t      length = slash ? (size_t)(slash - first) + 1 : 0;
    for (size_t i = 1; i < list->count; i++)
        while (length && strncmp(first, list->paths[i], length) != 0)
            for (length--; length && first[length - 1] != '/';)
                length--;
    return length;
}

stk_status stk_file_list_describe(const stk_file_list *list, stk_blob *out, stk_error *err)
{
    const size_t folder = common_folder(list);
    uint64_t     hash = list->count;
    for (size_t i = 0; i < list->count; i++)
        hash = stk_hash64(hash, list->paths[i] + folder, strlen(list->paths[i] + folder) + 1);
    if (list->count) STK_TRY(stk_describe_location(out, list->paths[0], err));
    if (list->count > 1) STK_TRY(stk_describe(out, err, " and %zu more", list->count - 1));
    return stk_describe(out, err, ", names %016" PRIx64, hash);
}

static stk_status fill_names(const stk_file_list *list, stk_buffer **names, stk_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const size_t length = strlen(list->paths[i]);
        STK_TRY(stk_buffer_new(&names[i], NULL, STK_MEMORY_INDEX, length, err));
        memcpy(stk_buffer_data(names[i]), list->paths[i], length);
    }
    return STK_OK;
}

stk_status stk_file_list_names(const stk_file_list *list, const char *component, stk_buffer ***out,
                               stk_error *err)
{
    stk_buffer **names = calloc(list->count ? list->count : 1, sizeof *names);
    *out = NULL;
    if (!names)
        return stk_fail(err, STK_E_NOMEM, component, NULL, "no memory for the names of %zu files",
                        list->count);
    stk_status st = fill_names(list, names, err);
    if (st)
        stk_file_list_free_names(list, names);
    else
        *out = names;
    return st;
}

void stk_file_list_free_names(const stk_file_list *list, stk_buffer **names)
{
    for (size_t i = 0; names && i < list->count; i++)
        stk_buffer_unref(names[i]);
    free(names);
}
