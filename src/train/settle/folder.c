/* The name of a run's folder where nobody said one: runs/DATA-MODEL-1, -2, ... */
#include "train/settle/settle.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { TRIES = 100000, DATA_MOST = 100 };

static void write_name(stk_train_recipe *r, int number)
{
    size_t length = strlen(r->data.path);
    while (length > 1 && r->data.path[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && r->data.path[begin - 1] != '/')
        begin--;
    const size_t most = length - begin < DATA_MOST ? length - begin : DATA_MOST;
    snprintf(r->output.folder, sizeof r->output.folder, "runs/%.*s-%s-%d", (int)most,
             r->data.path + begin, r->model.name, number);
}

static stk_status none_free(stk_error *err)
{
    return stk_fail(err, STK_E_EXISTS, "recipe", "output.folder",
                    "runs/ has no free name; set output.folder");
}

stk_status stk_settle_folder(stk_train_recipe *recipe, stk_error *err)
{
    struct stat unused;
    if (*recipe->output.folder) return STK_OK;
    for (int i = 1; i < TRIES; i++) {
        write_name(recipe, i);
        if (stat(recipe->output.folder, &unused) != 0) return STK_OK;
    }
    return none_free(err);
}

/* Making a folder is what tells apart who of several came first. */
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
