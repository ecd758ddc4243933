/* The calls every caller makes; each goes through the file system's table. */
#include <stoker/filesystem.h>
#include <string.h>

static const stk_filesystem *or_local(const stk_filesystem *fs)
{
    return fs ? fs : stk_filesystem_local();
}

stk_status stk_file_open(stk_file **out, const stk_filesystem *fs, const char *path,
                         stk_access access, stk_error *err)
{
    *out = NULL;
    fs = or_local(fs);
    return fs->ops->open(fs, path, access, out, err);
}

stk_status stk_file_read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                            stk_error *err)
{
    size_t done = 0;
    *got = 0;
    while (done < size) {
        size_t more = 0;
        STK_TRY(file->ops->read_at(file, (uint8_t *)dst + done, size - done, offset + done, &more,
                                   err));
        if (!more) break;
        done += more;
    }
    *got = done;
    return STK_OK;
}

void stk_file_close(stk_file *file)
{
    if (file) file->ops->close(file);
}

stk_status stk_file_read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                             uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    fs = or_local(fs);
    return fs->ops->read_all(fs, path, expected_bytes, limit_bytes, blob, err);
}

stk_status stk_file_write_all(const stk_filesystem *fs, const char *path, stk_bytes bytes,
                              stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_output_create(&out, fs, path, err));
    stk_status st = stk_output_write(out, bytes.data, bytes.size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

stk_status stk_output_create(stk_output **out, const stk_filesystem *fs, const char *path,
                             stk_error *err)
{
    *out = NULL;
    fs = or_local(fs);
    return fs->ops->create(fs, path, out, err);
}

stk_status stk_output_append(stk_output **out, const stk_filesystem *fs, const char *path,
                             stk_error *err)
{
    *out = NULL;
    fs = or_local(fs);
    if (fs->ops->append) return fs->ops->append(fs, path, out, err);
    return stk_fail(err, STK_E_UNSUPPORTED, "write", path,
                    "files of the file system '%s' cannot grow: write it to a disk", fs->name);
}

stk_status stk_output_write(stk_output *out, const void *data, size_t size, stk_error *err)
{
    return out->ops->write(out, data, size, err);
}

stk_status stk_output_commit(stk_output *out, stk_error *err)
{
    return out->ops->commit(out, err);
}

void stk_output_close(stk_output *out)
{
    if (out) out->ops->close(out);
}

stk_status stk_path_info(const stk_filesystem *fs, const char *path, stk_file_info *info,
                         stk_error *err)
{
    fs = or_local(fs);
    *info = (stk_file_info){0};
    return fs->ops->info(fs, path, info, err);
}

stk_status stk_path_exists(const stk_filesystem *fs, const char *path, bool *exists,
                           stk_file_info *info, stk_error *err)
{
    stk_file_info    found = {0};
    const stk_status st = stk_path_info(fs, path, &found, err);
    *exists = !st;
    if (info) *info = found;
    return st == STK_E_NOTFOUND ? STK_OK : st;
}

stk_status stk_path_resolve(const stk_filesystem *fs, const char *path, stk_blob *out,
                            stk_error *err)
{
    fs = or_local(fs);
    if (fs->ops->resolve) return fs->ops->resolve(fs, path, out, err);
    out->size = 0;
    return stk_blob_append(out, path, strlen(path) + 1, err);
}

stk_status stk_path_list(const stk_filesystem *fs, const char *directory, stk_list_detail detail,
                         stk_list_visit visit, void *context, stk_error *err)
{
    fs = or_local(fs);
    return fs->ops->list(fs, directory, detail, visit, context, err);
}

stk_status stk_path_make_directory(const stk_filesystem *fs, const char *path, stk_error *err)
{
    fs = or_local(fs);
    return fs->ops->make_directory(fs, path, err);
}

stk_status stk_path_make_directories(const stk_filesystem *fs, const char *path, stk_error *err)
{
    stk_blob above;
    stk_blob_init(&above, NULL, STK_MEMORY_OUTPUT);
    stk_status st = STK_OK;
    for (const char *slash = strchr(path, '/'); slash && !st; slash = strchr(slash + 1, '/')) {
        above.size = 0;
        if (slash == path) continue;
        st = stk_blob_append(&above, path, (size_t)(slash - path), err);
        if (!st) st = stk_blob_append(&above, "", 1, err);
        if (!st) st = stk_path_make_directory(fs, (const char *)above.data, err);
    }
    stk_blob_release(&above);
    return st ? st : stk_path_make_directory(fs, path, err);
}

stk_status stk_path_rename(const stk_filesystem *fs, const char *from, const char *to,
                           stk_error *err)
{
    fs = or_local(fs);
    return fs->ops->rename(fs, from, to, err);
}

stk_status stk_path_remove(const stk_filesystem *fs, const char *path, stk_error *err)
{
    fs = or_local(fs);
    return fs->ops->remove(fs, path, err);
}

stk_status stk_path_lock(stk_lock **out, const stk_filesystem *fs, const char *path, stk_error *err)
{
    *out = NULL;
    fs = or_local(fs);
    return fs->ops->lock ? fs->ops->lock(fs, path, out, err) : STK_OK;
}

void stk_lock_release(stk_lock *lock)
{
    if (lock) lock->release(lock);
}
