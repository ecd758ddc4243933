/* Writes a trace in the JSON object format of chrome://tracing and Perfetto, with what Holistic
 * Trace Analysis asks for: docs/tracing.md. */
#include "trace/chrome_event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENT_BYTES_MOST = 1200 };
static const uint64_t usual_bytes = 300000000;

/* Rank and size stand after a space: Holistic Trace Analysis looks for them so. */
static void write_head(stk_chrome *c, const stk_trace_lines *lines)
{
    stk_chrome_text(c, "{\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, \"name\": ");
    stk_json_begin(&c->w, &c->text, 0);
    stk_json_string(&c->w, stk_trace_lines_device(lines));
    if (!c->status) c->status = stk_json_end(&c->w, &c->error);
    stk_chrome_text(c,
                    "}],\n\"distributedInfo\": {\"backend\": \"none\", \"rank\": 0, "
                    "\"world_size\": 1},\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": "
                    "%" PRIu64 ",\n\"traceEvents\": [",
                    c->trace->begin_unix_ns);
}

static stk_status put_label(void *context, const stk_trace_label *label, stk_error *err)
{
    stk_chrome *c = context;
    stk_chrome_label(c, label);
    if (c->status && err) *err = c->error;
    return c->status;
}

static stk_status put_line(void *context, const stk_trace_line *line, stk_error *err)
{
    stk_chrome *c = context;
    stk_chrome_line(c, line);
    if (c->status && err) *err = c->error;
    return c->status;
}

static const double *next_sample(const double *at, const stk_trace_series *series, size_t index)
{
    return (const double *)(const void *)((const char *)at + index * series->stride);
}

static void write_series(stk_chrome *c, const stk_trace_series *series)
{
    for (size_t i = 0; i < series->count && !c->status; i++) {
        const double         seconds = *next_sample(series->seconds, series, i);
        const double         value = *next_sample(series->values, series, i);
        const stk_trace_line line = {.kind = STK_TRACE_LINE_COUNTER,
                                     .name = series->name,
                                     .category = "resources",
                                     .pid = (int)getpid(),
                                     .begin_ns = (uint64_t)(seconds > 0 ? seconds * 1e9 : 0),
                                     .value = value};
        if (seconds >= 0 && value >= 0) stk_chrome_line(c, &line);
    }
}

/* What recording takes here and now, in a small ring of its own. */
static double event_ns(void)
{
    enum { SLOTS = 64, EVENTS = 256 };
    union {
        stk_trace_thread thread;
        char             capacity[sizeof(stk_trace_thread) + SLOTS * sizeof(stk_event_slot)];
    } ring;
    uint64_t begin = 0;
    ring.thread = (stk_trace_thread){.mask = SLOTS - 1};
    for (int i = -SLOTS; i < EVENTS; i++) { /* the first ones only warm up */
        if (i == 0) begin = stk_clock_ns();
        stk_span_end(&ring.thread, STK_STAGE_NONE, "", stk_span_begin(&ring.thread), 0);
    }
    return (double)(stk_clock_ns() - begin) / EVENTS;
}

static void write_peaks(stk_chrome *c, const stk_machine_peaks *peaks)
{
    stk_json_key(&c->w, "roofs");
    stk_json_object(&c->w);
    stk_json_pair_double(&c->w, "flops_per_s", peaks->flops);
    stk_json_pair_double(&c->w, "bytes_per_s", peaks->memory_bytes);
    if (peaks->launch_ns > 0) stk_json_pair_double(&c->w, "launch_ns", peaks->launch_ns);
    stk_json_object_end(&c->w);
}

static void write_tail(stk_chrome *c)
{
    stk_trace_stats stats;
    char            host[64] = "";
    const double    each = event_ns();
    (void)gethostname(host, sizeof host - 1);
    stk_trace_read_stats(c->trace, &stats);
    stk_chrome_text(c, "\n],\n\"otherData\": ");
    stk_json_begin(&c->w, &c->text, 0);
    stk_json_object(&c->w);
    stk_json_pair_string(&c->w, "tool", "stoker");
    stk_json_pair_int(&c->w, "level", __atomic_load_n(&c->trace->highest, __ATOMIC_RELAXED));
    stk_json_pair_uint(&c->w, "threads", stats.threads);
    stk_json_pair_uint(&c->w, "recorded", stats.events + stats.dropped);
    stk_json_pair_uint(&c->w, "dropped", c->written.dropped);
    stk_json_pair_uint(&c->w, "left_out", c->written.left_out);
    stk_json_pair_double(&c->w, "event_ns", each);
    stk_json_pair_double(&c->w, "overhead_ns", each * (double)(stats.events + stats.dropped));
    stk_json_key(&c->w, "clock");
    stk_json_object(&c->w);
    stk_json_pair_string(&c->w, "host", host);
    stk_json_pair_int(&c->w, "offset_ns", 0);
    stk_json_object_end(&c->w);
    if (c->format->peaks) write_peaks(c, c->format->peaks);
    stk_json_object_end(&c->w);
    if (!c->status) c->status = stk_json_end(&c->w, &c->error);
    stk_chrome_text(c, "}\n");
    stk_chrome_flush(c, true);
}

