/* Sources of records in the page cache: what a pipeline costs on top of its reader.
 *   bench_records [FOLDER]    writes 8 files of 1 KB and of 100 KB records and one of lines */
#include "bench.h"

#include <stoker/stoker.h>
#include <string.h>

enum { ROUNDS = 9, FILES = 8, SET_BYTES = 100000000 };

typedef struct set {
    char        paths[FILES][512];
    const char *list[FILES];
    size_t      files;
    uint64_t    record_bytes;
    int64_t     prefetch; /* -2: none */
    bool        lines;
    uint64_t    records;                  /* of one run */
    double      own_seconds, all_seconds; /* of processors, in the best run: this thread, all */
} set;

static double cpu_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct spent {
    double own, all;
} spent;

static spent read_clocks(void)
{
    return (spent){cpu_seconds(CLOCK_THREAD_CPUTIME_ID), cpu_seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static void note_cpu(set *s, spent begin)
{
    const spent end = read_clocks();
    if (!s->own_seconds || end.own - begin.own < s->own_seconds)
        s->own_seconds = end.own - begin.own;
    if (!s->all_seconds || end.all - begin.all < s->all_seconds)
        s->all_seconds = end.all - begin.all;
}

static void stop_on(stk_status st, const stk_error *err)
{
    char text[1024];
    if (!st) return;
    fprintf(stderr, "bench_records: %s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static void write_set(set *s, const char *folder)
{
    stk_error err;
    uint8_t  *bytes = malloc(s->record_bytes);
    if (!bytes) exit(1);
    for (uint64_t i = 0; i < s->record_bytes; i++)
        bytes[i] = (uint8_t)('a' + i % 26);
    bytes[s->record_bytes - 1] = '\n';
    for (size_t f = 0; f < FILES; f++) {
        snprintf(s->paths[f], sizeof s->paths[f], "%s/bench-%zu-%zu.tfrecord", folder,
                 (size_t)s->record_bytes, f);
        s->list[f] = s->paths[f];
        stk_tfrecord_writer *writer;
        stop_on(stk_tfrecord_writer_open(&writer, NULL, s->paths[f], NULL, &err), &err);
        for (uint64_t i = 0; i < SET_BYTES / FILES / s->record_bytes; i++)
            stop_on(stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, s->record_bytes), &err),
                    &err);
        stop_on(stk_tfrecord_writer_commit(writer, &err), &err);
        stk_tfrecord_writer_free(writer);
    }
    s->files = FILES;
    free(bytes);
}

/* The reader alone. */
static void read_raw(void *context)
{
    set        *s = context;
    stk_error   err;
    const spent begin = read_clocks();
    s->records = 0;
    for (size_t f = 0; f < s->files; f++) {
        stk_tfrecord_reader *reader;
        stk_record           record;
        stop_on(stk_tfrecord_reader_open(&reader, NULL, s->list[f], NULL, &err), &err);
        for (;;) {
            stop_on(stk_tfrecord_reader_next(reader, &record, &err), &err);
            if (!record.bytes.data) break;
            s->records++;
        }
        stk_tfrecord_reader_free(reader);
    }
    note_cpu(s, begin);
}

static void read_pipeline(void *context)
{
    set                       *s = context;
    stk_error                  err;
    stk_dataset               *data;
    stk_iterator              *it;
    const stk_iterator_options options = {.passes_off = STK_PASS_ALL};
    const spent                begin = read_clocks();
    s->records = 0;
    if (s->lines)
        stop_on(stk_dataset_text(&data, NULL, s->list, s->files, NULL, &err), &err);
    else
        stop_on(stk_dataset_tfrecord_files(&data, NULL, s->list, s->files, NULL, &err), &err);
    if (s->prefetch >= -1) stop_on(stk_dataset_prefetch(&data, s->prefetch, &err), &err);
    stop_on(stk_iterator_start(&it, data, &options, &err), &err);
    for (;;) {
        stk_element *element;
        stop_on(stk_iterator_next(it, &element, &err), &err);
        if (!element) break;
        s->records++;
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    note_cpu(s, begin);
}

/* Prints the rate, and the processors' time, which a busy machine blurs less; gives that of this
 * thread in nanoseconds a record. Reads happen on the engine's threads. */
static double show(const char *name, void (*run)(void *), set *s)
{
    s->own_seconds = s->all_seconds = 0;
    const bench_result r = bench_run(run, s, ROUNDS);
    const double       own = 1e9 * s->own_seconds / (double)s->records;
    bench_print(name, r, 1e-6 * (double)s->records, "M records/s");
    printf("%44s %12.1f ns a record on this thread, %.1f on all\n", "", own,
           1e9 * s->all_seconds / (double)s->records);
    return own;
}

static void compare(uint64_t record_bytes, const char *folder)
{
    set s = {.record_bytes = record_bytes, .prefetch = -2};
    write_set(&s, folder);
    printf("records of %llu bytes, %d files\n", (unsigned long long)record_bytes, FILES);
    const double raw = show("reader alone", read_raw, &s);
    const double ours = show("tfrecord", read_pipeline, &s);
    printf("%-44s %12.1f ns a record\n", "  on top of the reader", ours - raw);
    s.prefetch = -1;
    show("tfrecord, prefetch on the engine", read_pipeline, &s);
    for (size_t f = 0; f < FILES; f++)
        remove(s.paths[f]);
}

static void read_lines(const char *folder)
{
    set   s = {.lines = true, .prefetch = -2, .files = 1};
    FILE *file;
    snprintf(s.paths[0], sizeof s.paths[0], "%s/bench-lines.txt", folder);
    s.list[0] = s.paths[0];
    if (!(file = fopen(s.paths[0], "w"))) exit(1);
    for (int i = 0; i < 1000000; i++)
        fprintf(file, "line %d of a text with lines of some sixty characters, or so\n", i);
    fclose(file);
    printf("lines of 65 bytes, 1 file\n");
    show("text", read_pipeline, &s);
    remove(s.paths[0]);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "/tmp";
    compare(1000, folder);
    compare(100000, folder);
    read_lines(folder);
    return 0;
}
