/* S1: a token bucket in front of all reads, and a latency for each. */
#include "train/faults/slow_reads.h"
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

typedef struct slow_file {
    stk_file        file;
    stk_file       *inner;
    stk_slow_reads *reads;
} slow_file;

/* The table's functions get it const, for file systems that never change; this one counts. */
static stk_slow_reads *reads_of(const stk_filesystem *fs)
{
    return (stk_slow_reads *)(uintptr_t)fs;
}

/* The lock is held. One pipe for all threads: who asks while it is in use waits until all before
 * has come. Latencies pass side by side. */
static uint64_t ready_at(stk_slow_reads *reads, uint64_t bytes)
{
    const uint64_t now = stk_clock_ns();
    uint64_t       ready = now;
    if (reads->bytes_per_s > 0) {
        if (reads->free_ns < now) reads->free_ns = now;
        reads->free_ns += (uint64_t)((double)bytes * 1e9 / reads->bytes_per_s);
        ready = reads->free_ns;
    }
    return ready + (uint64_t)(reads->latency_s * 1e9);
}

static void wait_for(stk_slow_reads *reads, uint64_t bytes)
{
    enum { SECOND = 1000000000 };
    int waited = 0;
    pthread_mutex_lock(&reads->lock);
    const uint64_t        ready = ready_at(reads, bytes);
    const struct timespec until = {.tv_sec = (time_t)(ready / SECOND),
                                   .tv_nsec = (long)(ready % SECOND)};
    while (!reads->hurried && !waited)
        waited = pthread_cond_timedwait(&reads->hurry, &reads->lock, &until);
    pthread_mutex_unlock(&reads->lock);
}

static stk_status read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err)
{
    slow_file *slow = (slow_file *)file;
    STK_TRY(slow->inner->ops->read_at(slow->inner, dst, size, offset, got, err));
    wait_for(slow->reads, *got);
    return STK_OK;
}

static void close_file(stk_file *file)
{
    slow_file *slow = (slow_file *)file;
    stk_file_close(slow->inner);
    free(slow);
}

/* Without a descriptor: the kernel would read past us. */
static stk_status open_file(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {.read_at = read_at, .close = close_file};
    *out = NULL;
    slow_file *slow = calloc(1, sizeof *slow);
    if (!slow) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open it");
    const stk_status st = stk_file_open(&slow->inner, NULL, path, access, err);
    if (st) {
        free(slow);
        return st;
    }
    slow->file = (stk_file){&ops, slow->inner->info, slow->inner->path};
    slow->reads = reads_of(fs);
    *out = &slow->file;
    return STK_OK;
}

static stk_status read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    STK_TRY(stk_file_read_all(NULL, path, expected_bytes, limit_bytes, blob, err));
    wait_for(reads_of(fs), blob->size);
    return STK_OK;
}

/* Only reading is slow: all else is the local table's, which does not look at its file system. */
void stk_slow_reads_init(stk_slow_reads *reads, double bytes_per_s, double latency_s)
{
    *reads = (stk_slow_reads){.bytes_per_s = bytes_per_s, .latency_s = latency_s};
    reads->ops = *stk_filesystem_local()->ops;
    reads->ops.open = open_file;
    reads->ops.read_all = read_all;
    reads->fs = (stk_filesystem){.ops = &reads->ops, .name = "slow"};
    pthread_mutex_init(&reads->lock, NULL);
    pthread_condattr_t clock; /* that of stk_clock_ns */
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&reads->hurry, &clock);
    pthread_condattr_destroy(&clock);
}

void stk_slow_reads_hurry(stk_slow_reads *reads)
{
    if (!reads->fs.ops) return;
    pthread_mutex_lock(&reads->lock);
    reads->hurried = true;
    pthread_cond_broadcast(&reads->hurry);
    pthread_mutex_unlock(&reads->lock);
}

void stk_slow_reads_release(stk_slow_reads *reads)
{
    if (!reads->fs.ops) return;
    pthread_mutex_destroy(&reads->lock);
    pthread_cond_destroy(&reads->hurry);
    reads->fs.ops = NULL;
}
