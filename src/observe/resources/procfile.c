/* Reads /proc: reading an open file at offset 0 costs a third of reopening it. */
#include "observe/resources/procfile.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INITIAL_CAPACITY = 1 << 14,
    CAPACITY_MAX = 1 << 22,
    WHOLE = 2048 /* less than this is the complete text: the kernel fills at least half a page */
};

stk_status stk_procfs_open(stk_procfs *fs, const char *root, stk_error *err)
{
    *fs = (stk_procfs){.root = -1, .capacity = INITIAL_CAPACITY};
    fs->text = malloc(fs->capacity);
    if (!fs->text)
        return stk_fail(err, STK_E_NOMEM, "resources", NULL, "no memory for %d bytes of text",
                        INITIAL_CAPACITY);
    fs->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return STK_OK; /* without it all values are unknown */
}

void stk_procfs_close(stk_procfs *fs)
{
    if (fs->root >= 0) close(fs->root);
    free(fs->text);
    *fs = (stk_procfs){.root = -1};
}

void stk_procfile_init(stk_procfile *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    file->fd = -1;
    vsnprintf(file->path, sizeof file->path, format, args);
    va_end(args);
}

void stk_procfile_close(stk_procfile *file, stk_procfs *fs)
{
    if (file->fd < 0) return;
    close(file->fd);
    file->fd = -1;
    fs->kept--;
}

/* Doubles the buffer; without memory the text stays truncated. */
static bool grow(stk_procfs *fs)
{
    if (fs->capacity >= CAPACITY_MAX) return false;
    char *larger = realloc(fs->text, fs->capacity * 2);
    if (!larger) return false;
    fs->text = larger;
    fs->capacity *= 2;
    return true;
}

static const char *read_text(int fd, stk_procfs *fs)
{
    size_t size = 0;
    for (;;) {
        const ssize_t got = pread(fd, fs->text + size, fs->capacity - 1 - size, (off_t)size);
        if (got < 0) return NULL;
        size += (size_t)got;
        if (!got || size < WHOLE || (size + 1 == fs->capacity && !grow(fs))) break;
    }
    fs->text[size] = '\0';
    return fs->text;
}

const char *stk_procfile_read(stk_procfile *file, stk_procfs *fs)
{
    int fd = file->fd;
    if (fd < 0) fd = openat(fs->root, file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    const char *text = read_text(fd, fs);
    if (file->fd >= 0) return text;
    if (text && fs->kept < STK_PROCFILE_KEPT) {
        file->fd = fd;
        fs->kept++;
    } else {
        close(fd);
    }
    return text;
}

const char *stk_procfs_read(stk_procfs *fs, const char *format, ...)
{
    char    path[4 * STK_PROCFILE_PATH];
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    const int fd = openat(fs->root, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    const char *text = read_text(fd, fs);
    close(fd);
    return text;
}

int64_t stk_proc_number(const char **at)
{
    const char *p = *at + strspn(*at, " \t");
    int64_t     number = 0;
    if (*p < '0' || *p > '9') return -1;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *p - '0', &number))
            number = INT64_MAX;
    *at = p;
    return number;
}

void stk_proc_skip(const char **at, int count)
{
    for (; count > 0; count--) {
        *at += strspn(*at, " \t");
        *at += strcspn(*at, " \t\n");
    }
}

const char *stk_proc_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end && end[1] ? end + 1 : NULL;
}
