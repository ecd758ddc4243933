/* Reading ahead: what it costs when the page cache has the file, what it gains when the disk or a
 * slow source must be asked. bench_io [FOLDER] writes a file of 256 MB there (default /tmp). */
#include "bench.h"
#include "storage/file/readahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MB = 256, BLOCK = 256 << 10, SLOW_US = 20000, SLOW_PLACES = 32 };

static const uint64_t FILE_BYTES = (uint64_t)FILE_MB << 20;

/* A store that takes 20 ms to answer a read, up to 32 at a time. */
typedef struct slow_filesystem {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    stk_file           file;
    pthread_mutex_t    lock;
    pthread_cond_t     free;
    int                places;
} slow_filesystem;

static slow_filesystem slow;

static stk_status slow_read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                               stk_error *err)
{
    (void)err;
    pthread_mutex_lock(&slow.lock);
    while (!slow.places)
        pthread_cond_wait(&slow.free, &slow.lock);
    slow.places--;
    pthread_mutex_unlock(&slow.lock);
    usleep(SLOW_US);
    pthread_mutex_lock(&slow.lock);
    slow.places++;
    pthread_cond_signal(&slow.free);
    pthread_mutex_unlock(&slow.lock);
    const uint64_t left = file->info.bytes - offset;
    *got = left < size ? (size_t)left : size;
    memset(dst, 1, *got);
    return STK_OK;
}

static void slow_close(stk_file *file)
{
    (void)file;
}

static stk_status slow_open(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    (void)fs, (void)path, (void)access, (void)err;
    *out = &slow.file;
    return STK_OK;
}

static const stk_filesystem *slow_source(void)
{
    static const stk_file_ops ops = {.read_at = slow_read_at, .close = slow_close};
    static char               path[] = "slow";
    slow.ops.open = slow_open;
    slow.fs = (stk_filesystem){&slow.ops, "slow"};
    slow.file = (stk_file){&ops, {.kind = STK_FILE_REGULAR, .bytes = (uint64_t)1 << 40}, path};
    slow.places = SLOW_PLACES;
    pthread_mutex_init(&slow.lock, NULL);
    pthread_cond_init(&slow.free, NULL);
    return &slow.fs;
}

typedef struct job {
    const stk_filesystem *fs;
    const char           *path;
    bool                  cold;
    uint8_t              *buffer;
} job;

