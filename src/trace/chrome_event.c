/* Events as Chrome's JSON: one a line. */
#include "trace/chrome_event.h"

#include <stdarg.h>
#include <stdio.h>

enum { CHUNK = 1 << 16 };

void stk_chrome_flush(stk_chrome *c, bool all)
{
    if (c->status || c->text.size < (all ? 1 : CHUNK)) return;
    c->written.bytes += c->text.size;
    c->status = c->put(c->context, stk_blob_bytes(&c->text), &c->error);
    c->text.size = 0;
}

void stk_chrome_text(stk_chrome *c, const char *format, ...)
{
    char    line[1024];
    va_list arguments;
    if (c->status) return;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    c->status = stk_blob_append(&c->text, line, (size_t)length, &c->error);
    stk_chrome_flush(c, false);
}

/* Nanoseconds since the trace began; a span may have begun before. */
static uint64_t since_begin(const stk_chrome *c, uint64_t ticks)
{
    const uint64_t ns = stk_clock_ticks_to_ns(ticks, c->trace->begin, c->now);
    return ns > c->trace->begin.ns ? ns - c->trace->begin.ns : 0;
}

/* The format wants microseconds; a thousandth of one is a nanosecond. */
static void write_us(stk_chrome *c, const char *key, uint64_t ns)
{
    stk_json_pair_double(&c->w, key, (double)ns / 1000);
}

static void begin_event(stk_chrome *c, const char *phase, const char *name, int pid, uint32_t tid)
{
    stk_chrome_text(c, c->written.events++ ? ",\n" : "\n");
    stk_json_begin(&c->w, &c->text, 0);
    stk_json_object(&c->w);
    stk_json_pair_string(&c->w, "ph", phase);
    stk_json_pair_string(&c->w, "name", name ? name : "");
    stk_json_pair_int(&c->w, "pid", pid);
    stk_json_pair_uint(&c->w, "tid", tid);
}

static void begin_arguments(stk_chrome *c)
{
    stk_json_key(&c->w, "args");
    stk_json_object(&c->w);
}

static void end_event(stk_chrome *c)
{
    stk_json_object_end(&c->w);
    const stk_status st = stk_json_end(&c->w, &c->error);
    if (st && !c->status) c->status = st;
    stk_chrome_flush(c, false);
}

static void end_arguments(stk_chrome *c)
{
    stk_json_object_end(&c->w);
    end_event(c);
}

void stk_chrome_name(stk_chrome *c, const char *what, int pid, uint32_t tid, const char *name)
{
    begin_event(c, "M", what, pid, tid);
    begin_arguments(c);
    stk_json_pair_string(&c->w, "name", name);
    end_arguments(c);
}

void stk_chrome_sort(stk_chrome *c, const char *what, int pid, uint32_t tid, uint64_t index)
{
    begin_event(c, "M", what, pid, tid);
    begin_arguments(c);
    stk_json_pair_uint(&c->w, "sort_index", index);
    end_arguments(c);
}

void stk_chrome_counter(stk_chrome *c, const char *name, const char *category, uint32_t tid,
                        uint64_t ns, double value)
{
    begin_event(c, "C", name, c->pid, tid);
    stk_json_pair_string(&c->w, "cat", category);
    write_us(c, "ts", ns);
    begin_arguments(c);
    stk_json_pair_double(&c->w, "value", value);
    end_arguments(c);
}

static void begin_span(stk_chrome *c, const stk_event *event, const char *name,
                       const char *category, int pid, uint32_t tid)
{
    /* Both ends are translated, so that a span inside another stays inside when rounded. */
    const uint64_t begin = since_begin(c, event->begin);
    const uint64_t end = since_begin(c, event->begin + event->ticks);
    begin_event(c, "X", name, pid, tid);
    stk_json_pair_string(&c->w, "cat", category);
    write_us(c, "ts", begin);
    write_us(c, "dur", end > begin ? end - begin : 0);
    begin_arguments(c);
}

static void write_span(stk_chrome *c, const stk_event *event, uint32_t tid)
{
    char        step[48];
    const char *name = event->op ? event->op->name : event->name;
    snprintf(step, sizeof step, "ProfilerStep#%llu", (unsigned long long)event->value);
    begin_span(c, event, event->is_step ? step : name,
               event->is_step ? "user_annotation" : stk_stage_name(event->stage), c->pid, tid);
    if (event->value) stk_json_pair_uint(&c->w, "value", event->value);
    end_arguments(c);
}

