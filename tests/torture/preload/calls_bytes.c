/* Opening, reading, writing, syncing: calls on a descriptor. Each is made as the system call it is.
 */
#include "faults.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int     __open_2(const char *path, int flags);
int     __open64_2(const char *path, int flags);
int     __openat_2(int folder, const char *path, int flags);
int     __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *dst, size_t size, size_t capacity);
ssize_t __pread_chk(int fd, void *dst, size_t size, off_t at, size_t capacity);
ssize_t __pread64_chk(int fd, void *dst, size_t size, off64_t at, size_t capacity);

static int open_it(int folder, const char *path, int flags, mode_t mode)
{
    const bool below = stk_fault_armed && stk_below(folder, path);
    const long args[6] = {folder, (long)path, flags, (long)mode};
    const int  fd = (int)(below ? stk_fault_call(STK_CALL_OPEN, path, SYS_openat, args)
                                : syscall(SYS_openat, folder, path, flags, mode));
    if (fd < 0) return fd;
    stk_below_opened(fd, below);
    if (below && (flags & (O_WRONLY | O_RDWR))) stk_power_opened(fd, flags & O_TRUNC);
    return fd;
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = mode_of(flags, list);                                                  \
        va_end(list);                                                                              \
        return open_it(AT_FDCWD, path, flags, mode);                                               \
    }
#define OPENAT(name)                                                                               \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = mode_of(flags, list);                                                  \
        va_end(list);                                                                              \
        return open_it(folder, path, flags, mode);                                                 \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char *path, int flags)
{
    return open_it(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_it(AT_FDCWD, path, flags, 0);
}

int __openat_2(int folder, const char *path, int flags)
{
    return open_it(folder, path, flags, 0);
}

int __openat64_2(int folder, const char *path, int flags)
{
    return open_it(folder, path, flags, 0);
}

int creat(const char *path, mode_t mode)
{
    return open_it(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd)
{
    stk_below_opened(fd, false);
    return (int)syscall(SYS_close, fd);
}

/* Moves bytes by the system call number, whose last argument is offset where it has one. */
static ssize_t move(stk_call call, int fd, long number, void *bytes, size_t size, off_t offset)
{
    if (!stk_fault_armed || !stk_below_fd(fd)) return syscall(number, fd, bytes, size, offset);
    const stk_fate fate = stk_fault_next(call, NULL, fd);
    if (fate == STK_FATE_FAIL) return -1;
    if ((fate == STK_FATE_SHORT || fate == STK_FATE_MIDDLE) && size > 1) size /= 2;
    if (call == STK_CALL_WRITE && size && !(size = stk_fault_space(size))) return -1;
    const ssize_t moved = syscall(number, fd, bytes, size, offset);
    if (call == STK_CALL_WRITE) stk_power_written(fd);
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    return moved;
}

ssize_t read(int fd, void *dst, size_t size)
{
    return move(STK_CALL_READ, fd, SYS_read, dst, size, 0);
}

ssize_t pread(int fd, void *dst, size_t size, off_t at)
{
    return move(STK_CALL_READ, fd, SYS_pread64, dst, size, at);
}

ssize_t pread64(int fd, void *dst, size_t size, off64_t at)
{
    return move(STK_CALL_READ, fd, SYS_pread64, dst, size, at);
}

ssize_t __read_chk(int fd, void *dst, size_t size, size_t capacity)
{
    (void)capacity;
    return move(STK_CALL_READ, fd, SYS_read, dst, size, 0);
}

ssize_t __pread_chk(int fd, void *dst, size_t size, off_t at, size_t capacity)
{
    (void)capacity;
    return move(STK_CALL_READ, fd, SYS_pread64, dst, size, at);
}

ssize_t __pread64_chk(int fd, void *dst, size_t size, off64_t at, size_t capacity)
{
    (void)capacity;
    return move(STK_CALL_READ, fd, SYS_pread64, dst, size, at);
}

ssize_t write(int fd, const void *src, size_t size)
{
    return move(STK_CALL_WRITE, fd, SYS_write, (void *)src, size, 0);
}

ssize_t pwrite(int fd, const void *src, size_t size, off_t at)
{
    return move(STK_CALL_WRITE, fd, SYS_pwrite64, (void *)src, size, at);
}

ssize_t pwrite64(int fd, const void *src, size_t size, off64_t at)
{
    return move(STK_CALL_WRITE, fd, SYS_pwrite64, (void *)src, size, at);
}

/* The first piece only where the file is watched: a caller goes on with the rest. */
ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    if (!stk_fault_armed || !stk_below_fd(fd) || count < 1)
        return syscall(SYS_writev, fd, pieces, count);
    return move(STK_CALL_WRITE, fd, SYS_write, pieces[0].iov_base, pieces[0].iov_len, 0);
}

static int flush(int fd, long number)
{
    if (!stk_fault_armed || !stk_below_fd(fd)) return (int)syscall(number, fd);
    const stk_fate fate = stk_fault_next(STK_CALL_SYNC, NULL, fd);
    if (fate == STK_FATE_FAIL) return -1;
    const int result = (int)syscall(number, fd);
    if (!result) stk_power_synced(fd);
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    return result;
}

int fsync(int fd)
{
    return flush(fd, SYS_fsync);
}

int fdatasync(int fd)
{
    return flush(fd, SYS_fdatasync);
}

static int cut(int fd, off_t size)
{
    const long args[6] = {fd, size};
    if (!stk_fault_armed || !stk_below_fd(fd)) return (int)syscall(SYS_ftruncate, fd, size);
    const int result = (int)stk_fault_call(STK_CALL_TRUNCATE, NULL, SYS_ftruncate, args);
    stk_power_written(fd);
    return result;
}

int ftruncate(int fd, off_t size)
{
    return cut(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return cut(fd, size);
}
