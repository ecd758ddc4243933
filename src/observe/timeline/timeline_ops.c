/* Operations of a timeline: calls, total and self times. */
#include "observe/timeline/timeline_ops.h"
#include "observe/timeline/tool.h"

#include <stdlib.h>

enum { DEEPEST = 256, PERCENT = 95 };

typedef struct nesting {
    uint64_t end;
    size_t   call;
} nesting;

bool stk_timeline_launches_wait(const stk_timeline *t)
{
    const char *const *waiting = stk_tool_of(t)->waiting_devices;
    for (; waiting && *waiting; waiting++)
        for (size_t i = 0; i < stk_timeline_row_count(t); i++) {
            const stk_timeline_row *row = stk_timeline_row_at(t, i);
            const char             *name = stk_timeline_text(t, row->process_name);
            if (row->is_device && stk_tool_fits(*waiting, name)) return true;
        }
    return false;
}

static bool is_operation(const stk_timeline *t, const stk_timeline_event *e)
{
    const stk_timeline_track *track = &stk_timeline_tracks(t)[e->row];
    return (e->kind == STK_TIMELINE_SPAN || e->kind == STK_TIMELINE_LAUNCH) && !track->is_derived;
}

/* A child's time is not its parent's self time. Overlapping spans that do not nest are no
 * children. */
static void list_row(const stk_timeline *t, size_t begin, size_t end, bool no_launches,
                     stk_op_span *calls, size_t *count)
{
    nesting stack[DEEPEST];
    int     depth = 0;
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        const stk_timeline_track *track = &stk_timeline_tracks(t)[e->row];
        if (!is_operation(t, e)) continue;
        while (depth > 0 && stack[depth - 1].end <= e->begin_ns)
            depth--;
        stk_op_span *around = depth ? &calls[stack[depth - 1].call] : NULL;
        if (around && stk_event_end(e) <= stack[depth - 1].end && !track->is_async)
            around->self_ns -= e->ns;
        if (no_launches && e->kind == STK_TIMELINE_LAUNCH) continue;
        calls[*count] =
            (stk_op_span){.name = e->name,
                          .is_device = track->row.is_device,
                          .begin_ns = e->begin_ns,
                          .ns = e->ns,
                          .self_ns = e->ns,
                          .stage = e->stage || !around ? (uint8_t)e->stage : around->stage};
        if (depth < DEEPEST && e->ns) stack[depth++] = (nesting){stk_event_end(e), *count};
        ++*count;
    }
}

stk_status stk_timeline_list_calls(const stk_timeline *t, stk_op_span **calls, size_t *count,
                                   stk_error *err)
{
    const bool no_launches = stk_timeline_launches_wait(t);
    size_t     spans = 0;
    *count = 0;
    for (size_t i = 0; i < stk_timeline_count(t); i++)
        spans += is_operation(t, &stk_timeline_events(t)[i]);
    *calls = malloc((spans ? spans : 1) * sizeof **calls);
    if (!*calls) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu spans", spans);
    for (uint32_t row = 0; row < stk_timeline_row_count(t); row++) {
        size_t begin, end;
        stk_timeline_row_range(t, row, &begin, &end);
        list_row(t, begin, end, no_launches, *calls, count);
    }
    return STK_OK;
}

static int compare_calls(const void *left, const void *right)
{
    const stk_op_span *a = left, *b = right;
    if (a->is_device != b->is_device) return a->is_device ? -1 : 1;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static int compare_ops(const void *left, const void *right)
{
    const stk_timeline_op *a = left, *b = right;
    if (a->self_ns != b->self_ns) return a->self_ns < b->self_ns ? 1 : -1;
    return (a->name > b->name) - (a->name < b->name);
}

static double rate(double work, double ns)
{
    return work > 0 && ns > 0 ? work / ns * 1e9 : -1;
}

/* Sums one operation over its calls, which are sorted by duration. */
static stk_timeline_op sum_up(const stk_timeline *t, const stk_op_span *calls, size_t count)
{
    const stk_name_work *works = (const stk_name_work *)(void *)t->works.data;
    const stk_name_work  none = {0};
    const bool           known = calls->name < t->works.size / sizeof *works;
    const stk_name_work *work = known ? &works[calls->name] : &none;
    stk_timeline_op      op = {.name = calls->name,
                               .stage = (stk_stage)calls->stage,
                               .is_device = calls->is_device,
                               .calls = count,
                               .p95_ns = calls[(count * PERCENT + 99) / 100 - 1].ns,
                               .flops_per_s = rate(work->flops, work->flops_ns),
                               .bytes_per_s = rate(work->bytes, work->bytes_ns)};
    for (size_t i = 0; i < count; i++) {
        op.total_ns += calls[i].ns;
        op.self_ns += calls[i].self_ns;
    }
    return op;
}

static stk_status group(stk_timeline_ops *out, const stk_timeline *t, stk_op_span *calls,
                        size_t count, stk_error *err)
{
    size_t groups = 0;
    qsort(calls, count, sizeof *calls, compare_calls);
    for (size_t i = 0; i < count; i++)
        groups += !i || calls[i].name != calls[i - 1].name ||
                  calls[i].is_device != calls[i - 1].is_device;
    out->list = calloc(groups ? groups : 1, sizeof *out->list);
    if (!out->list)
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu operations", groups);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && calls[end].name == calls[i].name &&
                          calls[end].is_device == calls[i].is_device;)
            end++;
        out->list[out->count] = sum_up(t, &calls[i], end - i);
        out->self_ns += out->list[out->count++].self_ns;
    }
    qsort(out->list, out->count, sizeof *out->list, compare_ops);
    return STK_OK;
}

stk_status stk_timeline_count_ops(stk_timeline_ops *out, const stk_timeline *timeline,
                                  stk_error *err)
{
    stk_op_span *calls;
    size_t       count;
    *out = (stk_timeline_ops){0};
    STK_TRY(stk_timeline_list_calls(timeline, &calls, &count, err));
    const stk_status st = group(out, timeline, calls, count, err);
    free(calls);
    return st;
}

void stk_timeline_ops_release(stk_timeline_ops *ops)
{
    free(ops->list);
    *ops = (stk_timeline_ops){0};
}
