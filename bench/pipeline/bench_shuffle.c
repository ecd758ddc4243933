/* What shuffling adds to an element: a range alone, and shuffled with buffers of several sizes; the
 * time to save and to restore in the middle; caches read again. */
#include "bench.h"

#include <stoker/stoker.h>
#include <string.h>

enum { ELEMENTS = 2000000 };

typedef struct job {
    stk_dataset *data;
    uint64_t     memory_bytes;
} job;

static void stop_on(stk_status st, const stk_error *err)
{
    char text[1024];
    if (!st) return;
    fprintf(stderr, "%s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static stk_iterator *start(const job *j)
{
    stk_error                  err;
    stk_iterator              *it;
    const stk_iterator_options options = {.threads = 1,
                                          .seed = 1,
                                          .memory_bytes = j->memory_bytes,
                                          .passes_off = STK_PASS_ALL,
                                          .no_autotune = true};
    stop_on(stk_iterator_start(&it, j->data, &options, &err), &err);
    return it;
}

static uint64_t draw(stk_iterator *it, uint64_t most)
{
    stk_error    err;
    stk_element *element;
    uint64_t     count = 0;
    while (count < most) {
        stop_on(stk_iterator_next(it, &element, &err), &err);
        if (!element) break;
        stk_element_unref(element);
        count++;
    }
    return count;
}

static void run_through(void *context)
{
    stk_iterator *it = start(context);
    (void)draw(it, UINT64_MAX);
    stk_iterator_free(it);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* CPU time: one thread runs, and the machine may be shared. */
static void measure(job *j, const char *name)
{
    double seconds[5];
    run_through(j);
    for (int i = 0; i < 5; i++) {
        const double begin = cpu_seconds();
        run_through(j);
        seconds[i] = cpu_seconds() - begin;
    }
    qsort(seconds, 5, sizeof *seconds, bench_compare);
    printf("%-34s %8.1f ns/element (best %.1f, worst %.1f)\n", name, 1e9 * seconds[2] / ELEMENTS,
           1e9 * seconds[0] / ELEMENTS, 1e9 * seconds[4] / ELEMENTS);
}

static void checkpoint(int64_t count, int64_t buffer)
{
    stk_error   err;
    stk_blob    saved;
    job         j = {.memory_bytes = 8ull << 30};
    const char *name = "checkpoint";
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stop_on(stk_dataset_range(&j.data, 0, count, 1, &err), &err);
    stop_on(stk_dataset_shuffle(&j.data, buffer, NULL, &err), &err);
    stk_iterator *it = start(&j);
    (void)draw(it, (uint64_t)count / 2);
    double begin = bench_seconds();
    stop_on(stk_iterator_save(it, &saved, &err), &err);
    const double save = bench_seconds() - begin;
    stk_iterator_free(it);
    it = start(&j);
    begin = bench_seconds();
    stop_on(stk_iterator_restore(it, stk_blob_bytes(&saved), &err), &err);
    printf("%s, %lld elements, buffer %lld: %zu bytes, saved in %.1f us, restored in %.3f s\n",
           name, (long long)count, (long long)buffer, saved.size, 1e6 * save,
           bench_seconds() - begin);
    stk_iterator_free(it);
    stk_dataset_unref(j.data);
    stk_blob_release(&saved);
}

int main(int argc, char **argv)
{
    static const int64_t buffers[] = {1, 1000, 10000, 100000, 1000000};
    stk_error            err;
    job                  plain = {.memory_bytes = 4ull << 30};
    stop_on(stk_dataset_range(&plain.data, 0, ELEMENTS, 1, &err), &err);
    measure(&plain, "range");
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        char name[64];
        job  j = {.data = stk_dataset_ref(plain.data), .memory_bytes = plain.memory_bytes};
        stop_on(stk_dataset_shuffle(&j.data, buffers[i], NULL, &err), &err);
        snprintf(name, sizeof name, "range, shuffle(%lld)", (long long)buffers[i]);
        measure(&j, name);
        stk_dataset_unref(j.data);
    }
    job global = {.data = stk_dataset_ref(plain.data), .memory_bytes = plain.memory_bytes};
    stop_on(stk_dataset_global_shuffle(&global.data, NULL, &err), &err);
    measure(&global, "range, global_shuffle");
    stk_dataset_unref(global.data);
    job memory = {.data = stk_dataset_ref(plain.data), .memory_bytes = plain.memory_bytes};
    stop_on(stk_dataset_cache(&memory.data, NULL, &err), &err);
    measure(&memory, "range, cache in memory, read");
    stk_dataset_unref(memory.data);
    if (argc > 1) {
        job disk = {.data = stk_dataset_ref(plain.data), .memory_bytes = plain.memory_bytes};
        const stk_cache_options options = {.directory = argv[1]};
        stop_on(stk_dataset_cache(&disk.data, &options, &err), &err);
        measure(&disk, "range, cache on disk, read");
        stk_dataset_unref(disk.data);
    }
    stk_dataset_unref(plain.data);
    checkpoint(10000000, 10000);
    checkpoint(10000000, 10000000);
    return 0;
}
