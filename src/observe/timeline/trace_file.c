/* Writes a trace to a file, plain or gzip, in pieces. */
#include <stdlib.h>
#include <stoker/trace_file.h>
#include <string.h>
#include <zlib.h>

/* The second-lowest level: a trace shrinks to a tenth anyway, and the run continues meanwhile. */
enum { PIECE = 1 << 16, LEVEL = 2, GZIP_WINDOW = 15 + 16 };

typedef struct target {
    stk_output *out;
    const char *path;
    bool        packs;
    z_stream    z;
    uint8_t     piece[PIECE];
} target;

static stk_status begin_packing(target *t, stk_error *err)
{
    if (deflateInit2(&t->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return stk_fail(err, STK_E_NOMEM, "trace", t->path, "no memory to compress with");
    t->packs = true;
    return STK_OK;
}

static stk_status pack(target *t, stk_bytes text, int flush, stk_error *err)
{
    t->z.next_in = (Bytef *)(uintptr_t)text.data; /* zlib does not write there */
    t->z.avail_in = (uInt)text.size;              /* pieces are small */
    do {
        t->z.next_out = t->piece;
        t->z.avail_out = PIECE;
        (void)deflate(&t->z, flush); /* fails only for an invalid stream */
        STK_TRY(stk_output_write(t->out, t->piece, PIECE - t->z.avail_out, err));
    } while (t->z.avail_out == 0);
    return STK_OK;
}

static stk_status put(void *context, stk_bytes text, stk_error *err)
{
    target *t = context;
    return t->packs ? pack(t, text, Z_NO_FLUSH, err)
                    : stk_output_write(t->out, text.data, text.size, err);
}

/* Counters of a sample and their names. */
static const struct {
    const char *name;
    size_t      offset;
} columns[] = {
    {"cpu", offsetof(stk_resource_sample, cpu)},
    {"iowait", offsetof(stk_resource_sample, iowait)},
    {"own cores", offsetof(stk_resource_sample, own_cores)},
    {"own memory (bytes)", offsetof(stk_resource_sample, own_memory)},
    {"page cache (bytes)", offsetof(stk_resource_sample, page_cache)},
    {"disk read (bytes/s)", offsetof(stk_resource_sample, disk_read)},
    {"disk write (bytes/s)", offsetof(stk_resource_sample, disk_write)},
    {"disk busy", offsetof(stk_resource_sample, disk_busy)},
    {"net in (bytes/s)", offsetof(stk_resource_sample, net_in)},
    {"net out (bytes/s)", offsetof(stk_resource_sample, net_out)},
    {"context switches/s", offsetof(stk_resource_sample, switches)},
    {"gpu utilisation", offsetof(stk_resource_sample, gpus[0].utilisation)},
    {"gpu memory (bytes)", offsetof(stk_resource_sample, gpus[0].memory_used)},
    {"gpu power (W)", offsetof(stk_resource_sample, gpus[0].watts)},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has_column(const stk_trace_file_options *o, size_t column)
{
    return columns[column].offset < offsetof(stk_resource_sample, gpus) ||
           o->resources[0].gpu_count > 0;
}

/* Samples have the monitor's clock and series the trace's, so samples are copied and shifted. */
static stk_status add_series(stk_trace_format *format, const stk_trace_file_options *o,
                             stk_resource_sample **samples, stk_trace_series *series,
                             stk_error *err)
{
    const size_t count = o->resource_count;
    *samples = malloc(count * sizeof **samples);
    if (!*samples)
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu samples", count);
    memcpy(*samples, o->resources, count * sizeof **samples);
    for (size_t i = 0; i < count; i++)
        (*samples)[i].seconds += o->resource_begin_s;
    for (size_t i = 0; i < format->series_count; i++)
        series[i] = format->series[i];
    for (size_t i = 0; i < COLUMNS; i++)
        if (has_column(o, i))
            series[format->series_count++] = (stk_trace_series){
                .name = columns[i].name,
                .seconds = &(*samples)[0].seconds,
                .values = (const double *)(const void *)((char *)*samples + columns[i].offset),
                .count = count,
                .stride = sizeof **samples};
    format->series = series;
    return STK_OK;
}

static stk_status stream(const stk_trace *trace, target *t, const stk_trace_file_options *o,
                         stk_trace_written *written, stk_error *err)
{
    stk_trace_format     format = o->format;
    stk_resource_sample *samples = NULL;
    stk_trace_series    *series = calloc(format.series_count + COLUMNS, sizeof *series);
    stk_status           st = STK_OK;
    if (!series) return stk_fail(err, STK_E_NOMEM, "trace", t->path, "no memory for its counters");
    if (o->resource_count) st = add_series(&format, o, &samples, series, err);
    if (!st) st = stk_trace_stream(trace, &format, put, t, written, err);
    free(samples);
    free(series);
    return st;
}

static stk_status write_to(target *t, const stk_trace *trace, const stk_filesystem *fs,
                           const stk_trace_file_options *options, stk_trace_written *written,
                           stk_error *err)
{
    static const stk_trace_file_options usual = {0};
    const size_t                        length = strlen(t->path);
    STK_TRY(stk_output_create(&t->out, fs, t->path, err));
    if (length > 3 && strcmp(t->path + length - 3, ".gz") == 0) STK_TRY(begin_packing(t, err));
    STK_TRY(stream(trace, t, options ? options : &usual, written, err));
    if (t->packs) STK_TRY(pack(t, stk_bytes_of((const uint8_t *)"", 0), Z_FINISH, err));
    return stk_output_commit(t->out, err);
}

stk_status stk_trace_write(const stk_trace *trace, const stk_filesystem *fs, const char *path,
                           const stk_trace_file_options *options, stk_trace_written *written,
                           stk_error *err)
{
    target *t = calloc(1, sizeof *t);
    if (!t) return stk_fail(err, STK_E_NOMEM, "trace", path, "no memory to write a trace");
    t->path = path;
    const stk_status st = write_to(t, trace, fs, options, written, err);
    if (t->packs) deflateEnd(&t->z);
    stk_output_close(t->out);
    free(t);
    return st;
}
