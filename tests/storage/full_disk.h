/* The local disks, full at a chosen call: creating, writing or committing an output. A write then
 * takes half of what it is given. Included by tests; one thread uses it. */
#ifndef STK_TESTS_FULL_DISK_H
#define STK_TESTS_FULL_DISK_H

#include "harness.h"

#include <errno.h>
#include <stdlib.h>

typedef struct full_disk {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    int                at, calls; /* the call that fails, from 0; those made so far */
} full_disk;

typedef struct full_output {
    stk_output  output;
    stk_output *real;
    full_disk  *disk;
} full_output;

static bool disk_is_full(full_disk *disk)
{
    return disk->calls++ == disk->at;
}

static stk_status say_full(const char *path, stk_error *err)
{
    return stk_fail_errno(err, ENOSPC, "write", path, "do this");
}

static stk_status full_write(stk_output *output, const void *data, size_t size, stk_error *err)
{
    full_output *o = (full_output *)output;
    if (!disk_is_full(o->disk)) return stk_output_write(o->real, data, size, err);
    STK_TRY(stk_output_write(o->real, data, size / 2, err));
    return say_full(output->path, err);
}

static stk_status full_commit(stk_output *output, stk_error *err)
{
    full_output *o = (full_output *)output;
    if (disk_is_full(o->disk)) return say_full(output->path, err);
    return stk_output_commit(o->real, err);
}

static void full_close(stk_output *output)
{
    stk_output_close(((full_output *)output)->real);
    free(output);
}

typedef stk_status (*output_maker)(stk_output **out, const stk_filesystem *fs, const char *path,
                                   stk_error *err);

static stk_status full_make(const stk_filesystem *fs, output_maker make, const char *path,
                            stk_output **out, stk_error *err)
{
    static const stk_output_ops ops = {full_write, full_commit, full_close};
    full_disk                  *disk = (full_disk *)(uintptr_t)fs;
    *out = NULL;
    if (disk_is_full(disk)) return say_full(path, err);
    full_output *o = calloc(1, sizeof *o);
    if (!o) return stk_fail(err, STK_E_NOMEM, "write", path, "no memory");
    const stk_status st = make(&o->real, NULL, path, err);
    if (st) {
        free(o);
        return st;
    }
    o->output = (stk_output){.ops = &ops, .path = o->real->path};
    o->disk = disk;
    *out = &o->output;
    return STK_OK;
}

static stk_status full_create(const stk_filesystem *fs, const char *path, stk_output **out,
                              stk_error *err)
{
    return full_make(fs, stk_output_create, path, out, err);
}

/* at below 0: never full. */
static inline void full_disk_init(full_disk *disk, int at)
{
    *disk = (full_disk){.ops = *stk_filesystem_local()->ops, .at = at};
    disk->ops.create = full_create;
    disk->fs = (stk_filesystem){.ops = &disk->ops, .name = "full"};
}

#endif
