/* Writes a trace in the JSON object format of chrome://tracing and Perfetto. */
#include "trace/recording.h"

#include <stdlib.h>
#include <stoker/json.h>
#include <unistd.h>

typedef struct dump {
    const stk_trace *trace;
    stk_json_writer  w;
    stk_clock_pair   now;
    int              pid;
    stk_blob         events; /* of one thread at a time */
    uint64_t         dropped;
} dump;

/* Viewers nest a span into the one before it, so of two that begin together the longer is first. */
static int compare(const void *left, const void *right)
{
    const stk_event *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->ticks < b->ticks) - (a->ticks > b->ticks);
}

/* Nanoseconds since the trace began; a span may have begun before. */
static uint64_t since_begin(const dump *d, uint64_t ticks)
{
    const uint64_t ns = stk_clock_ticks_to_ns(ticks, d->trace->begin, d->now);
    return ns > d->trace->begin.ns ? ns - d->trace->begin.ns : 0;
}

/* The format wants microseconds; a thousandth of one is a nanosecond. */
static void write_us(dump *d, const char *key, uint64_t ns)
{
    stk_json_pair_double(&d->w, key, (double)ns / 1000);
}

static void begin_event(dump *d, const char *phase, const char *name, uint32_t tid)
{
    stk_json_object(&d->w);
    stk_json_pair_string(&d->w, "ph", phase);
    stk_json_pair_string(&d->w, "name", name ? name : "");
    stk_json_pair_int(&d->w, "pid", d->pid);
    stk_json_pair_uint(&d->w, "tid", tid);
}

/* Arguments are the last part of an event: ending them ends it. */
static void begin_arguments(dump *d)
{
    stk_json_key(&d->w, "args");
    stk_json_object(&d->w);
}

static void end_arguments(dump *d)
{
    stk_json_object_end(&d->w);
    stk_json_object_end(&d->w);
}

static void write_name(dump *d, const char *what, uint32_t tid, const char *name)
{
    begin_event(d, "M", what, tid);
    begin_arguments(d);
    stk_json_pair_string(&d->w, "name", name);
    end_arguments(d);
}

static void write_counter(dump *d, const stk_event *event, uint32_t tid)
{
    double value;
    memcpy(&value, &event->value, sizeof value);
    begin_event(d, "C", event->name, tid);
    stk_json_pair_string(&d->w, "cat", stk_stage_name(event->stage));
    write_us(d, "ts", since_begin(d, event->begin));
    begin_arguments(d);
    stk_json_pair_double(&d->w, "value", value);
    end_arguments(d);
}

static void write_span(dump *d, const stk_event *event, uint32_t tid)
{
    /* Both ends are translated, so that a span inside another stays inside when rounded. */
    const uint64_t begin = since_begin(d, event->begin);
    const uint64_t end = since_begin(d, event->begin + event->ticks);
    begin_event(d, "X", event->name, tid);
    stk_json_pair_string(&d->w, "cat", stk_stage_name(event->stage));
    write_us(d, "ts", begin);
    write_us(d, "dur", end > begin ? end - begin : 0);
    begin_arguments(d);
    if (event->value) stk_json_pair_uint(&d->w, "value", event->value);
    end_arguments(d);
}

static stk_status write_thread(dump *d, const stk_trace_thread *thread, stk_error *err)
{
    const uint32_t tid = thread->number + 1;
    write_name(d, "thread_name", tid, thread->name);
    begin_event(d, "M", "thread_sort_index", tid);
    begin_arguments(d);
    stk_json_pair_uint(&d->w, "sort_index", thread->number);
    end_arguments(d);
    d->events.size = 0;
    STK_TRY(stk_trace_snapshot(thread, &d->events, &d->dropped, err));
    stk_event   *events = (stk_event *)(void *)d->events.data;
    const size_t count = d->events.size / sizeof *events;
    if (count > 1) qsort(events, count, sizeof *events, compare);
    for (size_t i = 0; i < count; i++)
        (events[i].is_counter ? write_counter : write_span)(d, &events[i], tid);
    return STK_OK;
}

static stk_status write_trace(dump *d, stk_error *err)
{
    stk_json_object(&d->w);
    stk_json_pair_string(&d->w, "displayTimeUnit", "ms");
    stk_json_key(&d->w, "traceEvents");
    stk_json_array(&d->w);
    write_name(d, "process_name", 0, d->trace->process_name);
    uint32_t                threads = 0;
    const stk_trace_thread *thread = stk_trace_newest(d->trace);
    for (; thread; thread = thread->older, threads++)
        STK_TRY(write_thread(d, thread, err));
    stk_json_array_end(&d->w);
    stk_json_key(&d->w, "otherData");
    stk_json_object(&d->w);
    stk_json_pair_uint(&d->w, "threads", threads);
    stk_json_pair_uint(&d->w, "dropped", d->dropped);
    stk_json_object_end(&d->w);
    stk_json_object_end(&d->w);
    return stk_json_end(&d->w, err);
}

stk_status stk_trace_dump(const stk_trace *trace, stk_blob *out, stk_error *err)
{
    const size_t before = out->size;
    if (!trace) return stk_fail(err, STK_E_INVALID, "trace", NULL, "there is no trace to write");
    dump d = {.trace = trace, .now = stk_clock_read_pair(), .pid = (int)getpid()};
    stk_blob_init(&d.events, out->ledger, out->memory);
    stk_json_begin(&d.w, out, 0);
    const stk_status st = write_trace(&d, err);
    stk_blob_release(&d.events);
    if (st) out->size = before;
    return st;
}
