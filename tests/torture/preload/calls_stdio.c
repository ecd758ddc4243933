/* The C library's own streams call the kernel by ways that nothing can stand in. Streams on watched
 * files are made of our calls instead. */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ssize_t stream_read(void *cookie, char *dst, size_t size)
{
    return read((int)(intptr_t)cookie, dst, size);
}

/* A stream takes less than all as an error, as the C library's own does not. */
static ssize_t stream_write(void *cookie, const char *src, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t count = write((int)(intptr_t)cookie, src + done, size - done);
        if (count <= 0) break;
        done += (size_t)count;
    }
    return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *at, int whence)
{
    *at = lseek((int)(intptr_t)cookie, *at, whence);
    return *at < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

static int flags_of(const char *mode)
{
    const int both = strchr(mode, '+') ? O_RDWR : O_WRONLY;
    const int rest = (strchr(mode, 'e') ? O_CLOEXEC : 0) | (strchr(mode, 'x') ? O_EXCL : 0);
    if (mode[0] == 'r') return (both == O_RDWR ? O_RDWR : O_RDONLY) | rest;
    return both | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC) | rest;
}

static FILE *open_stream(const char *path, const char *mode)
{
    static const cookie_io_functions_t calls = {stream_read, stream_write, stream_seek,
                                                stream_close};
    const int                          fd = open(path, flags_of(mode), 0666);
    if (fd < 0) return NULL;
    FILE *file = fopencookie((void *)(intptr_t)fd, mode, calls);
    if (!file) close(fd);
    return file;
}

static FILE *open_named(const char *name, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    if (stk_fault_armed && stk_below(AT_FDCWD, path)) return open_stream(path, mode);
    *(void **)&next = dlsym(RTLD_NEXT, name);
    return next(path, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return open_named("fopen", path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return open_named("fopen64", path, mode);
}
