/* Measures peak rates: the same work on all threads for a while; the best counts. */
#include "observe/profile/probe.h"

#include "base/clock.h"
#include "base/threads.h"

#include <stdlib.h>
#include <stoker/profile.h>
#include <string.h>

enum { THREADS_MAX = 256, MEMORY_BYTES = 128 << 20, COPY_BYTES = 32 << 20, COPIES = 4 };

static const uint64_t work_ns = 150000000;

typedef struct part {
    stk_thread      thread;
    const uint64_t *memory; /* NULL: measures arithmetic */
    size_t          words;
    double          best; /* per second, of the fastest piece */
    uint64_t        sum;
} part;

static double count_fma(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) return stk_probe_fma_avx512();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return stk_probe_fma_avx2();
#endif
    return stk_probe_fma_plain();
}

static double read_memory(part *p)
{
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= p->words; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += p->memory[i + (size_t)k];
    for (int k = 0; k < 8; k++)
        p->sum += sums[k];
    return (double)p->words * 8;
}

/* During the fastest piece no other program had the core. */
static void *run_part(void *context)
{
    part          *p = context;
    const uint64_t begin = stk_clock_ns();
    uint64_t       last = begin, now = begin;
    while (now - begin < work_ns) {
        const double done = p->memory ? read_memory(p) : count_fma();
        now = stk_clock_ns();
        const double rate = done / (double)(now - last) * 1e9;
        if (rate > p->best) p->best = rate;
        last = now;
    }
    return NULL;
}

/* Sum over all threads, per second. A thread that cannot start adds nothing. */
static double run_all(part *parts, int count)
{
    stk_error unasked;
    double    rate = 0;
    for (int i = 1; i < count; i++)
        if (stk_thread_start(&parts[i].thread, "probe", run_part, &parts[i], &unasked)) count = i;
    run_part(&parts[0]);
    for (int i = 0; i < count; i++) {
        if (i) stk_thread_join(&parts[i].thread);
        rate += parts[i].best;
    }
    return rate;
}

static void probe_cores(stk_machine_peaks *limits, int threads)
{
    part     *parts = calloc((size_t)threads, sizeof *parts);
    uint64_t *memory = malloc(MEMORY_BYTES);
    if (parts) limits->flops = run_all(parts, threads);
    if (parts && memory) {
        memset(memory, 1, MEMORY_BYTES);
        memset(parts, 0, (size_t)threads * sizeof *parts);
        const size_t words = MEMORY_BYTES / sizeof *memory / (size_t)threads;
        for (int i = 0; i < threads; i++) {
            parts[i].memory = memory + (size_t)i * words;
            parts[i].words = words;
        }
        limits->memory_bytes = run_all(parts, threads);
    }
    free(parts);
    free(memory);
}

/* One thread, since the training thread alone copies batches. */
static void probe_copy(stk_machine_peaks *limits)
{
    uint8_t *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
    double   best = -1;
    if (from && to) memset(from, 1, COPY_BYTES);
    for (int i = 0; from && to && i < COPIES; i++) {
        const uint64_t begin = stk_clock_ns();
        memcpy(to, from, COPY_BYTES);
        __asm__ volatile("" : : "r"(to) : "memory");
        const double rate = COPY_BYTES / (double)(stk_clock_ns() - begin) * 1e9;
        if (i && rate > best) best = rate; /* the first pass touches new memory */
    }
    if (best > 0) limits->copy_bytes = best;
    free(from);
    free(to);
}

void stk_profile_probe(stk_machine_peaks *limits, int threads, const char *data)
{
    const double disk = stk_probe_disk(data);
    probe_cores(limits, threads < 1 ? 1 : threads < THREADS_MAX ? threads : THREADS_MAX);
    probe_copy(limits);
    if (disk > 0) limits->disk_bytes = disk;
}
