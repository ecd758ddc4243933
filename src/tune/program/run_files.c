/* Files of a run. */
#include "tune/program/run_files.h"

#include "storage/file/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { NAME = 300, RUNS_MAX = 1000000, READABLE = 0644 };

/* A name that is free stays so until it is opened, or the next one is tried. */
static stk_status open_log(stk_tune_run_files *out, const char *folder, stk_error *err)
{
    char name[NAME];
    for (out->number = 1; out->number < RUNS_MAX; out->number++) {
        snprintf(name, sizeof name, "%d.log", out->number);
        STK_TRY(stk_path_join(&out->path, folder, name, err));
        const char *path = (const char *)out->path.data;
        out->log = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, READABLE);
        if (out->log >= 0) return STK_OK;
        if (errno != EEXIST) return stk_fail_errno(err, errno, "tune", path, "write its output to");
    }
    return stk_fail(err, STK_E_LIMIT, "tune", folder, "it has %d runs; use another folder",
                    RUNS_MAX);
}

stk_status stk_tune_run_files_open(stk_tune_run_files *out, const char *folder,
                                   const char *config_name, stk_error *err)
{
    char name[NAME];
    out->log = -1;
    stk_blob_init(&out->path, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&out->config, NULL, STK_MEMORY_OUTPUT);
    stk_status st = open_log(out, folder, err);
    snprintf(name, sizeof name, "%d-%s", out->number,
             config_name ? stk_path_base(config_name) : "config");
    if (!st) st = stk_path_join(&out->config, folder, name, err);
    if (!st) return STK_OK;
    if (out->log >= 0) close(out->log);
    stk_tune_run_files_release(out);
    return st;
}

void stk_tune_run_files_release(stk_tune_run_files *files)
{
    stk_blob_release(&files->path);
    stk_blob_release(&files->config);
}
