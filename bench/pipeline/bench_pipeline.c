/* The pipeline: bench_pipeline WHAT ARGUMENTS, one line per measurement. compare_pipeline.py runs
 * it beside its peers.
 *
 *     records FILES            one epoch of records, parse, shuffle(10000), batch(256), prefetch
 *     packed FILES             the same without the shuffle
 *     source PATH              one epoch over a folder of files, batch(256), prefetch
 *     maps N                   N trivial maps on scalars, fused and not
 *     checkpoint               of a shuffle over ten million records
 *     slow                     a file system with 20 ms a read and room for 32 reads at a time
 *     tuned [FILE]             a pipeline that says nothing of threads or prefetching, autotuned,
 *                              against the best of a grid of hand-tuned ones; values kept in FILE
 */
#include "../bench.h"

#include "synthetic_files.h"

#include <stoker/stoker.h>
#include <string.h>

static void stop(const stk_error *err)
{
    char line[1024];
    fprintf(stderr, "%s\n", stk_error_line(err, line, sizeof line));
    exit(1);
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        stk_error err;                                                                             \
        if (call) stop(&err);                                                                      \
    } while (0)

static stk_dataset *records(const char *path, int64_t shuffled)
{
    const stk_feature_spec specs[] = {
        {.name = "image", .kind = STK_FEATURE_DENSE, .dtype = STK_DTYPE_BYTES},
        {.name = "label", .kind = STK_FEATURE_DENSE, .dtype = STK_DTYPE_I64},
    };
    stk_function *parse;
    stk_dataset  *data;
    CHECK(stk_function_parse_example(&parse, 0, specs, 2, &err));
    CHECK(stk_dataset_tfrecord(&data, NULL, path, NULL, &err));
    CHECK(stk_dataset_map(&data, parse, NULL, &err));
    if (shuffled) CHECK(stk_dataset_shuffle(&data, shuffled, NULL, &err));
    CHECK(stk_dataset_batch(&data, 256, NULL, &err));
    CHECK(stk_dataset_prefetch(&data, STK_AUTO, &err));
    stk_function_unref(parse);
    return data;
}

typedef struct epoch {
    double   seconds, first;
    uint64_t elements;
    uint64_t peak_bytes, ceiling_bytes;
} epoch;

/* One epoch: time, and elements by the leading dimension of the last value. */
static epoch run_epoch(stk_dataset *data, uint64_t most)
{
    epoch         e = {0};
    stk_iterator *it;
    const double  begin = bench_seconds();
    CHECK(stk_iterator_start(&it, data, NULL, &err));
    while (e.elements < most) {
        stk_element *element;
        CHECK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        if (!e.elements) e.first = bench_seconds() - begin;
        const stk_value *last = stk_element_value(element, stk_element_count(element) - 1);
        e.elements += last->shape.rank ? (uint64_t)last->shape.dim[0] : 1;
        stk_element_unref(element);
    }
    e.seconds = bench_seconds() - begin;
    stk_ledger_report memory;
    stk_ledger_read(stk_iterator_ledger(it), &memory);
    e.peak_bytes = memory.peak_bytes;
    e.ceiling_bytes = memory.ceiling_bytes;
    stk_iterator_free(it);
    return e;
}

static int by_size(const void *a, const void *b)
{
    return bench_compare(a, b);
}

/* From /proc, not getrusage: that counts the parent's memory from before exec. */
static double resident_peak(void)
{
    char   line[256];
    double kilobytes = 0;
    FILE  *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
    if (status) fclose(status);
    return kilobytes * 1024;
}

/* Median of rounds after one to warm up. */
static void report(const char *name, stk_dataset *data, int rounds)
{
    double   rates[64], firsts[64];
    epoch    e = run_epoch(data, UINT64_MAX);
    uint64_t peak_bytes = e.peak_bytes; /* of all epochs, as the resident size is */
    for (int i = 0; i < rounds; i++) {
        e = run_epoch(data, UINT64_MAX);
        if (e.peak_bytes > peak_bytes) peak_bytes = e.peak_bytes;
        rates[i] = (double)e.elements / e.seconds;
        firsts[i] = e.first * 1e3;
    }
    qsort(rates, (size_t)rounds, sizeof *rates, by_size);
    qsort(firsts, (size_t)rounds, sizeof *firsts, by_size);
    printf("%s: %.4g elements/s (worst %.4g, best %.4g), first %.3g ms, %llu elements, ledger peak "
           "%.1f MB of %.0f MB, resident %.1f MB\n",
           name, rates[rounds / 2], rates[0], rates[rounds - 1], firsts[rounds / 2],
           (unsigned long long)e.elements, (double)peak_bytes / 1e6, (double)e.ceiling_bytes / 1e6,
           resident_peak() / 1e6);
}