static void fail(const stk_error *err)
{
    char text[1024];
    fprintf(stderr, "%s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static void forget(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) exit(1);
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

static void read_file(void *context)
{
    const job *j = context;
    stk_error  err;
    stk_file  *file;
    size_t     got;
    if (stk_file_open(&file, j->fs, j->path, STK_ACCESS_SEQUENTIAL, &err)) fail(&err);
    for (uint64_t at = 0; at < FILE_BYTES; at += got) {
        if (stk_file_read_at(file, j->buffer, BLOCK, at, &got, &err)) fail(&err);
        if (!got) exit(1);
    }
    stk_file_close(file);
}

static void write_file(const char *path)
{
    stk_error       err;
    stk_output     *out;
    static uint32_t bytes[1 << 18];
    static uint32_t seed = 1; /* no two files alike: a host may keep equal blocks once */
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        bytes[i] = seed = seed * 1664525 + 1013904223;
    if (stk_output_create(&out, NULL, path, &err)) fail(&err);
    for (int i = 0; i < FILE_MB; i++)
        if (stk_output_write(out, bytes, sizeof bytes, &err)) fail(&err);
    if (stk_output_commit(out, &err)) fail(&err);
    stk_output_close(out);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The median time; cpu gets the processor time of all threads for a round. */
static double measure(const char *name, job *j, double *cpu)
{
    enum { ROUNDS = 9 };
    double seconds[ROUNDS];
    *cpu = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (j->cold) {
            /* A new file each time: below a virtual machine the host has a cache too. */
            write_file(j->path);
            forget(j->path);
        }
        const double begin = bench_seconds(), cpu_begin = cpu_seconds();
        read_file(j);
        seconds[i] = bench_seconds() - begin;
        *cpu += (cpu_seconds() - cpu_begin) / ROUNDS;
    }
    qsort(seconds, ROUNDS, sizeof seconds[0], bench_compare);
    const bench_result r = {seconds[ROUNDS / 2], seconds[0], seconds[ROUNDS - 1]};
    bench_print(name, r, (double)FILE_MB * 1.048576, "MB/s");
    return r.median;
}

static void compare(job j, bool no_uring, double plain, double plain_cpu)
{
    stk_error       err;
    stk_io         *io;
    stk_filesystem *fs;
    stk_io_stats    stats;
    char            name[128];
    if (stk_io_start(&io, &(stk_io_options){.no_uring = no_uring}, &err)) fail(&err);
    if (stk_readahead_new(&fs, NULL, io, NULL, &err)) fail(&err);
    j.fs = fs;
    stk_io_read_stats(io, &stats);
    snprintf(name, sizeof name, "%s/ahead, %s", j.cold ? "cold" : "cached", stats.backend);
    double       cpu;
    const double ahead = measure(name, &j, &cpu);
    stk_io_read_stats(io, &stats);
    printf("  %.2f x the time of plain reads, %.2f x the CPU; %llu requests, at most %d in flight, "
           "limit %d\n",
           ahead / plain, cpu / plain_cpu, (unsigned long long)stats.requests, stats.in_flight_peak,
           stats.limit);
    stk_readahead_free(fs);
    stk_io_free(io);
}

/* Seconds 2 to 4 of reading one file, beside what the source can give. */
static void read_slowly(uint8_t *buffer)
{
    stk_error       err;
    stk_io         *io;
    stk_filesystem *fs;
    stk_file       *file;
    stk_io_stats    stats;
    stk_io_decision decisions[STK_IO_DECISIONS];
    char            text[256];
    size_t          got;
    uint64_t        at = 0, bytes = 0;
    if (stk_io_start(&io, NULL, &err)) fail(&err);
    if (stk_readahead_new(&fs, slow_source(), io, NULL, &err)) fail(&err);
    if (stk_file_open(&file, fs, "slow", STK_ACCESS_SEQUENTIAL, &err)) fail(&err);
    const double begin = bench_seconds();
    double       from = 0, now = begin;
    while (now < begin + 4) {
        if (stk_file_read_at(file, buffer, BLOCK, at, &got, &err)) fail(&err);
        at += got;
        now = bench_seconds();
        if (from > 0) bytes += got;
        if (now >= begin + 2 && from <= 0) from = now;
    }
    const double rate = (double)bytes / (now - from);
    const double ideal = (double)BLOCK * SLOW_PLACES / (1e-6 * SLOW_US);
    stk_io_read_stats(io, &stats);
    printf("%-44s %12.4g MB/s         %.1f %% of the source, limit %d\n", "slow source, 20 ms",
           1e-6 * rate, 100 * rate / ideal, stats.limit);
    const size_t count = stk_io_decisions(io, decisions, STK_IO_DECISIONS);
    for (size_t i = 0; i < count; i++)
        printf("  %s\n", stk_io_decision_line(&decisions[i], text, sizeof text));
    stk_file_close(file);
    stk_readahead_free(fs);
    stk_io_free(io);
}

int main(int argc, char **argv)
{
    char     path[1024];
    uint8_t *buffer = aligned_alloc(64, BLOCK); /* a copy by the kernel depends on it */
    if (!buffer) return 1;
    memset(buffer, 0, BLOCK);
    snprintf(path, sizeof path, "%s/bench_io.%ld", argc > 1 ? argv[1] : "/tmp", (long)getpid());
    write_file(path);
    for (int cold = 0; cold < 2; cold++) {
        job          j = {NULL, path, cold, buffer};
        double       cpu;
        const double plain = measure(cold ? "cold/plain" : "cached/plain", &j, &cpu);
        compare(j, false, plain, cpu);
        compare(j, true, plain, cpu);
    }
    unlink(path);
    read_slowly(buffer);
    free(buffer);
    return 0;
}
