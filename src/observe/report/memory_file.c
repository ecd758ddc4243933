/* Bytes in memory as a file. */
#include "observe/report/memory_file.h"

#include <stdlib.h>

typedef struct memory_file {
    stk_file  base;
    stk_bytes bytes;
} memory_file;

static stk_status read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err)
{
    (void)err;
    const stk_bytes bytes = ((memory_file *)file)->bytes;
    const size_t    left = offset < bytes.size ? bytes.size - (size_t)offset : 0;
    *got = size < left ? size : left;
    if (*got) memcpy(dst, bytes.data + offset, *got);
    return STK_OK;
}

static void close_file(stk_file *file)
{
    free(file->path);
    free(file);
}

static stk_status open_file(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {.read_at = read_at, .close = close_file};
    const stk_bytes           bytes = ((const stk_memory_files *)fs)->bytes;
    (void)access;
    memory_file *file = calloc(1, sizeof *file);
    char        *name = strdup(path);
    if (!file || !name) {
        free(file);
        free(name);
        return stk_fail(err, STK_E_NOMEM, "report", path, "no memory for a file");
    }
    file->base = (stk_file){&ops, {.kind = STK_FILE_REGULAR, .bytes = bytes.size}, name};
    file->bytes = bytes;
    *out = &file->base;
    return STK_OK;
}

stk_memory_files stk_memory_files_of(stk_bytes bytes)
{
    static const stk_filesystem_ops ops = {.open = open_file};
    return (stk_memory_files){{&ops, "memory"}, bytes};
}