static stk_dataset *source(const char *path)
{
    stk_dataset *data;
    CHECK(stk_dataset_source(&data, NULL, path, NULL, NULL, &err));
    CHECK(stk_dataset_batch(&data, 256, NULL, &err));
    CHECK(stk_dataset_prefetch(&data, STK_AUTO, &err));
    return data;
}

static stk_status add_one(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    (void)call;
    STK_TRY(stk_element_make_unique(element, err));
    stk_element_edit(*element, 0)->small.i64++;
    return STK_OK;
}

static void maps(int count)
{
    const int64_t elements = 1000000;
    for (int fused = 0; fused < 2; fused++) {
        stk_function *add;
        stk_dataset  *data;
        CHECK(stk_function_new(&add, &(stk_function_info){.name = "add", .map = add_one}, &err));
        CHECK(stk_dataset_range(&data, 0, elements, 1, &err));
        for (int i = 0; i < count; i++)
            CHECK(stk_dataset_map(&data, add, NULL, &err));
        double ns[9];
        for (int round = 0; round < 9; round++) {
            const stk_iterator_options options = {.passes_off = fused ? 0 : STK_PASS_MAP_FUSION};
            stk_iterator              *it;
            CHECK(stk_iterator_start(&it, data, &options, &err));
            const double begin = bench_seconds();
            for (int64_t i = 0; i < elements; i++) {
                stk_element *element;
                CHECK(stk_iterator_next(it, &element, &err));
                stk_element_unref(element);
            }
            ns[round] = (bench_seconds() - begin) / (double)elements * 1e9;
            stk_iterator_free(it);
        }
        qsort(ns, 9, sizeof *ns, by_size);
        printf("%d maps %s: %.4g ns/element (best %.4g, worst %.4g), %.3g ns a map\n", count,
               fused ? "fused" : "apart", ns[4], ns[0], ns[8], ns[4] / count);
        stk_dataset_unref(data);
        stk_function_unref(add);
    }
}

static void checkpoint(void)
{
    static const int64_t buffers[] = {10000, 1000000};
    for (int b = 0; b < 2; b++) {
        stk_dataset  *data;
        stk_iterator *it, *other;
        stk_blob      saved;
        CHECK(stk_dataset_range(&data, 0, 10000000, 1, &err));
        CHECK(stk_dataset_shuffle(&data, buffers[b], NULL, &err));
        CHECK(stk_dataset_batch(&data, 256, NULL, &err));
        CHECK(stk_iterator_start(&it, data, NULL, &err));
        for (int i = 0; i < 20000; i++) {
            stk_element *element;
            CHECK(stk_iterator_next(it, &element, &err));
            stk_element_unref(element);
        }
        stk_blob_init(&saved, NULL, STK_MEMORY_OUTPUT);
        double begin = bench_seconds();
        CHECK(stk_iterator_save(it, &saved, &err));
        const double save = bench_seconds() - begin;
        CHECK(stk_iterator_start(&other, data, NULL, &err));
        begin = bench_seconds();
        CHECK(stk_iterator_restore(other, stk_blob_bytes(&saved), &err));
        printf("checkpoint of shuffle(%lld) after 5,120,000 of 10,000,000: %zu bytes, saved in "
               "%.3g ms, restored in %.3g ms\n",
               (long long)buffers[b], saved.size, save * 1e3, (bench_seconds() - begin) * 1e3);
        stk_iterator_free(it);
        stk_iterator_free(other);
        stk_blob_release(&saved);
        stk_dataset_unref(data);
    }
}

