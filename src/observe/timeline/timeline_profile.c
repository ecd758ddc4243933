/* Converts a trace to a profile: steps, exposed time per stage, operations. */
#include "observe/timeline/timeline_ops.h"
#include "observe/timeline/timeline_program.h"
#include "observe/timeline/tool.h"
#include "observe/timeline/windows.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPS_MAX = 1000, FEW_STEPS = 10 };

static stk_status note(stk_blob *missing, stk_error *err, const char *text)
{
    if (!missing) return STK_OK;
    STK_TRY(stk_blob_append(missing, text, strlen(text), err));
    return stk_blob_append(missing, "\n", 1, err);
}

/* Time without a stage is the rest. */
static void fill_evaluations(stk_profile *out, const stk_windows *w)
{
    uint64_t all = 0, attributed = 0;
    for (size_t i = 0; i < w->count; i++) {
        const uint64_t ns = w->list[i].aside_end_ns - w->list[i].aside_begin_ns;
        out->evaluations += ns > 0;
        all += ns;
    }
    for (int s = STK_STAGE_READ; s < STK_STAGE_COUNT; s++)
        attributed += out->evaluation_stages_ns[s] = w->aside_ns[s];
    out->evaluation_stages_ns[STK_STAGE_NONE] = all > attributed ? all - attributed : 0;
    out->evaluation_ns += (double)all;
}

static stk_status fill_steps(stk_profile *out, const stk_windows *w, stk_error *err)
{
    out->step_list = calloc(w->count ? w->count : 1, sizeof *out->step_list);
    if (!out->step_list)
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu steps", w->count);
    for (size_t i = 0; i < w->count; i++) {
        const stk_step_window *window = &w->list[i];
        stk_step_record       *step = &out->step_list[out->step_count++];
        *step = (stk_step_record){.step = window->step >= 0 ? (int64_t)window->step : (int64_t)i,
                                  .begin_ns = window->begin_ns,
                                  .ns = stk_window_ns(window),
                                  .samples = 1, /* unknown: rates are in steps */
                                  .marks = i == 0 && w->count > 1 ? STK_STEP_FIRST : 0};
        memcpy(step->exposed_ns, window->exposed_ns, sizeof step->exposed_ns);
        out->measured_ns += (double)step->ns;
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            out->stages[s].exposed_ns += (double)step->exposed_ns[s];
    }
    out->steps = out->samples = (double)w->count;
    out->evaluation_ns = (double)w->between_ns;
    fill_evaluations(out, w);
    return STK_OK;
}

/* Overlap of an interval with steps. */
static uint64_t inside(const stk_windows *w, const stk_span_interval *s)
{
    const uint64_t first = w->list[0].begin_ns, last = w->list[w->count - 1].end_ns;
    const uint64_t from = s->begin_ns > first ? s->begin_ns : first;
    const uint64_t to = s->end_ns < last ? s->end_ns : last;
    return from < to ? to - from : 0;
}

/* If there is a device, compute on the host is launching. */
static bool is_work(const stk_timeline *t, const stk_span_interval *s, bool devices)
{
    if (s->stage != STK_STAGE_COMPUTE) return s->stage != STK_STAGE_NONE;
    return !s->is_launch && (!devices || stk_timeline_tracks(t)[s->row].row.is_device);
}

/* Fills an asynchronous device. Launches in our own traces are excluded: tracing launches every
 * kernel by itself, unlike a normal run. */
static void fill_device(stk_profile *out, const stk_timeline *t, double launches)
{
    if (!stk_timeline_has_devices(t) || stk_timeline_launches_wait(t)) return;
    out->device.work_ns = out->stages[STK_STAGE_COMPUTE].busy_ns;
    out->device.copy_ns = out->stages[STK_STAGE_HOST_TO_DEVICE].busy_ns;
    if (t->tool != STK_TIMELINE_STOKER) out->device.launch_ns = launches;
}

