/* Where the files of a profile and its run go. */
#include "profiler/profiler_internal.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>
#include <unistd.h>

static stk_status make_temporary(stk_profiler_job *job, stk_error *err)
{
    const char *base = getenv("TMPDIR");
    snprintf(job->temporary, sizeof job->temporary, "%.400s/stoker-profile-XXXXXX",
             base && *base ? base : "/tmp");
    if (mkdtemp(job->temporary)) return STK_OK;
    const stk_status st =
        stk_fail_errno(err, errno, "profile", job->temporary, "make a temporary folder");
    job->temporary[0] = 0;
    return st;
}

static stk_status make_folder(stk_profiler_job *job, stk_error *err)
{
    enum { NAME_BYTES = 32 }; /* of the longest file in it */
    const char *folder = job->options.folder;
    char        path[STK_PROFILER_PATH];
    bool        exists;
    if (!*folder || strlen(folder) + NAME_BYTES > sizeof job->folder)
        return stk_fail(err, STK_E_INVALID, "profile", folder, "no name for a folder");
    snprintf(job->folder, sizeof job->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/profile.json", folder);
    const stk_status st = stk_path_exists(NULL, path, &exists, NULL, err);
    if (st) return st;
    if (exists) return stk_fail(err, STK_E_EXISTS, "profile", path, "there is a profile already");
    return stk_path_make_directories(NULL, folder, err);
}

stk_status stk_profiler_make_folders(stk_profiler_job *job, stk_error *err)
{
    char run[STK_PROFILER_PATH + 8];
    STK_TRY(job->options.folder ? make_folder(job, err) : make_temporary(job, err));
    snprintf(run, sizeof run, "%s/run", job->options.folder ? job->folder : job->temporary);
    return stk_train_recipe_set(&job->recipe, "output.folder", run, "profile", err);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

void stk_profiler_remove_folders(const stk_profiler_job *job)
{
    enum { OPEN_FOLDERS = 16 };
    if (*job->temporary) nftw(job->temporary, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
