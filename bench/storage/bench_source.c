/* Listing and reading a source: bench_source PATH [KIND]. */
#include "bench.h"

#include <stoker/source.h>

typedef struct job {
    const char        *path;
    stk_source_options options;
    stk_source        *source;
    uint64_t           bytes;
} job;

static void stop(const stk_error *err)
{
    char text[1024];
    fprintf(stderr, "%s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static void list(void *context)
{
    job      *j = context;
    stk_error err;
    stk_source_free(j->source);
    if (stk_source_open(&j->source, NULL, j->path, &j->options, &err)) stop(&err);
}

static void read_all(void *context)
{
    job               *j = context;
    stk_error          err;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_source_item    item;
    j->bytes = 0;
    if (stk_source_cursor_new(&cursor, j->source, &err)) stop(&err);
    for (uint64_t i = 0; i < stk_source_count(j->source); i++) {
        if (stk_source_read(cursor, i, &sample, &err)) stop(&err);
        stk_source_item_at(j->source, i, &item);
        j->bytes += item.bytes;
    }
    stk_source_cursor_free(cursor);
}

int main(int argc, char **argv)
{
    job j = {.path = argc > 1 ? argv[1] : ".", .options.kind = argc > 2 ? argv[2] : NULL};
    const bench_result listing = bench_run(list, &j, 9);
    const double       count = (double)stk_source_count(j.source);
    printf("%s: %s, %.0f items\n", j.path, stk_source_kind_name(j.source), count);
    printf("one listing takes %.4f s\n", listing.median);
    bench_print("list", listing, count, "items/s");
    const bench_result reading = bench_run(read_all, &j, 5);
    bench_print("read, one thread", reading, count, "items/s");
    bench_print("read, one thread", reading, (double)j.bytes / 1e6, "MB/s");
    stk_source_free(j.source);
    return 0;
}
