/* A file system of one file in memory, so that fuzz targets go through the real readers without
 * touching a disk. Only its own path is found; nothing can be written. Header-only: each fuzz
 * target is one program. */
#ifndef STK_FUZZ_MEMORY_FILESYSTEM_H
#define STK_FUZZ_MEMORY_FILESYSTEM_H

#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>

typedef struct memory_filesystem {
    stk_filesystem fs; /* first: pass &it.fs */
    const char    *path;
    stk_bytes      content;
} memory_filesystem;

typedef struct memory_file {
    stk_file  file;
    stk_bytes content;
} memory_file;

static stk_status memory_read_at(stk_file *file, void *dst, size_t size, uint64_t offset,
                                 size_t *got, stk_error *err)
{
    (void)err;
    const stk_bytes content = ((memory_file *)file)->content;
    *got = 0;
    if (offset >= content.size) return STK_OK;
    const size_t left = content.size - (size_t)offset;
    *got = size < left ? size : left;
    memcpy(dst, content.data + offset, *got);
    return STK_OK;
}

static void memory_close(stk_file *file)
{
    free(file);
}

static stk_status memory_info(const stk_filesystem *fs, const char *path, stk_file_info *info,
                              stk_error *err)
{
    const memory_filesystem *memory = (const memory_filesystem *)fs;
    if (strcmp(path, memory->path))
        return stk_fail(err, STK_E_NOTFOUND, "read", path, "cannot open: no such file");
    *info =
        (stk_file_info){.kind = STK_FILE_REGULAR, .bytes = memory->content.size, .modified_ns = 1};
    return STK_OK;
}

static stk_status memory_open(const stk_filesystem *fs, const char *path, stk_access access,
                              stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {.read_at = memory_read_at, .close = memory_close};
    const memory_filesystem  *memory = (const memory_filesystem *)fs;
    stk_file_info             info = {0};
    (void)access;
    *out = NULL;
    STK_TRY(memory_info(fs, path, &info, err));
    memory_file *file = malloc(sizeof *file);
    if (!file) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open the file");
    *file = (memory_file){.file = {.ops = &ops, .info = info, .path = (char *)memory->path},
                          .content = memory->content};
    *out = &file->file;
    return STK_OK;
}

static stk_status memory_read_all(const stk_filesystem *fs, const char *path,
                                  uint64_t expected_bytes, uint64_t limit_bytes, stk_blob *blob,
                                  stk_error *err)
{
    const memory_filesystem *memory = (const memory_filesystem *)fs;
    stk_file_info            info = {0};
    (void)expected_bytes;
    STK_TRY(memory_info(fs, path, &info, err));
    if (info.bytes > limit_bytes)
        return stk_fail(err, STK_E_LIMIT, "read", path, "the file is larger than the limit");
    blob->size = 0;
    return stk_blob_append(blob, memory->content.data, memory->content.size, err);
}

static stk_status memory_create(const stk_filesystem *fs, const char *path, stk_output **out,
                                stk_error *err)
{
    (void)fs;
    *out = NULL;
    return stk_fail(err, STK_E_PERMISSION, "write", path, "this file system cannot be written");
}

static stk_status memory_list(const stk_filesystem *fs, const char *directory,
                              stk_list_detail detail, stk_list_visit visit, void *context,
                              stk_error *err)
{
    (void)fs, (void)detail, (void)visit, (void)context;
    return stk_fail(err, STK_E_NOTFOUND, "list", directory, "there are no folders here");
}

static stk_status memory_change(const stk_filesystem *fs, const char *path, stk_error *err)
{
    (void)fs;
    return stk_fail(err, STK_E_PERMISSION, "write", path, "this file system cannot be written");
}

static stk_status memory_rename(const stk_filesystem *fs, const char *from, const char *to,
                                stk_error *err)
{
    (void)to;
    return memory_change(fs, from, err);
}

/* path and content must outlive it. */
static inline memory_filesystem memory_filesystem_of(const char *path, stk_bytes content)
{
    static const stk_filesystem_ops ops = {
        .open = memory_open,
        .read_all = memory_read_all,
        .create = memory_create,
        .info = memory_info,
        .list = memory_list,
        .make_directory = memory_change,
        .rename = memory_rename,
        .remove = memory_change,
    };
    return (memory_filesystem){
        .fs = {.ops = &ops, .name = "memory"}, .path = path, .content = content};
}

#endif
