/* Blocks in one file of a folder, each where the file ended when it came. What was written never
 * changes, so a list of it stays true however much comes after. */
#include "storage/file/block_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct store {
    stk_block_store base;
    char           *path;
    stk_lock       *lock; /* of the folder */
    int             descriptor;
    uint64_t        limit;
    uint64_t        end; /* atomic: where the next one goes */
    bool            forgotten;
} store;

static void *begin(stk_block_store *base, size_t size)
{
    const store *s = (const store *)base;
    const bool   fits = __atomic_load_n(&s->end, __ATOMIC_RELAXED) + size <= s->limit;
    return fits ? malloc(size ? size : 1) : NULL;
}

static void drop(stk_block_store *base, void *space, size_t size)
{
    (void)base, (void)size;
    free(space);
}

static stk_status write_all(const store *s, const uint8_t *data, size_t size, uint64_t at,
                            stk_error *err)
{
    while (size) {
        const ssize_t count = pwrite(s->descriptor, data, size, (off_t)at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0)
            return stk_fail_errno(err, count ? errno : ENOSPC, "cache", s->path, "write");
        data += count;
        at += (uint64_t)count;
        size -= (size_t)count;
    }
    return STK_OK;
}

static stk_status keep(stk_block_store *base, void *space, size_t size, uint64_t *at,
                       stk_error *err)
{
    store *s = (store *)base;
    *at = __atomic_fetch_add(&s->end, size, __ATOMIC_RELAXED);
    stk_status st = write_all(s, space, size, *at, err);
    free(space);
    return st;
}

static stk_status get(stk_block_store *base, uint64_t at, void *dst, size_t size, stk_error *err)
{
    const store *s = (const store *)base;
    uint8_t     *to = dst;
    while (size) {
        const ssize_t count = pread(s->descriptor, to, size, (off_t)at);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return stk_fail_errno(err, errno, "cache", s->path, "read");
        if (!count)
            return stk_fail(err, STK_E_DATALOSS, "cache", s->path,
                            "it ends before byte %llu, which was kept there",
                            (unsigned long long)at);
        to += count;
        at += (uint64_t)count;
        size -= (size_t)count;
    }
    return STK_OK;
}

static void free_store(stk_block_store *base)
{
    store *s = (store *)base;
    if (s->descriptor >= 0) close(s->descriptor);
    if (s->forgotten && s->path) unlink(s->path);
    stk_lock_release(s->lock);
    free(s->path);
    free(s);
}

static stk_status open_file(store *s, const char *folder, stk_error *err)
{
    const size_t length = strlen(folder);
    s->path = malloc(length + sizeof "/blocks");
    if (!s->path) return stk_fail(err, STK_E_NOMEM, "cache", folder, "no memory for its name");
    memcpy(s->path, folder, length);
    memcpy(s->path + length, "/blocks", sizeof "/blocks");
    STK_TRY(stk_path_make_directory(NULL, folder, err));
    stk_status st = stk_path_lock(&s->lock, NULL, folder, err);
    if (st == STK_E_BUSY)
        return stk_fail(err, st, "cache", folder,
                        "another process uses this cache; name another folder with "
                        "data.cache_folder");
    STK_TRY(st);
    s->descriptor = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return s->descriptor < 0 ? stk_fail_errno(err, errno, "cache", s->path, "open") : STK_OK;
}

stk_status stk_block_store_disk(stk_block_store **out, const char *folder, uint64_t limit,
                                stk_error *err)
{
    static const stk_block_store_ops ops = {begin, keep, drop, get, free_store};
    store                           *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return stk_fail(err, STK_E_NOMEM, "cache", folder, "no memory for a cache");
    s->base = (stk_block_store){.ops = &ops, .waits = true};
    s->limit = limit;
    s->descriptor = -1;
    stk_status st = open_file(s, folder, err);
    if (st) {
        free_store(&s->base);
        return st;
    }
    *out = &s->base;
    return STK_OK;
}

stk_status stk_block_store_disk_cut(stk_block_store *base, uint64_t used, stk_error *err)
{
    store      *s = (store *)base;
    struct stat now;
    if (fstat(s->descriptor, &now)) return stk_fail_errno(err, errno, "cache", s->path, "look at");
    if ((uint64_t)now.st_size < used)
        return stk_fail(err, STK_E_DATALOSS, "cache", s->path,
                        "it has %llu bytes, but %llu were kept", (unsigned long long)now.st_size,
                        (unsigned long long)used);
    if (ftruncate(s->descriptor, (off_t)used))
        return stk_fail_errno(err, errno, "cache", s->path, "cut");
    s->end = used;
    return STK_OK;
}

stk_status stk_block_store_disk_sync(stk_block_store *base, stk_error *err)
{
    const store *s = (const store *)base;
    return fdatasync(s->descriptor) ? stk_fail_errno(err, errno, "cache", s->path, "sync") : STK_OK;
}

void stk_block_store_disk_forget(stk_block_store *base)
{
    ((store *)base)->forgotten = true;
}
