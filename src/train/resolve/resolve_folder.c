/* The default run folder: runs/DATA-MODEL-1, -2, ... */
#include "train/resolve/resolve.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/train_resolve.h>
#include <string.h>
#include <sys/stat.h>

enum { TRIES = 100000, DATA_NAME_MAX = 100 };

/* The last component of path without slashes; *length is 0 for "/". */
static const char *last_part(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    *length = end - begin;
    return path + begin;
}

static bool is_dots(const char *name, size_t length)
{
    return length <= 2 && strspn(name, ".") >= length;
}

/* "." and ".." are replaced by the name of the folder they mean. */
static void write_name(stk_train_recipe *r, int number)
{
    char        real[PATH_MAX];
    size_t      length;
    const char *name = last_part(r->data.path, &length);
    if (is_dots(name, length) && realpath(r->data.path, real)) name = last_part(real, &length);
    if (is_dots(name, length)) {
        name = "data";
        length = 4;
    }
    const size_t used = length < DATA_NAME_MAX ? length : DATA_NAME_MAX;
    snprintf(r->output.folder, sizeof r->output.folder, "runs/%.*s-%s-%d", (int)used, name,
             r->model.name, number);
}

static stk_status none_free(stk_error *err)
{
    return stk_fail(err, STK_E_EXISTS, "recipe", "output.folder",
                    "runs/ has no free name; set output.folder");
}

stk_status stk_resolve_folder(stk_train_recipe *recipe, stk_error *err)
{
    struct stat unused;
    if (*recipe->output.folder) return STK_OK;
    for (int i = 1; i < TRIES; i++) {
        write_name(recipe, i);
        if (stat(recipe->output.folder, &unused) != 0) return STK_OK;
    }
    return none_free(err);
}

/* Creating the folder atomically decides between concurrent processes. */
stk_status stk_train_claim_folder(stk_train_recipe *recipe, stk_error *err)
{
    STK_TRY(stk_path_make_directory(NULL, "runs", err));
    for (int i = 1; i < TRIES; i++) {
        write_name(recipe, i);
        if (mkdir(recipe->output.folder, 0777) == 0) return STK_OK;
        if (errno != EEXIST)
            return stk_fail_errno(err, errno, "recipe", recipe->output.folder, "make the folder");
    }
    return none_free(err);
}
