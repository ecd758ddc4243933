/* The disks of this machine: reading files, listing and changing names. */
#include "storage/file/filesystem_local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    UNKNOWN_BYTES = 64 << 10, /* asked for first when a file's size is not known */
    LARGEST_FIRST = 64 << 20, /* a hint may claim more; that much is believed at once */
    LARGEST_CALL = 1 << 30,   /* Linux transfers at most 2 GiB a call */
    READ_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK, /* opening a pipe must not wait for a writer */
};

typedef struct local_file {
    stk_file file; /* first: returned as the base struct */
    int      fd;
    char     path[];
} local_file;

static stk_file_kind kind_of(mode_t mode)
{
    if (S_ISREG(mode)) return STK_FILE_REGULAR;
    return S_ISDIR(mode) ? STK_FILE_DIRECTORY : STK_FILE_OTHER;
}

static stk_file_info info_of(const struct stat *st)
{
    return (stk_file_info){
        .kind = kind_of(st->st_mode),
        .bytes = (uint64_t)st->st_size,
        .modified_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
    };
}

static stk_status refuse_kind(const char *path, stk_file_kind kind, stk_error *err)
{
    if (kind == STK_FILE_DIRECTORY)
        return stk_fail(err, STK_E_INVALID, "read", path, "is a folder, not a file");
    return stk_fail(err, STK_E_INVALID, "read", path,
                    "is a pipe or device, which cannot be read at any position: copy it to a file");
}

static stk_status read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err)
{
    const int fd = ((local_file *)file)->fd;
    ssize_t   count;
    *got = 0;
    if (offset > INT64_MAX) return STK_OK; /* past the end of any file */
    if (size > LARGEST_CALL) size = LARGEST_CALL;
    do {
        count = pread(fd, dst, size, (off_t)offset);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        const int reason = errno;
        char      tried[64];
        snprintf(tried, sizeof tried, "read %zu bytes at offset %" PRIu64, size, offset);
        return stk_fail_errno(err, reason, "read", file->path, tried);
    }
    *got = (size_t)count;
    return STK_OK;
}

static void close_file(stk_file *file)
{
    local_file *local = (local_file *)file;
    if (local->fd >= 0) close(local->fd);
    free(local);
}

static int descriptor(stk_file *file)
{
    return ((local_file *)file)->fd;
}

static const stk_file_ops file_ops = {
    .read_at = read_at, .close = close_file, .descriptor = descriptor};

