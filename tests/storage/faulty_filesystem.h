/* The local disks with faults: reads of a few bytes at a time, and an input/output error at a
 * chosen offset. Included by tests; one file system is used by one thread. */
#ifndef STK_TESTS_FAULTY_FILESYSTEM_H
#define STK_TESTS_FAULTY_FILESYSTEM_H

#include "harness.h"

#include <errno.h>
#include <stdlib.h>

typedef struct faulty_filesystem {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    size_t             most;     /* bytes a read gives; 0: no bound */
    uint64_t           error_at; /* a read that touches this offset fails; UINT64_MAX: none */
    uint64_t           reads;    /* made so far */
    uint64_t           bytes;    /* given so far */
} faulty_filesystem;

typedef struct faulty_file {
    stk_file           file;
    stk_file          *inner;
    faulty_filesystem *owner;
} faulty_file;

static stk_status faulty_read_at(stk_file *file, void *dst, size_t size, uint64_t offset,
                                 size_t *got, stk_error *err)
{
    faulty_file       *faulty = (faulty_file *)file;
    faulty_filesystem *owner = faulty->owner;
    if (owner->most && size > owner->most) size = owner->most;
    owner->reads++;
    if (offset <= owner->error_at && owner->error_at - offset < size)
        return stk_fail_errno(err, EIO, "read", file->path, "read");
    STK_TRY(faulty->inner->ops->read_at(faulty->inner, dst, size, offset, got, err));
    owner->bytes += *got;
    return STK_OK;
}

static void faulty_close(stk_file *file)
{
    stk_file_close(((faulty_file *)file)->inner);
    free(file);
}

static stk_status faulty_open(const stk_filesystem *fs, const char *path, stk_access access,
                              stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {.read_at = faulty_read_at, .close = faulty_close};
    faulty_file              *faulty = calloc(1, sizeof *faulty);
    if (!faulty) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory");
    const stk_status st = stk_file_open(&faulty->inner, NULL, path, access, err);
    if (st) {
        free(faulty);
        return st;
    }
    faulty->file = (stk_file){&ops, faulty->inner->info, faulty->inner->path};
    faulty->owner = (faulty_filesystem *)(uintptr_t)fs;
    *out = &faulty->file;
    return STK_OK;
}

static inline void faulty_filesystem_init(faulty_filesystem *faulty)
{
    *faulty = (faulty_filesystem){.error_at = UINT64_MAX};
    faulty->ops = *stk_filesystem_local()->ops;
    faulty->ops.open = faulty_open;
    faulty->fs = (stk_filesystem){&faulty->ops, "faulty"};
}

#endif