/* Work is summed over all rows; stages on waited-for rows have no threads of their own. */
static stk_status fill_work(stk_profile *out, const stk_timeline *t, const stk_windows *w,
                            stk_error *err)
{
    const bool devices = stk_timeline_has_devices(t);
    stk_blob   intervals;
    double     launches = 0;
    stk_status st = STK_OK;
    stk_blob_init(&intervals, NULL, STK_MEMORY_INDEX);
    for (uint32_t row = 0; !st && row < stk_timeline_row_count(t); row++) {
        bool serves[STK_STAGE_COUNT] = {false};
        intervals.size = 0;
        st = stk_row_span_intervals(t, row, &intervals, err);
        const stk_span_interval *list = (const stk_span_interval *)(void *)intervals.data;
        for (size_t i = 0; !st && i < intervals.size / sizeof *list; i++) {
            const uint64_t ns = inside(w, &list[i]);
            if (list[i].is_launch) launches += (double)ns;
            if (!ns || !is_work(t, &list[i], devices)) continue;
            out->stages[list[i].stage].busy_ns += (double)ns;
            serves[list[i].stage] = row != w->row;
        }
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            out->stages[s].servers += serves[s];
    }
    stk_blob_release(&intervals);
    fill_device(out, t, launches);
    return st;
}

static void copy_text(char *to, size_t capacity, const char *from)
{
    snprintf(to, capacity, "%.*s", (int)capacity - 1, from);
}

/* The training thread's input span is a wait, or encloses the actual work. */
static bool is_input_work(const stk_timeline *t, const stk_timeline_op *op)
{
    return op->stage == STK_STAGE_PREPROCESS && !op->is_device && op->self_ns &&
           strcmp(stk_timeline_text(t, op->name), "input") != 0;
}

static void fill_input_ops(stk_profile *out, const stk_timeline *t, const stk_timeline_ops *ops)
{
    for (size_t i = 0; i < ops->count && out->input_op_count < STK_PROFILE_INPUT_OPS; i++) {
        const stk_timeline_op *from = &ops->list[i];
        if (!is_input_work(t, from)) continue;
        stk_profile_input_op *to = &out->input_ops[out->input_op_count++];
        copy_text(to->name, sizeof to->name, stk_timeline_text(t, from->name));
        to->items = (double)from->calls;
        to->busy_ns = (double)from->self_ns;
    }
}

/* Operations of the device, or of the host if it computes. */
static stk_status fill_ops(stk_profile *out, const stk_timeline *t, stk_error *err)
{
    stk_timeline_ops ops;
    const bool       devices = stk_timeline_has_devices(t);
    STK_TRY(stk_timeline_count_ops(&ops, t, err));
    fill_input_ops(out, t, &ops);
    size_t wanted = 0;
    for (size_t i = 0; i < ops.count; i++)
        if (ops.list[i].stage == STK_STAGE_COMPUTE && ops.list[i].is_device == devices)
            ops.list[wanted++] = ops.list[i];
    if (wanted > OPS_MAX) wanted = OPS_MAX;
    out->ops = calloc(wanted ? wanted : 1, sizeof *out->ops);
    for (size_t i = 0; out->ops && i < wanted; i++) {
        const stk_timeline_op *from = &ops.list[i];
        stk_profile_op        *to = &out->ops[out->op_count++];
        const double           s = (double)from->self_ns / 1e9, runs = (double)from->calls;
        copy_text(to->operation, sizeof to->operation, stk_timeline_text(t, from->name));
        copy_text(to->name, sizeof to->name, stk_timeline_text(t, from->name));
        to->flops = from->flops_per_s > 0 ? from->flops_per_s * s / runs : 0;
        to->bytes = from->bytes_per_s > 0 ? from->bytes_per_s * s / runs : 0;
        to->runs = from->calls;
        to->ns = from->self_ns;
    }
    stk_timeline_ops_release(&ops);
    if (out->ops) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu operations", wanted);
}