/* Opens path for local and learns what it is. */
static stk_status open_local(local_file *local, stk_access access, stk_error *err)
{
    const char *path = local->path;
    struct stat st;
    local->fd = open(path, READ_FLAGS);
    if (local->fd < 0) return stk_fail_errno(err, errno, "read", path, "open");
    if (fstat(local->fd, &st)) return stk_fail_errno(err, errno, "read", path, "examine");
    local->file.info = info_of(&st);
    if (local->file.info.kind != STK_FILE_REGULAR)
        return refuse_kind(path, local->file.info.kind, err);
    /* A hint that the kernel may refuse without harm. */
    (void)posix_fadvise(local->fd, 0, 0,
                        access == STK_ACCESS_RANDOM ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
    return STK_OK;
}

static stk_status open_file(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    (void)fs;
    *out = NULL;
    const size_t length = strlen(path);
    local_file  *local = malloc(sizeof *local + length + 1);
    if (!local) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open the file");
    *local = (local_file){.file = {.ops = &file_ops, .path = local->path}, .fd = -1};
    memcpy(local->path, path, length + 1);
    const stk_status st = open_local(local, access, err);
    if (st) {
        close_file(&local->file);
        return st;
    }
    *out = &local->file;
    return STK_OK;
}

/* One read at blob's end, up to the blob's capacity. */
static stk_status read_more(int fd, const char *path, stk_blob *blob, size_t *got, stk_error *err)
{
    size_t  left = blob->capacity - blob->size;
    ssize_t count;
    if (left > LARGEST_CALL) left = LARGEST_CALL;
    do {
        count = read(fd, blob->data + blob->size, left);
    } while (count < 0 && errno == EINTR);
    if (count < 0 && errno == EISDIR) return refuse_kind(path, STK_FILE_DIRECTORY, err);
    if (count < 0) return stk_fail_errno(err, errno, "read", path, "read");
    blob->size += (size_t)count;
    *got = (size_t)count;
    return STK_OK;
}

/* A pipe without a writer looks like an empty file: tell them apart. */
static stk_status check_empty(int fd, const char *path, stk_error *err)
{
    struct stat st;
    if (fstat(fd, &st)) return stk_fail_errno(err, errno, "read", path, "examine");
    if (S_ISREG(st.st_mode)) return STK_OK;
    return refuse_kind(path, kind_of(st.st_mode), err);
}

/* The first read asks for one byte more than expected, so that getting exactly what was expected
 * proves the end without another call. */
static stk_status read_to_end(int fd, const char *path, uint64_t expected, uint64_t limit,
                              stk_blob *blob, stk_error *err)
{
    uint64_t first = expected ? expected : UNKNOWN_BYTES;
    size_t   got;
    if (first > LARGEST_FIRST) first = LARGEST_FIRST;
    if (first > limit) first = limit;
    blob->size = 0;
    STK_TRY(stk_blob_reserve(blob, (size_t)first + 1, err));
    do {
        if (blob->size == blob->capacity) STK_TRY(stk_blob_reserve(blob, blob->size + 1, err));
        STK_TRY(read_more(fd, path, blob, &got, err));
        if (blob->size > limit)
            return stk_fail(err, STK_E_LIMIT, "read", path,
                            "the file is larger than the limit of %" PRIu64 " bytes", limit);
    } while (got && (blob->size != expected || blob->size == blob->capacity));
    return blob->size ? STK_OK : check_empty(fd, path, err);
}

static stk_status read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    (void)fs;
    const int fd = open(path, READ_FLAGS);
    if (fd < 0) return stk_fail_errno(err, errno, "read", path, "open");
    const stk_status st = read_to_end(fd, path, expected_bytes, limit_bytes, blob, err);
    close(fd);
    return st;
}

static stk_status info(const stk_filesystem *fs, const char *path, stk_file_info *out,
                       stk_error *err)
{
    (void)fs;
    struct stat st;
    if (lstat(path, &st)) return stk_fail_errno(err, errno, "read", path, "find");
    const bool link = out->link = S_ISLNK(st.st_mode);
    if (link && stat(path, &st)) return stk_fail_errno(err, errno, "read", path, "find");
    *out = info_of(&st);
    out->link = link;
    return STK_OK;
}

static stk_status resolve(const stk_filesystem *fs, const char *path, stk_blob *out, stk_error *err)
{
    (void)fs;
    char real[PATH_MAX];
    if (!realpath(path, real)) return stk_fail_errno(err, errno, "read", path, "find");
    out->size = 0;
    return stk_blob_append(out, real, strlen(real) + 1, err);
}

/* A dangling or inaccessible link is not a file. A failing disk says nothing about the entry: data
 * must not shrink by it. */
static bool leads_nowhere(int reason)
{
    return reason == ENOENT || reason == ELOOP || reason == ENOTDIR || reason == EACCES ||
           reason == ENAMETOOLONG;
}

/* Links, and entries of unknown kind, need a stat of their target; so do sizes. A stat relative to
 * the open folder costs half of one by full path. */
