/* Lines of a trace. One walk serves the Chrome file and the timeline, so that both say the same. */
#include "trace/lines.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE_PID = 0, FIRST_STREAM = 7, LANE_TIDS = 100000 };

typedef struct walk {
    const stk_trace_lines        *lines;
    const stk_trace_line_visitor *visitor;
    stk_clock_pair                now; /* with the trace's begin: converts ticks to nanoseconds */
    int                           pid;
    uint32_t                      stream;   /* of the last device's row */
    uint64_t                      launches; /* so far: correlation numbers */
} walk;

/* Where the lines of an event go: the thread's row, the device's stream. */
typedef struct line_rows {
    uint32_t tid, stream;
    bool     is_device; /* the whole row is a stream's */
} line_rows;

const char *stk_trace_lines_device(const stk_trace_lines *lines)
{
    if (lines->device) return lines->device;
    const stk_trace *trace = lines->trace;
    return __atomic_load_n(&trace->has_devices, __ATOMIC_ACQUIRE) ? trace->device : "cpu:0";
}

/* Nanoseconds since the trace began; a span may have begun before. */
static uint64_t since_begin(const walk *w, uint64_t ticks)
{
    const stk_clock_pair *begin = &w->lines->trace->begin;
    const uint64_t        ns = stk_clock_ticks_to_ns(ticks, *begin, w->now);
    return ns > begin->ns ? ns - begin->ns : 0;
}

static stk_status put_label(const walk *w, const stk_trace_label *label, stk_error *err)
{
    return w->visitor->label(w->visitor->context, label, err);
}

static stk_status put_name(const walk *w, const char *what, int pid, uint32_t tid, const char *text,
                           stk_error *err)
{
    return put_label(w, &(stk_trace_label){.what = what, .text = text, .pid = pid, .tid = tid},
                     err);
}

/* A name may hold spaces, but the device's process is known by its last word. */
static stk_status name_device(const walk *w, const char *own, stk_error *err)
{
    char name[96];
    if (w->stream == FIRST_STREAM) {
        const stk_trace_label second = {
            .what = "process_sort_index", .pid = DEVICE_PID, .index = 1};
        snprintf(name, sizeof name, "%s compute", stk_trace_lines_device(w->lines));
        STK_TRY(put_name(w, "process_name", DEVICE_PID, 0, name, err));
        STK_TRY(put_label(w, &second, err));
    }
    snprintf(name, sizeof name, "stream %u%s%s", w->stream, own ? " " : "", own ? own : "");
    return put_name(w, "thread_name", DEVICE_PID, w->stream, name, err);
}

static stk_status name_lanes(const walk *w, const stk_trace_thread *thread, uint32_t lanes,
                             stk_error *err)
{
    char name[128];
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t        tid = thread->number + 1 + lane * LANE_TIDS;
        const stk_trace_label order = {
            .what = "thread_sort_index", .pid = w->pid, .tid = tid, .index = thread->number};
        snprintf(name, sizeof name, "%s (at the same time, %u)", thread->name, lane);
        STK_TRY(put_name(w, "thread_name", w->pid, tid, lane ? name : thread->name, err));
        STK_TRY(put_label(w, &order, err));
    }
    return STK_OK;
}

static stk_status put_line(const walk *w, const stk_trace_line *line, stk_error *err)
{
    return w->visitor->line(w->visitor->context, line, err);
}

/* Both ends are converted, so that a span inside another stays inside when rounded. */
static stk_trace_line line_of(const walk *w, const stk_event *event)
{
    const uint64_t begin = since_begin(w, event->begin);
    const uint64_t end = since_begin(w, event->begin + event->ticks);
    return (stk_trace_line){.begin_ns = begin, .end_ns = end > begin ? end : begin};
}

static stk_status put_span(const walk *w, const stk_event *event, uint32_t tid, stk_error *err)
{
    char           step[48];
    stk_trace_line line = line_of(w, event);
    if (event->is_step)
        snprintf(step, sizeof step, "ProfilerStep#%llu", (unsigned long long)event->value);
    line.kind = STK_TRACE_LINE_SPAN;
    line.name = event->is_step ? step : event->op ? event->op->name : event->name;
    line.category = event->is_step ? "user_annotation" : stk_stage_name(event->stage);
    line.pid = w->pid;
    line.tid = tid;
    line.number = event->value;
    return put_line(w, &line, err);
}

/* The ends of an arrow must lie in the spans it joins; in their middle they do for viewers that
 * round. */
static stk_status put_arrow(const walk *w, const stk_trace_line *from, stk_trace_line_kind kind,
                            const stk_event *event, stk_error *err)
{
    const uint64_t       middle = since_begin(w, event->begin + event->ticks / 2);
    const stk_trace_line line = {.kind = kind,
                                 .name = "launch",
                                 .category = "ac2g",
                                 .pid = from->pid,
                                 .tid = from->tid,
                                 .begin_ns = middle,
                                 .end_ns = middle,
                                 .number = from->number};
    return put_line(w, &line, err);
}

/* chrome://tracing takes a span of some tenths of a microsecond for a part of the one before it. */
static bool has_arrow(const stk_trace_line *line)
{
    enum { MIN_NS = 1000 };
    return line->number && line->end_ns - line->begin_ns >= MIN_NS;
}

