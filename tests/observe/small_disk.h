/* The local disks with little space. Included by tests. */
#ifndef STK_TESTS_SMALL_DISK_H
#define STK_TESTS_SMALL_DISK_H

#include "harness.h"

#include <errno.h>
#include <stdlib.h>

/* Room for so many bytes that are written. */
typedef struct small_disk {
    stk_filesystem     fs;
    stk_filesystem_ops ops;
    size_t             capacity;
} small_disk;

typedef struct small_output {
    stk_output  output;
    stk_output *inner;
    small_disk *disk;
} small_output;

static stk_status small_write(stk_output *out, const void *data, size_t size, stk_error *err)
{
    small_output *o = (small_output *)out;
    if (size > o->disk->capacity) return stk_fail_errno(err, ENOSPC, "write", out->path, "write");
    o->disk->capacity -= size;
    return stk_output_write(o->inner, data, size, err);
}

static stk_status small_commit(stk_output *out, stk_error *err)
{
    return stk_output_commit(((small_output *)out)->inner, err);
}

static void small_close(stk_output *out)
{
    stk_output_close(((small_output *)out)->inner);
    free(out);
}

static stk_status small_create(const stk_filesystem *fs, const char *path, stk_output **out,
                               stk_error *err)
{
    static const stk_output_ops ops = {small_write, small_commit, small_close};
    small_output               *o = calloc(1, sizeof *o);
    EXPECT_INT_EQ(STK_OK, stk_output_create(&o->inner, NULL, path, err));
    o->output = (stk_output){&ops, o->inner->path};
    o->disk = (small_disk *)(uintptr_t)fs;
    *out = &o->output;
    return STK_OK;
}

static inline void small_disk_init(small_disk *disk, size_t capacity)
{
    *disk = (small_disk){.ops = *stk_filesystem_local()->ops, .capacity = capacity};
    disk->ops.create = small_create;
    disk->fs = (stk_filesystem){&disk->ops, "small"};
}

#endif
