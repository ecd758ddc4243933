/* Appends to a sidecar file. */
#include "pipeline/support/sidecar.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void stk_sidecar_init(stk_sidecar *sidecar)
{
    *sidecar = (stk_sidecar){.fd = -1};
}

void stk_sidecar_release(stk_sidecar *sidecar)
{
    if (sidecar->opened) close(sidecar->fd);
    stk_sidecar_init(sidecar);
}

/* Lines of other processes may come in between, but never inside: the kernel moves to the end and
 * writes in one step. */
static int append(int fd, stk_bytes bytes)
{
    while (bytes.size) {
        const ssize_t count = write(fd, bytes.data, bytes.size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        bytes = stk_bytes_of(bytes.data + count, bytes.size - (size_t)count);
    }
    return 0;
}

/* A line that was cut short, by a full disk or a machine that stopped, must not run into ours. */
static int end_torn_line(int fd)
{
    struct stat info;
    char        last = '\n';
    if (fstat(fd, &info)) return errno;
    if (S_ISREG(info.st_mode) && info.st_size > 0 && pread(fd, &last, 1, info.st_size - 1) < 0)
        return errno;
    return last == '\n' ? 0 : append(fd, stk_bytes_text("\n"));
}

stk_status stk_sidecar_append(stk_sidecar *sidecar, const char *path, stk_bytes line,
                              stk_error *err)
{
    int why = 0;
    if (!sidecar->opened) {
        sidecar->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        if (sidecar->fd < 0) return stk_fail_errno(err, errno, "quarantine", path, "open");
        sidecar->opened = true;
        why = end_torn_line(sidecar->fd);
    }
    if (!why) why = append(sidecar->fd, line);
    if (!why) return STK_OK;
    stk_sidecar_release(sidecar);
    return stk_fail_errno(err, why, "quarantine", path, "write");
}