/* An arrow's ends must lie in the spans it joins; in their middle they do for viewers that round.
 */
static void write_arrow(stk_chrome *c, const char *phase, const stk_event *event, uint64_t number,
                        int pid, uint32_t tid)
{
    begin_event(c, phase, "launch", pid, tid);
    stk_json_pair_string(&c->w, "cat", "ac2g");
    stk_json_pair_uint(&c->w, "id", number);
    write_us(c, "ts", since_begin(c, event->begin + event->ticks / 2));
    if (*phase == 'f') stk_json_pair_string(&c->w, "bp", "e");
    end_event(c);
}

/* chrome://tracing takes a span of some tenths of a microsecond for a part of the one before it. */
static bool has_arrow(const stk_chrome *c, const stk_event *event)
{
    enum { LEAST_NS = 1000 };
    return since_begin(c, event->begin + event->ticks) - since_begin(c, event->begin) >= LEAST_NS;
}

static const char *launch_name(const stk_chrome *c, stk_row_device device)
{
    if (c->format->cuda_names)
        return device == STK_ROW_KERNEL || !device ? "cudaLaunchKernel" : "cudaMemcpyAsync";
    return device == STK_ROW_KERNEL || !device ? "launch" : "copy";
}

static void write_launch(stk_chrome *c, const stk_row_event *e, uint64_t number, uint32_t tid)
{
    begin_span(c, &e->event, launch_name(c, e->device), "cuda_runtime", c->pid, tid);
    if (e->event.op) stk_json_pair_string(&c->w, "op", e->event.op->name);
    stk_json_pair_uint(&c->w, "correlation", number);
    end_arguments(c);
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

static void write_op(stk_chrome *c, const stk_trace_op *op)
{
    if (*op->layer) stk_json_pair_string(&c->w, "layer", op->layer);
    if (*op->kernel) stk_json_pair_string(&c->w, "kernel", op->kernel);
    if (op->flops > 0) stk_json_pair_double(&c->w, "flops", op->flops);
    if (op->bytes > 0) stk_json_pair_double(&c->w, "bytes", op->bytes);
}

static void write_device(stk_chrome *c, const stk_row_event *e, uint64_t number, uint32_t stream)
{
    begin_span(c, &e->event, device_name(e), device_category(e->device), STK_CHROME_DEVICE_PID,
               stream);
    stk_json_pair_int(&c->w, "device", 0);
    stk_json_pair_uint(&c->w, "stream", stream);
    if (number) stk_json_pair_uint(&c->w, "correlation", number);
    if (e->event.op) write_op(c, e->event.op);
    end_arguments(c);
}

/* A launch and what it began are told apart, each by the row it is on. */
static void write_apart(stk_chrome *c, const stk_row_event *e, stk_chrome_row row)
{
    const stk_event *event = &e->event;
    const int        pid = row.is_device ? STK_CHROME_DEVICE_PID : c->pid;
    if (row.is_device)
        write_device(c, e, event->value, row.stream);
    else
        write_launch(c, e, event->value, row.tid);
    if (event->value && has_arrow(c, event))
        write_arrow(c, row.is_device ? "f" : "s", event, event->value, pid,
                    row.is_device ? row.stream : row.tid);
}

void stk_chrome_event(stk_chrome *c, const stk_row_event *e, stk_chrome_row row)
{
    const stk_event *event = &e->event;
    if (event->is_counter) {
        double value;
        memcpy(&value, &event->value, sizeof value);
        stk_chrome_counter(c, event->name, stk_stage_name(event->stage), row.tid,
                           since_begin(c, event->begin), value);
        return;
    }
    if (row.is_device || event->is_launch) {
        write_apart(c, e, row);
        return;
    }
    if (!event->op || !e->device) write_span(c, event, row.tid);
    if (!e->device) return;
    const bool     seen = has_arrow(c, event);
    const uint64_t number = ++c->launches;
    write_launch(c, e, number, row.tid);
    if (seen) write_arrow(c, "s", event, number, c->pid, row.tid);
    write_device(c, e, number, row.stream);
    if (seen) write_arrow(c, "f", event, number, STK_CHROME_DEVICE_PID, row.stream);
}