static stk_status write_all(stk_chrome *c, uint64_t since, stk_error *err)
{
    const stk_trace_line_visitor visitor = {c, put_label, put_line};
    const stk_trace_lines        lines = {.trace = c->trace,
                                          .ledger = c->text.ledger,
                                          .device = c->format->device,
                                          .cuda_names = c->format->cuda_names,
                                          .since = since};
    stk_trace_lines_counts       counts = {0};
    write_head(c, &lines);
    const stk_status st = stk_trace_lines_read(&lines, &visitor, &counts, err);
    if (st && !c->status) return st;
    c->written.dropped += counts.dropped;
    if (since > c->format->since) c->written.left_out = counts.earlier;
    for (size_t i = 0; i < c->format->series_count; i++)
        write_series(c, &c->format->series[i]);
    write_tail(c);
    if (c->status && err) *err = c->error;
    return c->status;
}

static stk_status put_nowhere(void *context, stk_bytes text, stk_error *err)
{
    (void)context, (void)text, (void)err;
    return STK_OK;
}

static int by_time(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The time after which share of the events ended. */
static stk_status find_cut(const stk_chrome *c, double share, uint64_t *since, stk_error *err)
{
    stk_blob   ends;
    stk_row    row;
    stk_status st = STK_OK;
    uint64_t   unused = 0;
    stk_blob_init(&ends, c->text.ledger, STK_MEMORY_OUTPUT);
    stk_row_init(&row, c->text.ledger);
    for (const stk_trace_thread *t = stk_trace_newest(c->trace); t && !st; t = t->older) {
        st = stk_row_read(&row, t, *since, &unused, &unused, err);
        for (size_t i = 0; i < row.count && !st; i++) {
            const uint64_t end = row.events[i].event.begin + row.events[i].event.ticks;
            st = stk_blob_append(&ends, &end, sizeof end, err);
        }
    }
    uint64_t    *list = (uint64_t *)(void *)ends.data;
    const size_t count = ends.size / sizeof *list;
    if (!st && count) {
        qsort(list, count, sizeof *list, by_time);
        *since = list[(size_t)((1 - share) * (double)(count - 1))] + 1;
    }
    stk_row_release(&row);
    stk_blob_release(&ends);
    return st;
}

/* Which events to begin with so that the text fits. What it takes is known by writing it nowhere:
 * that is done only where it may be too much. */
static stk_status fit(const stk_chrome *c, uint64_t *since, stk_error *err)
{
    enum { TRIES = 4 };
    const uint64_t  most = c->format->most_bytes ? c->format->most_bytes : usual_bytes;
    stk_trace_stats stats;
    stk_trace_read_stats(c->trace, &stats);
    for (int i = 0; i < TRIES && stats.events > most / EVENT_BYTES_MOST; i++) {
        stk_chrome trial = *c;
        stk_blob_init(&trial.text, c->text.ledger, c->text.memory);
        trial.put = put_nowhere;
        const stk_status st = write_all(&trial, *since, err);
        stk_blob_release(&trial.text);
        if (st) return st;
        if (trial.written.bytes <= most) return STK_OK;
        STK_TRY(find_cut(c, 0.95 * (double)most / (double)trial.written.bytes, since, err));
    }
    return STK_OK;
}

stk_status stk_trace_stream(const stk_trace *trace, const stk_trace_format *format,
                            stk_trace_put put, void *context, stk_trace_written *written,
                            stk_error *err)
{
    static const stk_trace_format usual = {0};
    if (written) *written = (stk_trace_written){0};
    if (!trace) return stk_fail(err, STK_E_INVALID, "trace", NULL, "there is no trace to write");
    stk_chrome c = {
        .trace = trace, .format = format ? format : &usual, .put = put, .context = context};
    uint64_t since = c.format->since;
    stk_blob_init(&c.text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = fit(&c, &since, err);
    if (!st) st = write_all(&c, since, err);
    stk_blob_release(&c.text);
    if (written) *written = c.written;
    return st;
}

static stk_status put_into_blob(void *context, stk_bytes text, stk_error *err)
{
    return stk_blob_append(context, text.data, text.size, err);
}

stk_status stk_trace_dump(const stk_trace *trace, stk_blob *out, stk_error *err)
{
    const size_t     before = out->size;
    const stk_status st = stk_trace_stream(trace, NULL, put_into_blob, out, NULL, err);
    if (st) out->size = before;
    return st;
}
