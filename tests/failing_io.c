/* Counts and fails system calls. Atomic, since the library writes from several threads. */
#include "failing_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

int     __real_open64(const char *path, int flags, ...);
int     __real_openat64(int folder, const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *data, size_t size);
int     __real_renameat(int from, const char *old, int to, const char *name);
int     __real_unlinkat(int folder, const char *path, int flags);

int     __wrap_open64(const char *path, int flags, ...);
int     __wrap_openat64(int folder, const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *data, size_t size);
int     __wrap_fsync(int fd);
int     __wrap_renameat(int from, const char *old, int to, const char *name);
int     __wrap_unlinkat(int folder, const char *path, int flags);

static _Atomic int     wanted = STK_IO_CALLS; /* STK_IO_CALLS: none is */
static _Atomic int64_t until, left;
static _Atomic int     reason, met;
static void (*watcher)(const char *name);

enum { FILES = 64 };

/* Files that were synced, and how much they had then. */
static struct {
    _Atomic uint64_t inode;
    _Atomic int64_t  bytes;
} synced[FILES];

void stk_io_watch_renames(void (*seen)(const char *name))
{
    watcher = seen;
}

int64_t stk_io_synced_bytes(const char *path)
{
    struct stat st;
    if (stat(path, &st)) return -1;
    for (int i = 0; i < FILES; i++)
        if (synced[i].inode == st.st_ino) return synced[i].bytes;
    return 0;
}

static void note_synced(int fd)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return;
    for (int i = 0; i < FILES; i++) {
        uint64_t none = 0;
        if (synced[i].inode != st.st_ino &&
            !atomic_compare_exchange_strong(&synced[i].inode, &none, st.st_ino))
            continue;
        synced[i].bytes = st.st_size;
        return;
    }
}

void stk_io_fail_after(stk_io_call call, int64_t after, int64_t times, int why)
{
    until = after;
    left = times;
    reason = why;
    met = 0;
    wanted = (int)call;
}

bool stk_io_fail_stop(void)
{
    wanted = STK_IO_CALLS;
    return met;
}

static bool fails(stk_io_call call)
{
    if ((int)call != wanted) return false;
    if (atomic_fetch_sub(&until, 1) > 0) return false;
    if (atomic_fetch_sub(&left, 1) <= 0) return false;
    met = 1;
    errno = reason;
    return true;
}

/* Only what is opened to be written to. */
int __wrap_open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
    va_end(args);
    if ((flags & O_ACCMODE) != O_RDONLY && fails(STK_IO_OPEN)) return -1;
    return __real_open64(path, flags, mode);
}

int __wrap_openat64(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
    va_end(args);
    if ((flags & O_ACCMODE) != O_RDONLY && fails(STK_IO_OPEN)) return -1;
    return __real_openat64(folder, path, flags, mode);
}

/* Threads wake each other by writes, too: no disk fails those. */
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    struct stat st;
    const bool  on_disk = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    return on_disk && fails(STK_IO_WRITE) ? -1 : __real_write(fd, data, size);
}

/* Nobody pulls the plug here: waiting for the disk would only take time. */
int __wrap_fsync(int fd)
{
    if (fails(STK_IO_FSYNC)) return -1;
    if (watcher) note_synced(fd);
    return 0;
}

int __wrap_renameat(int from, const char *old, int to, const char *name)
{
    if (watcher) watcher(name);
    return fails(STK_IO_RENAME) ? -1 : __real_renameat(from, old, to, name);
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    return fails(STK_IO_UNLINK) ? -1 : __real_unlinkat(folder, path, flags);
}
