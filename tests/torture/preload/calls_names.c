/* Calls on names: renaming, making and removing folders, examining, listing. */
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long on_name(stk_call call, int folder, const char *path, long number, const long args[6])
{
    if (stk_fault_armed && stk_below(folder, path)) return stk_fault_call(call, path, number, args);
    return syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static int rename_it(int from_folder, const char *from, int to_folder, const char *to, unsigned how)
{
    const long args[6] = {from_folder, (long)from, to_folder, (long)to, how};
    const int  result = (int)on_name(STK_CALL_RENAME, to_folder, to, SYS_renameat2, args);
    if (!result && stk_fault_armed && stk_below(to_folder, to)) stk_power_renamed(to_folder, to);
    return result;
}

int rename(const char *from, const char *to)
{
    return rename_it(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return rename_it(from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned how)
{
    return rename_it(from_folder, from, to_folder, to, how);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    const long args[6] = {from_folder, (long)from, to_folder, (long)to, flags};
    return (int)on_name(STK_CALL_RENAME, to_folder, to, SYS_linkat, args);
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    const long args[6] = {folder, (long)path, (long)mode};
    return (int)on_name(STK_CALL_MKDIR, folder, path, SYS_mkdirat, args);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int unlinkat(int folder, const char *path, int flags)
{
    const long args[6] = {folder, (long)path, flags};
    return (int)on_name(STK_CALL_REMOVE, folder, path, SYS_unlinkat, args);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

static int examine(int folder, const char *path, void *info, int flags)
{
    const long args[6] = {folder, (long)path, (long)info, flags};
    return (int)on_name(STK_CALL_STAT, folder, path, SYS_newfstatat, args);
}

int stat(const char *path, struct stat *info)
{
    return examine(AT_FDCWD, path, info, 0);
}

int stat64(const char *path, struct stat64 *info)
{
    return examine(AT_FDCWD, path, info, 0);
}

int lstat(const char *path, struct stat *info)
{
    return examine(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *path, struct stat64 *info)
{
    return examine(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int folder, const char *path, struct stat *info, int flags)
{
    return examine(folder, path, info, flags);
}

int fstatat64(int folder, const char *path, struct stat64 *info, int flags)
{
    return examine(folder, path, info, flags);
}

static int examine_open(int fd, void *info)
{
    const long args[6] = {fd, (long)"", (long)info, AT_EMPTY_PATH};
    if (stk_fault_armed && stk_below_fd(fd))
        return (int)stk_fault_call(STK_CALL_STAT, NULL, SYS_newfstatat, args);
    return (int)syscall(SYS_newfstatat, fd, "", info, AT_EMPTY_PATH);
}

int fstat(int fd, struct stat *info)
{
    return examine_open(fd, info);
}

int fstat64(int fd, struct stat64 *info)
{
    return examine_open(fd, info);
}

DIR *opendir(const char *path)
{
    static DIR *(*next)(const char *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "opendir");
    if (!stk_fault_armed || !stk_below(AT_FDCWD, path)) return next(path);
    const stk_fate fate = stk_fault_next(STK_CALL_LIST, path, -1);
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    return fate == STK_FATE_FAIL ? NULL : next(path);
}

DIR *fdopendir(int fd)
{
    static DIR *(*next)(int);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "fdopendir");
    if (!stk_fault_armed || !stk_below_fd(fd)) return next(fd);
    const stk_fate fate = stk_fault_next(STK_CALL_LIST, NULL, fd);
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    return fate == STK_FATE_FAIL ? NULL : next(fd);
}

/* The C library closes the descriptor by ways of its own; its number is another's next. */
int closedir(DIR *directory)
{
    int (*next)(DIR *);
    *(void **)&next = dlsym(RTLD_NEXT, "closedir");
    stk_below_opened(dirfd(directory), false);
    return next(directory);
}
