/* A timeline of a trace in memory. Its lines go to the builder as they are: no text is written to
 * be parsed again. */
#include "observe/timeline/builder.h"
#include "observe/timeline/trace_metadata.h"
#include "trace/lines.h"

#include <stdio.h>
#include <unistd.h>

static stk_status intern(stk_builder *b, const char *text, uint32_t *number, stk_error *err)
{
    return stk_string_table_add(&b->timeline->texts, stk_bytes_text(text ? text : ""), number, err);
}

static stk_status add_label(void *context, const stk_trace_label *label, stk_error *err)
{
    stk_builder *b = context;
    uint32_t     text, row;
    b->timeline->findings.events++;
    b->timeline->findings.names++;
    if (!label->text) return STK_OK;
    STK_TRY(intern(b, label->text, &text, err));
    if (strcmp(label->what, "process_name") == 0)
        return stk_builder_name_process(b, label->pid, text, 0, err);
    if (!text) return STK_OK;
    STK_TRY(stk_builder_row_of(b, label->pid, label->tid, 0, &row, err));
    stk_timeline_tracks(b->timeline)[row].row.thread_name = text;
    return STK_OK;
}

/* Only what a device did says how much work it was: files have it there, too. */
static stk_span_arguments arguments_of(const stk_trace_line *line)
{
    stk_span_arguments a = {-1, -1, -1, 0};
    if (line->kind != STK_TRACE_LINE_DEVICE || !line->op) return a;
    if (line->op->flops > 0) a.flops = line->op->flops;
    if (line->op->bytes > 0) a.bytes = line->op->bytes;
    return a;
}

static stk_status add_line(void *context, const stk_trace_line *line, stk_error *err)
{
    stk_builder  *b = context;
    stk_open_span span = {.begin_ns = (int64_t)line->begin_ns};
    b->timeline->findings.events++;
    if (line->kind == STK_TRACE_LINE_ARROW_BEGIN || line->kind == STK_TRACE_LINE_ARROW_END) {
        b->timeline->findings.flows++;
        return STK_OK;
    }
    STK_TRY(intern(b, line->name, &span.name, err));
    STK_TRY(intern(b, line->category, &span.category, err));
    STK_TRY(stk_builder_row_of(b, line->pid, line->tid, 0, &span.row, err));
    if (line->kind == STK_TRACE_LINE_COUNTER)
        return stk_builder_add_counter(b, &span, line->value, err);
    const stk_span_arguments a = arguments_of(line);
    return stk_builder_add_span(b, &span, (int64_t)line->end_ns, &a, err);
}

static void describe(stk_trace_metadata *m, const stk_trace *trace, uint64_t dropped)
{
    m->is_stoker = m->is_kineto = m->has_base = true;
    m->base_ns = (int64_t)trace->begin_unix_ns;
    m->rank = 0;
    m->dropped = (double)dropped;
    (void)gethostname(m->host, sizeof m->host - 1);
}

static stk_status fill(stk_builder *b, const stk_trace *trace, stk_error *err)
{
    const stk_trace_lines        lines = {.trace = trace};
    const stk_trace_line_visitor visitor = {b, add_label, add_line};
    stk_trace_lines_counts       counts = {0};
    STK_TRY(stk_trace_lines_read(&lines, &visitor, &counts, err));
    describe(&b->timeline->origin, trace, counts.dropped);
    return stk_builder_finish(b, err);
}

stk_status stk_timeline_of_trace(stk_timeline **out, const stk_trace *trace, uint64_t max_events,
                                 stk_error *err)
{
    stk_builder b;
    *out = NULL;
    if (!trace) return stk_fail(err, STK_E_INVALID, "trace", NULL, "there is no trace");
    STK_TRY(stk_timeline_new(out, &b, max_events, err));
    const stk_status st = fill(&b, trace, err);
    stk_builder_release(&b);
    if (!st) return STK_OK;
    stk_timeline_free(*out);
    *out = NULL;
    return st;
}