/* How much of the source's capacity is used once the first seconds are over. */
static void slow(void)
{
    enum { PLACES = 32, LATENCY_US = 20000 };
    synthetic_files files;
    synthetic_files_init(&files, LATENCY_US, PLACES, (uint64_t)8 << 30);
    stk_dataset  *data;
    stk_iterator *it;
    const char   *paths[] = {"synthetic"};
    CHECK(stk_dataset_tfrecord_files(&data, &files.fs, paths, 1, NULL, &err));
    CHECK(stk_dataset_batch(&data, 256, NULL, &err));
    CHECK(stk_iterator_start(&it, data, NULL, &err));
    const double begin = bench_seconds();
    uint64_t     before = 0;
    for (double next = 1; next <= 6;) {
        stk_element *element;
        CHECK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
        if (bench_seconds() - begin < next) continue;
        const uint64_t reads = __atomic_load_n(&files.reads, __ATOMIC_RELAXED);
        printf("slow source, second %.0f: %.1f %% of its %d places busy\n", next,
               100 * (double)(reads - before) * LATENCY_US / 1e6 / PLACES, PLACES);
        before = reads;
        next++;
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* About 15 us of work. */
static stk_status work(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    (void)err;
    volatile uint64_t sum = (uint64_t)stk_element_edit(*element, 0)->small.i64;
    for (int i = 0; i < 15000; i++)
        sum = sum * 6364136223846793005u + 1;
    return STK_OK;
}

static stk_dataset *worked(int64_t parallel, int64_t ahead)
{
    stk_function *function;
    stk_dataset  *data;
    CHECK(stk_function_new(&function, &(stk_function_info){.name = "work", .map = work}, &err));
    CHECK(stk_dataset_range(&data, 0, INT64_MAX, 1, &err));
    CHECK(stk_dataset_map(&data, function, &(stk_map_options){.parallel = parallel}, &err));
    CHECK(stk_dataset_batch(&data, 32, NULL, &err));
    if (ahead >= 0) CHECK(stk_dataset_prefetch(&data, ahead, &err));
    stk_function_unref(function);
    return data;
}

/* Batches a second in the last of seconds. */
static double rate_of(stk_dataset *data, const stk_iterator_options *options, double seconds,
                      double last)
{
    stk_iterator *it;
    CHECK(stk_iterator_start(&it, data, options, &err));
    const double begin = bench_seconds();
    double       from = 0;
    uint64_t     count = 0;
    for (double now = 0; now < seconds; now = bench_seconds() - begin) {
        stk_element *element;
        CHECK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
        if (now < seconds - last) continue;
        if (!from) from = now;
        count++;
    }
    const double rate = (double)count / (bench_seconds() - begin - from);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return rate;
}

static void tuned(const char *tuning_file)
{
    static const int64_t ahead[] = {0, 1, 2, 4, 8, 16, 64};
    double               best = 0;
    int64_t              best_ahead = 0, best_parallel = 0;
    for (int64_t parallel = 1; parallel <= 4; parallel++)
        for (int i = 0; i < 7; i++) {
            const double rate = rate_of(worked(parallel, ahead[i]),
                                        &(stk_iterator_options){.no_autotune = true}, 0.7, 0.5);
            if (rate > best) {
                best = rate;
                best_ahead = ahead[i];
                best_parallel = parallel;
            }
        }
    double       mine[5], theirs[5];
    const double limit = 8;
    for (int round = 0; round < 5; round++) {
        theirs[round] = rate_of(worked(best_parallel, best_ahead),
                                &(stk_iterator_options){.no_autotune = true}, 2.5, 2);
        mine[round] = rate_of(worked(STK_AUTO, -1),
                              &(stk_iterator_options){.tuning_file = tuning_file}, limit, 2);
    }
    qsort(mine, 5, sizeof *mine, by_size);
    qsort(theirs, 5, sizeof *theirs, by_size);
    printf(
        "best of the grid: parallel %lld, prefetch %lld: %.4g batches/s (worst %.4g, best %.4g)\n",
        (long long)best_parallel, (long long)best_ahead, theirs[2], theirs[0], theirs[4]);
    printf(
        "autotuned, seconds %.0f to %.0f: %.4g batches/s (worst %.4g, best %.4g): %.1f %% of it\n",
        limit - 2, limit, mine[2], mine[0], mine[4], 100 * mine[2] / theirs[2]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 3 &&
        (!strcmp(what, "records") || !strcmp(what, "packed") || !strcmp(what, "source"))) {
        stk_dataset *data =
            *what == 's' ? source(argv[2]) : records(argv[2], *what == 'r' ? 10000 : 0);
        report(what, data, 9);
        stk_dataset_unref(data);
    } else if (argc == 3 && !strcmp(what, "maps")) {
        maps(atoi(argv[2]));
    } else if (argc == 2 && !strcmp(what, "checkpoint")) {
        checkpoint();
    } else if (argc == 2 && !strcmp(what, "slow")) {
        slow();
    } else if (argc >= 2 && !strcmp(what, "tuned")) {
        tuned(argc > 2 ? argv[2] : NULL);
    } else {
        fprintf(stderr, "usage: bench_pipeline records FILES | packed FILES | source PATH | maps N "
                        "| checkpoint | "
                        "slow | tuned [FILE]\n");
        return 2;
    }
    return 0;
}
