/* What a disk keeps when the power goes: of every file that was written, the bytes that were there
 * at its last sync. Names are kept as they are, as a journal that is in order does. */
#include "faults.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FILES = 1024 };

typedef struct file {
    dev_t device;
    ino_t inode;
    off_t kept; /* bytes that are on the disk */
    bool  dirty;
    char  path[PATH_MAX];
} file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of both below */
static file            files[MOST_FILES];
static int             file_count;

static bool examine(int fd, const char *path, struct stat *info)
{
    const int flags = path && *path ? 0 : AT_EMPTY_PATH;
    return !syscall(SYS_newfstatat, fd, path ? path : "", info, flags) && S_ISREG(info->st_mode);
}

static file *find(const struct stat *info)
{
    for (int i = 0; i < file_count; i++)
        if (files[i].inode == info->st_ino && files[i].device == info->st_dev) return &files[i];
    return NULL;
}

static void keep_path(file *f, int fd)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, link, f->path, sizeof f->path - 1);
    f->path[length > 0 ? length : 0] = '\0';
}

void stk_power_opened(int fd, bool emptied)
{
    struct stat info;
    if (!examine(fd, NULL, &info)) return;
    pthread_mutex_lock(&lock);
    file *f = find(&info);
    if (!f && file_count < MOST_FILES) {
        f = &files[file_count++];
        *f = (file){.device = info.st_dev, .inode = info.st_ino, .kept = info.st_size};
    }
    if (f) keep_path(f, fd);
    if (f && (emptied || !info.st_size)) {
        f->kept = 0;
        f->dirty = true;
    }
    pthread_mutex_unlock(&lock);
}

static void mark(int fd, bool dirty)
{
    struct stat info;
    if (!examine(fd, NULL, &info)) return;
    pthread_mutex_lock(&lock);
    file *f = find(&info);
    if (f) f->dirty = dirty;
    if (f && (!dirty || f->kept > info.st_size)) f->kept = info.st_size;
    pthread_mutex_unlock(&lock);
}

void stk_power_written(int fd)
{
    mark(fd, true);
}

void stk_power_synced(int fd)
{
    mark(fd, false);
}

void stk_power_renamed(int folder, const char *to)
{
    struct stat info;
    const long  fd = syscall(SYS_openat, folder, to, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (examine((int)fd, NULL, &info)) {
        pthread_mutex_lock(&lock);
        file *f = find(&info);
        if (f) keep_path(f, (int)fd);
        pthread_mutex_unlock(&lock);
    }
    syscall(SYS_close, fd);
}

/* A file that went, or whose name another has by now, is no matter. */
void stk_power_cut(void)
{
    struct stat info;
    for (int i = 0; i < file_count; i++) {
        const file *f = &files[i];
        if (f->dirty && examine(AT_FDCWD, f->path, &info) && find(&info) == f)
            syscall(SYS_truncate, f->path, f->kept);
    }
}
