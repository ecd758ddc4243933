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

void stk_chrome_label(stk_chrome *c, const stk_trace_label *label)
{
    begin_event(c, "M", label->what, label->pid, label->tid);
    begin_arguments(c);
    if (label->text)
        stk_json_pair_string(&c->w, "name", label->text);
    else
        stk_json_pair_uint(&c->w, "sort_index", label->index);
    end_arguments(c);
}

static void begin_line(stk_chrome *c, const char *phase, const stk_trace_line *line)
{
    begin_event(c, phase, line->name, line->pid, line->tid);
    stk_json_pair_string(&c->w, "cat", line->category);
}

static void begin_span(stk_chrome *c, const stk_trace_line *line)
{
    begin_line(c, "X", line);
    write_us(c, "ts", line->begin_ns);
    write_us(c, "dur", line->end_ns - line->begin_ns);
    begin_arguments(c);
}

static void write_span(stk_chrome *c, const stk_trace_line *line)
{
    begin_span(c, line);
    if (line->number) stk_json_pair_uint(&c->w, "value", line->number);
    end_arguments(c);
}

static void write_launch(stk_chrome *c, const stk_trace_line *line)
{
    begin_span(c, line);
    if (line->op) stk_json_pair_string(&c->w, "op", line->op->name);
    stk_json_pair_uint(&c->w, "correlation", line->number);
    end_arguments(c);
}

static void write_op(stk_chrome *c, const stk_trace_op *op)
{
    if (*op->layer) stk_json_pair_string(&c->w, "layer", op->layer);
    if (*op->kernel) stk_json_pair_string(&c->w, "kernel", op->kernel);
    if (op->flops > 0) stk_json_pair_double(&c->w, "flops", op->flops);
    if (op->bytes > 0) stk_json_pair_double(&c->w, "bytes", op->bytes);
}

static void write_device(stk_chrome *c, const stk_trace_line *line)
{
    begin_span(c, line);
    stk_json_pair_int(&c->w, "device", 0);
    stk_json_pair_uint(&c->w, "stream", line->tid);
    if (line->number) stk_json_pair_uint(&c->w, "correlation", line->number);
    if (line->op) write_op(c, line->op);
    end_arguments(c);
}

static void write_counter(stk_chrome *c, const stk_trace_line *line)
{
    begin_line(c, "C", line);
    write_us(c, "ts", line->begin_ns);
    begin_arguments(c);
    stk_json_pair_double(&c->w, "value", line->value);
    end_arguments(c);
}

static void write_arrow(stk_chrome *c, const stk_trace_line *line)
{
    const bool ends = line->kind == STK_TRACE_LINE_ARROW_END;
    begin_line(c, ends ? "f" : "s", line);
    stk_json_pair_uint(&c->w, "id", line->number);
    write_us(c, "ts", line->begin_ns);
    if (ends) stk_json_pair_string(&c->w, "bp", "e");
    end_event(c);
}

void stk_chrome_line(stk_chrome *c, const stk_trace_line *line)
{
    static void (*const write[])(stk_chrome *, const stk_trace_line *) = {
        [STK_TRACE_LINE_SPAN] = write_span,         [STK_TRACE_LINE_LAUNCH] = write_launch,
        [STK_TRACE_LINE_DEVICE] = write_device,     [STK_TRACE_LINE_COUNTER] = write_counter,
        [STK_TRACE_LINE_ARROW_BEGIN] = write_arrow, [STK_TRACE_LINE_ARROW_END] = write_arrow,
    };
    write[line->kind](c, line);
}