static stk_status info_of_entry(DIR *directory, const char *path, const struct dirent *entry,
                                stk_list_detail detail, stk_file_info *out, stk_error *err)
{
    struct stat st;
    char        tried[NAME_MAX + 32];
    bool        link = entry->d_type == DT_LNK;
    *out = (stk_file_info){.kind = STK_FILE_OTHER};
    if (detail == STK_LIST_KINDS && !link && entry->d_type != DT_UNKNOWN) {
        if (entry->d_type == DT_REG) out->kind = STK_FILE_REGULAR;
        if (entry->d_type == DT_DIR) out->kind = STK_FILE_DIRECTORY;
        return STK_OK;
    }
    if (entry->d_type == DT_UNKNOWN)
        link = !fstatat(dirfd(directory), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
               S_ISLNK(st.st_mode);
    const int reason = fstatat(dirfd(directory), entry->d_name, &st, 0) ? errno : 0;
    if (!reason) *out = info_of(&st);
    out->link = link;
    snprintf(tried, sizeof tried, "look at %s in it", entry->d_name);
    if (!reason || leads_nowhere(reason)) return STK_OK;
    return stk_fail_errno(err, reason, "list", path, tried);
}

static stk_status visit_all(DIR *directory, const char *path, stk_list_detail detail,
                            stk_list_visit visit, void *context, stk_error *err)
{
    for (;;) {
        stk_file_info found;
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry) return errno ? stk_fail_errno(err, errno, "list", path, "list") : STK_OK;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        STK_TRY(info_of_entry(directory, path, entry, detail, &found, err));
        STK_TRY(visit(context, entry->d_name, &found, err));
    }
}

static stk_status list(const stk_filesystem *fs, const char *directory, stk_list_detail detail,
                       stk_list_visit visit, void *context, stk_error *err)
{
    (void)fs;
    DIR *open_directory = opendir(directory);
    if (!open_directory) return stk_fail_errno(err, errno, "list", directory, "open the folder");
    const stk_status st = visit_all(open_directory, directory, detail, visit, context, err);
    closedir(open_directory);
    return st;
}

/* A new name is on the disk when its folder is. */
static stk_status flush_folder_of(const char *path, stk_error *err)
{
    const char *slash = strrchr(path, '/');
    char       *folder = slash > path ? strndup(path, (size_t)(slash - path))
                         : slash      ? strdup("/")
                                      : strdup(".");
    if (!folder) return stk_fail(err, STK_E_NOMEM, "write", path, "no memory for a path");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) return stk_fail_errno(err, errno, "write", path, "open its folder");
    const int reason = stk_local_flush_folder(fd);
    close(fd);
    if (!reason) return STK_OK;
    return stk_fail_errno(err, reason, "write", path, "flush its folder to disk");
}

static stk_status make_directory(const stk_filesystem *fs, const char *path, stk_error *err)
{
    (void)fs;
    struct stat st;
    if (mkdir(path, 0777) == 0) return flush_folder_of(path, err);
    const int reason = errno;
    if (reason != EEXIST) return stk_fail_errno(err, reason, "write", path, "make the folder");
    if (stat(path, &st)) return stk_fail_errno(err, errno, "write", path, "look at the folder");
    return S_ISDIR(st.st_mode) ? STK_OK
                               : stk_fail_errno(err, reason, "write", path, "make the folder");
}

static stk_status rename_path(const stk_filesystem *fs, const char *from, const char *to,
                              stk_error *err)
{
    (void)fs;
    if (rename(from, to) == 0) return flush_folder_of(to, err);
    const int reason = errno;
    char      tried[256];
    snprintf(tried, sizeof tried, "rename it to %s", to);
    return stk_fail_errno(err, reason, "write", from, tried);
}

static stk_status remove_path(const stk_filesystem *fs, const char *path, stk_error *err)
{
    (void)fs;
    if (remove(path) == 0) return STK_OK;
    return stk_fail_errno(err, errno, "write", path, "remove it");
}

const stk_filesystem *stk_filesystem_local(void)
{
    static const stk_filesystem_ops ops = {
        .open = open_file,
        .read_all = read_all,
        .create = stk_local_create,
        .info = info,
        .list = list,
        .make_directory = make_directory,
        .rename = rename_path,
        .remove = remove_path,
        .resolve = resolve,
        .lock = stk_local_lock,
        .append = stk_local_append,
    };
    static const stk_filesystem local = {.ops = &ops, .name = "local"};
    return &local;
}
