/* Lists the image files of operands. */
#include "image_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/source.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct search {
    cli_image_files *files;
    const char      *folder;
    int              depth;
} search;

static stk_status add_file(cli_image_files *files, const char *path, stk_error *err)
{
    if (files->count == files->capacity) {
        const size_t capacity = files->capacity ? 2 * files->capacity : 16;
        char       **more = realloc(files->paths, capacity * sizeof *more);
        if (!more) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory for its name");
        files->paths = more;
        files->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory for its name");
    files->paths[files->count++] = copy;
    return STK_OK;
}

static stk_status search_folder(cli_image_files *files, const char *folder, int depth,
                                stk_error *err);

static stk_status visit(void *context, const char *name, const stk_file_info *info, stk_error *err)
{
    const search *s = context;
    char          path[4096];
    if (name[0] == '.') return STK_OK;
    if (snprintf(path, sizeof path, "%s/%s", s->folder, name) >= (int)sizeof path)
        return stk_fail(err, STK_E_LIMIT, "read", name, "its path is too long");
    if (info->kind == STK_FILE_DIRECTORY) return search_folder(s->files, path, s->depth + 1, err);
    return stk_source_is_image_name(name) ? add_file(s->files, path, err) : STK_OK;
}

static stk_status search_folder(cli_image_files *files, const char *folder, int depth,
                                stk_error *err)
{
    search s = {files, folder, depth};
    if (depth > DEEPEST)
        return stk_fail(err, STK_E_LIMIT, "read", folder, "folders are more than %d deep", DEEPEST);
    return stk_path_list(NULL, folder, STK_LIST_KINDS, visit, &s, err);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

stk_status cli_image_files_add(cli_image_files *files, const char *path, stk_error *err)
{
    const size_t  first = files->count;
    char          folder[4096];
    stk_file_info info;
    if (stk_path_info(NULL, path, &info, NULL) || info.kind != STK_FILE_DIRECTORY)
        return add_file(files, path, err);
    snprintf(folder, sizeof folder, "%s", path);
    for (size_t length = strlen(folder); length > 1 && folder[length - 1] == '/';)
        folder[--length] = 0;
    STK_TRY(search_folder(files, folder, 0, err));
    if (files->count == first)
        return stk_fail(err, STK_E_NOTFOUND, "read", path, "there is no image in this folder");
    qsort(files->paths + first, files->count - first, sizeof *files->paths, compare);
    return STK_OK;
}

void cli_image_files_release(cli_image_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (cli_image_files){0};
}