static stk_status note_steps(const stk_timeline *t, const stk_windows *w, stk_blob *missing,
                             stk_error *err)
{
    char line[STK_PROFILE_LINE];
    if (w->source == STK_STEPS_PERIODIC) {
        snprintf(
            line, sizeof line,
            "the trace marks no steps: they were taken to begin with each '%.80s', which comes "
            "%zu times",
            stk_timeline_text(t, w->operation), w->count + 1);
        STK_TRY(note(missing, err, line));
    } else if (w->source == STK_STEPS_WHOLE) {
        STK_TRY(note(missing, err,
                     "the trace marks no steps and no operation comes at even times: all of it was "
                     "taken as one step"));
    } else if (w->count < FEW_STEPS) {
        snprintf(line, sizeof line,
                 "the trace has only %zu steps; %d and more tell how far they "
                 "vary",
                 w->count, FEW_STEPS);
        STK_TRY(note(missing, err, line));
    }
    return STK_OK;
}

static stk_status note_losses(const stk_timeline *t, stk_blob *missing, stk_error *err)
{
    char line[STK_PROFILE_LINE];
    if (t->findings.cut)
        STK_TRY(
            note(missing, err, "the file is cut off: what follows its last whole event is lost"));
    if (t->findings.left_out) {
        snprintf(line, sizeof line, "%llu events were left out by the limit on events",
                 (unsigned long long)t->findings.left_out);
        STK_TRY(note(missing, err, line));
    }
    if (t->origin.dropped > 0) {
        snprintf(line, sizeof line, "the tool lost %.0f events while it recorded",
                 t->origin.dropped);
        STK_TRY(note(missing, err, line));
    }
    if (t->origin.is_merged)
        STK_TRY(
            note(missing, err, "of the ranks in this trace, the one with the most steps is told"));
    return STK_OK;
}

static stk_status note_missing(const stk_timeline *t, const stk_windows *w, stk_blob *missing,
                               stk_error *err)
{
    STK_TRY(note_steps(t, w, missing, err));
    STK_TRY(note_losses(t, missing, err));
    if (!stk_timeline_has_devices(t) && t->tool != STK_TIMELINE_STOKER)
        STK_TRY(note(missing, err,
                     "the trace has no device: the host's operations were taken as compute"));
    for (const char *const *line = stk_tool_of(t)->missing; *line; line++)
        STK_TRY(note(missing, err, *line));
    return STK_OK;
}

static stk_status fill(stk_profile *out, const stk_timeline *t, stk_windows *w, stk_blob *missing,
                       stk_error *err)
{
    if (!w->count)
        return stk_fail(err, STK_E_INVALID, "trace", NULL,
                        "the trace has no spans in %llu events: nothing tells where time went",
                        (unsigned long long)t->findings.events);
    STK_TRY(stk_windows_expose(w, t, err));
    STK_TRY(fill_steps(out, w, err));
    STK_TRY(fill_work(out, t, w, err));
    STK_TRY(fill_ops(out, t, err));
    STK_TRY(stk_timeline_fill_program(out, t, w, err));
    return note_missing(t, w, missing, err);
}

stk_status stk_timeline_profile(const stk_timeline *timeline, stk_profile *out, stk_blob *missing,
                                stk_error *err)
{
    stk_windows w;
    stk_profile_init(out);
    copy_text(out->run.source, sizeof out->run.source, stk_tool_of(timeline)->name);
    copy_text(out->run.unit, sizeof out->run.unit, "steps");
    copy_text(out->machine.host, sizeof out->machine.host, timeline->origin.host);
    out->trace_events = (double)timeline->findings.events;
    out->trace_dropped = timeline->origin.dropped;
    stk_status st = stk_windows_find(&w, timeline, err);
    if (!st) st = fill(out, timeline, &w, missing, err);
    stk_windows_release(&w);
    if (st) stk_profile_release(out);
    return st;
}