static const char *launch_name(const walk *w, stk_row_device device)
{
    const bool is_kernel = device == STK_ROW_KERNEL || !device;
    if (w->lines->cuda_names) return is_kernel ? "cudaLaunchKernel" : "cudaMemcpyAsync";
    return is_kernel ? "launch" : "copy";
}

static stk_status put_launch(const walk *w, const stk_row_event *e, uint64_t number, uint32_t tid,
                             stk_error *err)
{
    stk_trace_line line = line_of(w, &e->event);
    line.kind = STK_TRACE_LINE_LAUNCH;
    line.name = launch_name(w, e->device);
    line.category = "cuda_runtime";
    line.pid = w->pid;
    line.tid = tid;
    line.number = number;
    line.op = e->event.op;
    STK_TRY(put_line(w, &line, err));
    return has_arrow(&line) ? put_arrow(w, &line, STK_TRACE_LINE_ARROW_BEGIN, &e->event, err)
                            : STK_OK;
}

static const char *device_name(const stk_row_event *e)
{
    if (e->event.op) return e->event.op->name;
    if (e->device == STK_ROW_COPY_IN) return "Memcpy HtoD (Pageable -> Device)";
    if (e->device == STK_ROW_COPY_OUT) return "Memcpy DtoH (Device -> Pageable)";
    return e->event.name;
}

static const char *device_category(stk_row_device device)
{
    if (device == STK_ROW_KERNEL) return "kernel";
    return device == STK_ROW_FILL ? "gpu_memset" : "gpu_memcpy";
}

static stk_status put_device(const walk *w, const stk_row_event *e, uint64_t number,
                             uint32_t stream, stk_error *err)
{
    stk_trace_line line = line_of(w, &e->event);
    line.kind = STK_TRACE_LINE_DEVICE;
    line.name = device_name(e);
    line.category = device_category(e->device);
    line.pid = DEVICE_PID;
    line.tid = stream;
    line.number = number;
    line.op = e->event.op;
    STK_TRY(put_line(w, &line, err));
    return has_arrow(&line) ? put_arrow(w, &line, STK_TRACE_LINE_ARROW_END, &e->event, err)
                            : STK_OK;
}

static stk_status put_counter(const walk *w, const stk_event *event, uint32_t tid, stk_error *err)
{
    stk_trace_line line = line_of(w, event);
    line.kind = STK_TRACE_LINE_COUNTER;
    line.name = event->name;
    line.category = stk_stage_name(event->stage);
    line.pid = w->pid;
    line.tid = tid;
    line.end_ns = line.begin_ns;
    memcpy(&line.value, &event->value, sizeof line.value);
    return put_line(w, &line, err);
}

/* A device that works apart has its own row; elsewhere the host's span is also the device's. */
static stk_status put_event(walk *w, const stk_row_event *e, line_rows rows, stk_error *err)
{
    const stk_event *event = &e->event;
    if (event->is_counter) return put_counter(w, event, rows.tid, err);
    if (rows.is_device) return put_device(w, e, event->value, rows.stream, err);
    if (event->is_launch) return put_launch(w, e, event->value, rows.tid, err);
    if (!event->op || !e->device) STK_TRY(put_span(w, event, rows.tid, err));
    if (!e->device) return STK_OK;
    const uint64_t number = ++w->launches;
    STK_TRY(put_launch(w, e, number, rows.tid, err));
    return put_device(w, e, number, rows.stream, err);
}

static stk_status put_row(walk *w, const stk_trace_thread *thread, const stk_row *row,
                          stk_error *err)
{
    const char *own = thread->is_device ? thread->name : NULL;
    if (!thread->is_device) STK_TRY(name_lanes(w, thread, row->lanes, err));
    if (row->has_device) {
        w->stream++;
        STK_TRY(name_device(w, own, err));
    }
    for (size_t i = 0; i < row->count; i++) {
        const uint32_t tid = thread->number + 1 + row->events[i].lane * LANE_TIDS;
        STK_TRY(put_event(w, &row->events[i], (line_rows){tid, w->stream, thread->is_device}, err));
    }
    return STK_OK;
}

/* Devices come last: the end of an arrow stands after its beginning. */
static stk_status put_rows(walk *w, stk_trace_lines_counts *counts, stk_error *err)
{
    stk_row    row;
    stk_status st = STK_OK;
    stk_row_init(&row, w->lines->ledger);
    for (int devices = 0; devices < 2; devices++)
        for (const stk_trace_thread *t = stk_trace_newest(w->lines->trace); t && !st;
             t = t->older) {
            if (t->is_device != devices) continue;
            st = stk_row_read(&row, t, w->lines->since, &counts->dropped, &counts->earlier, err);
            if (!st) st = put_row(w, t, &row, err);
        }
    stk_row_release(&row);
    return st;
}

stk_status stk_trace_lines_read(const stk_trace_lines *lines, const stk_trace_line_visitor *visitor,
                                stk_trace_lines_counts *counts, stk_error *err)
{
    walk w = {.lines = lines,
              .visitor = visitor,
              .now = stk_clock_read_pair(),
              .pid = (int)getpid(),
              .stream = FIRST_STREAM - 1};
    STK_TRY(put_name(&w, "process_name", w.pid, 0, lines->trace->process_name, err));
    return put_rows(&w, counts, err);
}
