/* A file system of one endless-looking TFRecord file, made as it is read, behind a latency and a
 * limited number of places: what an object store looks like. */
#ifndef STK_BENCH_SYNTHETIC_FILES_H
#define STK_BENCH_SYNTHETIC_FILES_H

#include <pthread.h>
#include <stdlib.h>
#include <stoker/stoker.h>
#include <string.h>
#include <unistd.h>

enum { SYNTHETIC_RECORD = 1008, SYNTHETIC_FRAME = SYNTHETIC_RECORD + 16 };

typedef struct synthetic_files {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    unsigned           latency_us;
    uint64_t           bytes; /* of the file */
    uint8_t            frame[SYNTHETIC_FRAME];
    uint64_t           reads; /* atomic */
    pthread_mutex_t    lock;
    pthread_cond_t     free_place;
    int                places;
} synthetic_files;

typedef struct synthetic_file {
    stk_file         file;
    synthetic_files *owner;
} synthetic_file;

static stk_status synthetic_read(stk_file *file, void *dst, size_t size, uint64_t offset,
                                 size_t *got, stk_error *err)
{
    (void)err;
    synthetic_files *owner = ((synthetic_file *)file)->owner;
    pthread_mutex_lock(&owner->lock);
    while (!owner->places)
        pthread_cond_wait(&owner->free_place, &owner->lock);
    owner->places--;
    pthread_mutex_unlock(&owner->lock);
    usleep(owner->latency_us);
    const uint64_t left = offset < owner->bytes ? owner->bytes - offset : 0;
    *got = size < left ? size : (size_t)left;
    for (size_t done = 0; done < *got;) {
        const size_t from = (size_t)((offset + done) % SYNTHETIC_FRAME);
        size_t       part = SYNTHETIC_FRAME - from;
        if (part > *got - done) part = *got - done;
        memcpy((uint8_t *)dst + done, owner->frame + from, part);
        done += part;
    }
    pthread_mutex_lock(&owner->lock);
    owner->places++;
    pthread_cond_signal(&owner->free_place);
    pthread_mutex_unlock(&owner->lock);
    __atomic_fetch_add(&owner->reads, 1, __ATOMIC_RELAXED);
    return STK_OK;
}

static void synthetic_close(stk_file *file)
{
    free(file->path);
    free(file);
}

static stk_status synthetic_open(const stk_filesystem *fs, const char *path, stk_access access,
                                 stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {.read_at = synthetic_read, .close = synthetic_close};
    (void)access;
    synthetic_file *file = calloc(1, sizeof *file);
    if (!file) return stk_fail(err, STK_E_NOMEM, "open", path, "no memory for a file");
    file->owner = (synthetic_files *)(uintptr_t)fs;
    file->file = (stk_file){.ops = &ops,
                            .info = {.kind = STK_FILE_REGULAR, .bytes = file->owner->bytes},
                            .path = strdup(path)};
    *out = &file->file;
    return STK_OK;
}

static inline void synthetic_files_init(synthetic_files *files, unsigned latency_us, int places,
                                        uint64_t bytes)
{
    stk_blob  frame;
    stk_error err;
    uint8_t   record[SYNTHETIC_RECORD];
    memset(record, 'x', sizeof record);
    stk_blob_init(&frame, NULL, STK_MEMORY_OUTPUT);
    *files = (synthetic_files){.latency_us = latency_us,
                               .places = places,
                               .bytes = bytes / SYNTHETIC_FRAME * SYNTHETIC_FRAME,
                               .ops = {.open = synthetic_open}};
    files->fs = (stk_filesystem){.ops = &files->ops, .name = "synthetic"};
    pthread_mutex_init(&files->lock, NULL);
    pthread_cond_init(&files->free_place, NULL);
    if (stk_tfrecord_frame(&frame, stk_bytes_of(record, sizeof record), &err)) abort();
    memcpy(files->frame, frame.data, SYNTHETIC_FRAME);
    stk_blob_release(&frame);
}

#endif
