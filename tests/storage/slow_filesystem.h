/* The local disks through a source that takes its time: each read sleeps, and how many slept at
 * once is counted. Reads of at most a chosen size, an error at a chosen offset. Any thread. */
#ifndef STK_TESTS_SLOW_FILESYSTEM_H
#define STK_TESTS_SLOW_FILESYSTEM_H

#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct slow_filesystem {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    unsigned           sleep_us;
    size_t             most;     /* bytes a read gives; 0: no bound */
    uint64_t           error_at; /* atomic: a read that touches this fails; UINT64_MAX: none */
    /* Atomic, counted. */
    int      reads, reading, reading_peak, open, opened;
    uint64_t bytes;
} slow_filesystem;

typedef struct slow_file {
    stk_file         file;
    stk_file        *inner;
    slow_filesystem *owner;
} slow_file;

static stk_status slow_read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                               stk_error *err)
{
    slow_file       *slow = (slow_file *)file;
    slow_filesystem *owner = slow->owner;
    const int        reading = __atomic_add_fetch(&owner->reading, 1, __ATOMIC_SEQ_CST);
    int              peak = __atomic_load_n(&owner->reading_peak, __ATOMIC_SEQ_CST);
    while (peak < reading &&
           !__atomic_compare_exchange_n(&owner->reading_peak, &peak, reading, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    __atomic_add_fetch(&owner->reads, 1, __ATOMIC_SEQ_CST);
    if (owner->sleep_us) usleep(owner->sleep_us);
    if (owner->most && size > owner->most) size = owner->most;
    const uint64_t error_at = __atomic_load_n(&owner->error_at, __ATOMIC_SEQ_CST);
    stk_status     st = STK_OK;
    if (offset <= error_at && error_at - offset < size)
        st = stk_fail_errno(err, EIO, "read", file->path, "read");
    else
        st = slow->inner->ops->read_at(slow->inner, dst, size, offset, got, err);
    if (!st) __atomic_add_fetch(&owner->bytes, *got, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&owner->reading, 1, __ATOMIC_SEQ_CST);
    return st;
}

static void slow_close(stk_file *file)
{
    slow_file *slow = (slow_file *)file;
    __atomic_sub_fetch(&slow->owner->open, 1, __ATOMIC_SEQ_CST);
    stk_file_close(slow->inner);
    free(slow);
}

static stk_status slow_open(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {.read_at = slow_read_at, .close = slow_close};
    slow_filesystem          *owner = (slow_filesystem *)(uintptr_t)fs;
    slow_file                *slow = calloc(1, sizeof *slow);
    if (!slow) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory");
    if (owner->sleep_us) usleep(owner->sleep_us);
    const stk_status st = stk_file_open(&slow->inner, NULL, path, access, err);
    if (st) {
        free(slow);
        return st;
    }
    slow->file = (stk_file){&ops, slow->inner->info, slow->inner->path};
    slow->owner = owner;
    __atomic_add_fetch(&owner->open, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&owner->opened, 1, __ATOMIC_SEQ_CST);
    *out = &slow->file;
    return STK_OK;
}

static inline void slow_filesystem_init(slow_filesystem *slow, unsigned sleep_us)
{
    *slow = (slow_filesystem){.sleep_us = sleep_us, .error_at = UINT64_MAX};
    slow->ops = *stk_filesystem_local()->ops;
    slow->ops.open = slow_open;
    slow->fs = (stk_filesystem){&slow->ops, "slow"};
}

#endif
