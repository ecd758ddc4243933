/* A file system with all that writes taken away. */
#include "storage/file/read_only.h"

static const stk_filesystem *inner_of(const stk_filesystem *fs)
{
    return ((const stk_read_only *)fs)->inner;
}

static stk_status refuse(const char *path, stk_error *err)
{
    return stk_fail(err, STK_E_PERMISSION, "write", path, "the folder is only read here");
}

static stk_status open_file(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    return stk_file_open(out, inner_of(fs), path, access, err);
}

static stk_status read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    return stk_file_read_all(inner_of(fs), path, expected_bytes, limit_bytes, blob, err);
}

static stk_status create(const stk_filesystem *fs, const char *path, stk_output **out,
                         stk_error *err)
{
    (void)fs;
    *out = NULL;
    return refuse(path, err);
}

static stk_status info(const stk_filesystem *fs, const char *path, stk_file_info *out,
                       stk_error *err)
{
    return stk_path_info(inner_of(fs), path, out, err);
}

static stk_status list(const stk_filesystem *fs, const char *directory, stk_list_detail detail,
                       stk_list_visit visit, void *context, stk_error *err)
{
    return stk_path_list(inner_of(fs), directory, detail, visit, context, err);
}

static stk_status resolve(const stk_filesystem *fs, const char *path, stk_blob *out, stk_error *err)
{
    return stk_path_resolve(inner_of(fs), path, out, err);
}

static stk_status refuse_path(const stk_filesystem *fs, const char *path, stk_error *err)
{
    (void)fs;
    return refuse(path, err);
}

static stk_status refuse_rename(const stk_filesystem *fs, const char *from, const char *to,
                                stk_error *err)
{
    (void)fs;
    (void)to;
    return refuse(from, err);
}

void stk_read_only_init(stk_read_only *view, const stk_filesystem *inner)
{
    static const stk_filesystem_ops ops = {
        .open = open_file,
        .read_all = read_all,
        .create = create,
        .append = create,
        .info = info,
        .list = list,
        .make_directory = refuse_path,
        .rename = refuse_rename,
        .remove = refuse_path,
        .resolve = resolve,
    };
    *view = (stk_read_only){.fs = {.ops = &ops, .name = "read-only"}, .inner = inner};
}
