/* Locks on the disks of this machine: flock on the file or folder itself. The kernel drops it when
 * the process ends, so that a killed process never leaves a lock behind. */
#include "storage/file/filesystem_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct local_lock {
    stk_lock lock; /* first: returned as the base struct */
    int      fd;
} local_lock;

static void release(stk_lock *lock)
{
    close(((local_lock *)lock)->fd);
    free(lock);
}

stk_status stk_local_lock(const stk_filesystem *fs, const char *path, stk_lock **out,
                          stk_error *err)
{
    (void)fs;
    *out = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return stk_fail_errno(err, errno, "lock", path, "open");
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        const int reason = errno;
        close(fd);
        /* Some shared file systems have no locks unless they are mounted for them. */
        if (reason == ENOSYS || reason == EOPNOTSUPP) return STK_OK;
        return stk_fail_errno(err, reason, "lock", path, "lock");
    }
    local_lock *local = malloc(sizeof *local);
    if (!local) {
        close(fd);
        return stk_fail(err, STK_E_NOMEM, "lock", path, "no memory for a lock");
    }
    *local = (local_lock){.lock = {.release = release}, .fd = fd};
    *out = &local->lock;
    return STK_OK;
}
