/* A local disk that fills up, refuses to be written or has no locks; counting upstreams; logs. */
#ifndef STK_TESTS_CACHE_SUPPORT_H
#define STK_TESTS_CACHE_SUPPORT_H

#include "pipeline_support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct full_disk {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    uint64_t           capacity; /* bytes that may still be written */
    int                reason;   /* errno of a write beyond it */
} full_disk;

typedef struct full_output {
    stk_output  output;
    stk_output *inner;
    full_disk  *owner;
} full_output;

static stk_status full_write(stk_output *out, const void *data, size_t size, stk_error *err)
{
    full_output *full = (full_output *)out;
    if (size > full->owner->capacity)
        return stk_fail_errno(err, full->owner->reason, "write", out->path, "write");
    full->owner->capacity -= size;
    return stk_output_write(full->inner, data, size, err);
}

static stk_status full_commit(stk_output *out, stk_error *err)
{
    return stk_output_commit(((full_output *)out)->inner, err);
}

static void full_close(stk_output *out)
{
    stk_output_close(((full_output *)out)->inner);
    free(out);
}

static stk_status full_create(const stk_filesystem *fs, const char *path, stk_output **out,
                              stk_error *err)
{
    static const stk_output_ops ops = {full_write, full_commit, full_close};
    full_disk                  *owner = (full_disk *)(uintptr_t)fs;
    if (owner->reason == EROFS) return stk_fail_errno(err, EROFS, "write", path, "create");
    full_output *full = calloc(1, sizeof *full);
    stk_status   st = stk_output_create(&full->inner, NULL, path, err);
    if (st) {
        free(full);
        return st;
    }
    full->output = (stk_output){&ops, full->inner->path};
    full->owner = owner;
    *out = &full->output;
    return STK_OK;
}

static inline void full_disk_init(full_disk *disk, uint64_t capacity, int reason)
{
    *disk = (full_disk){.capacity = capacity, .reason = reason};
    disk->ops = *stk_filesystem_local()->ops;
    disk->ops.create = full_create;
    disk->fs = (stk_filesystem){&disk->ops, "full"};
}

/* The local disk without locks. */
static inline void lockless_init(full_disk *disk)
{
    *disk = (full_disk){0};
    disk->ops = *stk_filesystem_local()->ops;
    disk->ops.lock = NULL;
    disk->fs = (stk_filesystem){&disk->ops, "lockless"};
}

static stk_status count_calls(void *context, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)call, (void)element, (void)err;
    __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
    return STK_OK;
}

/* 0 ... count - 1; *calls counts what is computed. */
static inline stk_dataset *counted(int64_t count, int *calls)
{
    stk_dataset *data = RANGE(count);
    APPLY(data, map, stk_test_map("count", count_calls, calls, 0), NULL);
    return data;
}

static inline void keep_line(void *context, const char *line)
{
    snprintf(context, 512, "%s", line);
}

static stk_status remember_name(void *context, const char *name, const stk_file_info *info,
                                stk_error *err)
{
    (void)info, (void)err;
    char *text = context;
    if (strncmp(name, "chunk-", 6) == 0 && strlen(name) > 20) {
        snprintf(text, 256, "%s", name);
    }
    return STK_OK;
}

static stk_status count_name(void *context, const char *name, const stk_file_info *info,
                             stk_error *err)
{
    (void)name, (void)info, (void)err;
    ++*(int *)context;
    return STK_OK;
}

static inline int files_in(const char *folder)
{
    stk_error err;
    int       count = 0;
    EXPECT_OK(stk_path_list(NULL, folder, STK_LIST_KINDS, count_name, &count, &err));
    return count;
}

/* The path of a chunk in folder; kept until the next call. */
static inline const char *a_chunk(const char *folder)
{
    static char path[1024];
    char        name[256] = "";
    stk_error   err;
    EXPECT_OK(stk_path_list(NULL, folder, STK_LIST_KINDS, remember_name, name, &err));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline stk_iterator *start(stk_dataset *data)
{
    stk_error     err;
    stk_iterator *it;
    EXPECT_OK(stk_iterator_start(
        &it, data,
        &(stk_iterator_options){.threads = 1, .seed = 7, .passes_off = STK_PASS_PREFETCH}, &err));
    return it;
}

static inline void take(stk_iterator *it, int count)
{
    stk_error    err;
    stk_element *element;
    for (int i = 0; i < count; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        assert_non_null(element);
        stk_element_unref(element);
    }
}

static inline const char *run_once(stk_dataset *data)
{
    return stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = 7}, 0);
}

#endif
