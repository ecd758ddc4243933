/* Outputs on the disks of this machine: written under a temporary name beside their own, renamed
 * when they are complete and on the disk. Names are resolved against the folder as it was opened,
 * so that neither chdir nor a moved folder can part the two. */
#include "storage/file/filesystem_local.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_KEPT = 200,        /* of the final name, so that the temporary one fits NAME_MAX */
    TEMPORARIES_MAX = 1000, /* of one process for one name */
    LARGEST_CALL = 1 << 30,
};

typedef struct local_output {
    stk_output  output; /* first: returned as the base struct */
    int         folder; /* the folder of both names */
    int         fd;
    const char *name;                    /* the end of path */
    char        temporary[NAME_MAX + 1]; /* "" while no temporary file is there */
    uint64_t    written;
    bool        committed;
    char        path[];
} local_output;

int stk_local_flush(int fd)
{
    while (fsync(fd))
        if (errno != EINTR) return errno;
    return 0;
}

int stk_local_flush_folder(int fd)
{
    const int reason = stk_local_flush(fd);
    return reason == EINVAL ? 0 : reason;
}

static stk_status write_all(stk_output *output, const void *data, size_t size, stk_error *err)
{
    local_output *local = (local_output *)output;
    if (local->committed)
        return stk_fail(err, STK_E_INVALID, "write", output->path, "the file is committed already");
    const uint8_t *next = data;
    while (size) {
        const ssize_t count = write(local->fd, next, size < LARGEST_CALL ? size : LARGEST_CALL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const int reason = errno;
            char      tried[64];
            snprintf(tried, sizeof tried, "write past %" PRIu64 " bytes", local->written);
            return stk_fail_errno(err, reason, "write", output->path, tried);
        }
        next += count;
        size -= (size_t)count;
        local->written += (uint64_t)count;
    }
    return STK_OK;
}

static stk_status commit(stk_output *output, stk_error *err)
{
    local_output *local = (local_output *)output;
    if (local->committed)
        return stk_fail(err, STK_E_INVALID, "write", output->path, "the file is committed already");
    int reason = stk_local_flush(local->fd);
    if (reason) return stk_fail_errno(err, reason, "write", output->path, "flush to disk");
    if (renameat(local->folder, local->temporary, local->folder, local->name))
        return stk_fail_errno(err, errno, "write", output->path, "give the finished file its name");
    local->committed = true;
    local->temporary[0] = '\0';
    reason = stk_local_flush_folder(local->folder);
    if (reason)
        return stk_fail_errno(err, reason, "write", output->path, "flush its folder to disk");
    return STK_OK;
}

static void close_output(stk_output *output)
{
    local_output *local = (local_output *)output;
    if (local->temporary[0]) unlinkat(local->folder, local->temporary, 0);
    if (local->fd >= 0) close(local->fd);
    if (local->folder >= 0) close(local->folder);
    free(local);
}

static const stk_output_ops output_ops = {
    .write = write_all, .commit = commit, .close = close_output};

static stk_status open_folder(local_output *local, stk_error *err)
{
    char *folder;
    if (local->name == local->path)
        folder = strdup(".");
    else if (local->name == local->path + 1)
        folder = strdup("/");
    else
        folder = strndup(local->path, (size_t)(local->name - local->path) - 1);
    if (!folder)
        return stk_fail(err, STK_E_NOMEM, "write", local->path, "no memory to create the file");
    local->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int reason = errno;
    free(folder);
    if (local->folder >= 0) return STK_OK;
    return stk_fail_errno(err, reason, "write", local->path, "open its folder");
}

/* A rename would silently replace a device or a pipe by a file. */
static stk_status check_target(local_output *local, stk_error *err)
{
    struct stat st;
    if (!local->name[0])
        return stk_fail(err, STK_E_INVALID, "write", local->path,
                        "is a folder's name, not a file's");
    if (fstatat(local->folder, local->name, &st, 0) || S_ISREG(st.st_mode)) return STK_OK;
    if (S_ISDIR(st.st_mode))
        return stk_fail(err, STK_E_INVALID, "write", local->path, "is a folder, not a file");
    return stk_fail(err, STK_E_INVALID, "write", local->path,
                    "is a pipe or device: the output must be a file");
}

/* If a temporary name is taken (by another thread or a killed process), tries the next one. */
static stk_status create_temporary(local_output *local, stk_error *err)
{
    char name[sizeof local->temporary];
    for (int i = 0; i < TEMPORARIES_MAX; i++) {
        snprintf(name, sizeof name, ".%.*s.%ld-%d.tmp", NAME_KEPT, local->name, (long)getpid(), i);
        local->fd = openat(local->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (local->fd >= 0) {
            memcpy(local->temporary, name, sizeof name);
            return STK_OK;
        }
        if (errno != EEXIST) return stk_fail_errno(err, errno, "write", local->path, "create");
    }
    return stk_fail(err, STK_E_EXISTS, "write", local->path,
                    "%d temporary files of this process lie beside it: remove %s and its like",
                    TEMPORARIES_MAX, name);
}

stk_status stk_local_create(const stk_filesystem *fs, const char *path, stk_output **out,
                            stk_error *err)
{
    (void)fs;
    *out = NULL;
    const size_t  length = strlen(path);
    local_output *local = malloc(sizeof *local + length + 1);
    if (!local) return stk_fail(err, STK_E_NOMEM, "write", path, "no memory to create the file");
    *local =
        (local_output){.output = {.ops = &output_ops, .path = local->path}, .folder = -1, .fd = -1};
    memcpy(local->path, path, length + 1);
    const char *slash = strrchr(local->path, '/');
    local->name = slash ? slash + 1 : local->path;
    stk_status st = open_folder(local, err);
    if (!st) st = check_target(local, err);
    if (!st) st = create_temporary(local, err);
    if (st) {
        close_output(&local->output);
        return st;
    }
    *out = &local->output;
    return STK_OK;
}
