/* Files that grow in sight, on the disks of this machine. What a failed write left of its bytes is
 * cut off again, so that a full disk tears no record in two. */
#include "storage/file/filesystem_local.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_CALL = 1 << 30 };

typedef struct local_append {
    stk_output output; /* first: returned as the base struct */
    int        fd;
    uint64_t   bytes; /* of the file */
    char       path[];
} local_append;

static stk_status take_back(local_append *local, int reason, stk_error *err)
{
    char tried[64];
    snprintf(tried, sizeof tried, "write past %" PRIu64 " bytes", local->bytes);
    /* If even that fails, the write error is the one to report. */
    (void)!ftruncate(local->fd, (off_t)local->bytes);
    return stk_fail_errno(err, reason, "write", local->path, tried);
}

static stk_status write_all(stk_output *output, const void *data, size_t size, stk_error *err)
{
    local_append *local = (local_append *)output;
    for (size_t done = 0; done < size;) {
        const size_t  left = size - done;
        const ssize_t count = write(local->fd, (const uint8_t *)data + done,
                                    left < LARGEST_CALL ? left : LARGEST_CALL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return take_back(local, errno, err);
        done += (size_t)count;
    }
    local->bytes += size;
    return STK_OK;
}

static stk_status commit(stk_output *output, stk_error *err)
{
    const int reason = stk_local_flush(((local_append *)output)->fd);
    if (!reason) return STK_OK;
    return stk_fail_errno(err, reason, "write", output->path, "flush to disk");
}

static void close_output(stk_output *output)
{
    local_append *local = (local_append *)output;
    if (local->fd >= 0) close(local->fd);
    free(local);
}

/* O_NONBLOCK: opening a pipe must not wait for its reader. */
static stk_status open_end(local_append *local, stk_error *err)
{
    struct stat st;
    const int   flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    local->fd = open(local->path, flags, 0666);
    if (local->fd < 0) return stk_fail_errno(err, errno, "write", local->path, "open");
    if (fstat(local->fd, &st)) return stk_fail_errno(err, errno, "write", local->path, "examine");
    if (!S_ISREG(st.st_mode))
        return stk_fail(err, STK_E_INVALID, "write", local->path,
                        "is a pipe or device: the output must be a file");
    local->bytes = (uint64_t)st.st_size;
    return STK_OK;
}

stk_status stk_local_append(const stk_filesystem *fs, const char *path, stk_output **out,
                            stk_error *err)
{
    static const stk_output_ops ops = {write_all, commit, close_output};
    const size_t                length = strlen(path);
    (void)fs;
    *out = NULL;
    local_append *local = malloc(sizeof *local + length + 1);
    if (!local) return stk_fail(err, STK_E_NOMEM, "write", path, "no memory to open the file");
    *local = (local_append){.output = {.ops = &ops, .path = local->path}, .fd = -1};
    memcpy(local->path, path, length + 1);
    const stk_status st = open_end(local, err);
    if (st) {
        close_output(&local->output);
        return st;
    }
    *out = &local->output;
    return STK_OK;
}
