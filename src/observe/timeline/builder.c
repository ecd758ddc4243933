/* Builds events of a timeline by their trace phase. */
#include "observe/timeline/builder.h"

#include "observe/timeline/tool.h"
#include "observe/timeline/trace_metadata.h"

#include <stdlib.h>

stk_status stk_builder_init(stk_builder *b, stk_timeline *timeline, uint64_t max_events,
                            stk_error *err)
{
    static const stk_open_span none;
    *b = (stk_builder){.timeline = timeline, .max_events = max_events, .until_ns = INT64_MAX};
    stk_blob *blobs[] = {&b->row_table, &b->processes, &b->open, &b->async, &b->flows, &b->text};
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        stk_blob_init(blobs[i], NULL, STK_MEMORY_INDEX);
    return stk_blob_append(&b->open, &none, sizeof none, err);
}

void stk_builder_release(stk_builder *b)
{
    stk_blob *blobs[] = {&b->row_table, &b->processes, &b->open, &b->async, &b->flows, &b->text};
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        stk_blob_release(blobs[i]);
}

stk_status stk_builder_event(void *context, const stk_file_event *event, stk_error *err)
{
    stk_builder           *b = context;
    stk_timeline_findings *f = &b->timeline->findings;
    f->events++;
    switch (stk_file_event_phase(event)) {
    case 'X':
        return stk_builder_span(b, event, err);
    case 'B':
        return stk_builder_begin(b, event, err);
    case 'E':
        return stk_builder_end(b, event, err);
    case 'b':
        return stk_builder_begin_async(b, event, err);
    case 'e':
        return stk_builder_end_async(b, event, err);
    case 'C':
        return stk_builder_counter(b, event, err);
    case 's':
    case 't':
    case 'f':
        return stk_builder_flow(b, event, stk_file_event_phase(event) == 's', err);
    case 'M':
        f->names++;
        return stk_builder_name(b, event, err);
    case 'i':
    case 'I':
    case 'n':
    case 'R':
        f->instants++;
        return STK_OK;
    default:
        f->others++;
        return STK_OK;
    }
}

stk_status stk_builder_member(void *context, stk_bytes key, stk_bytes value, stk_error *err)
{
    stk_builder *b = context;
    (void)err;
    stk_trace_metadata_add(&b->timeline->origin, key, value);
    return STK_OK;
}

/* By row, then begin. Of two spans with the same begin the longer one encloses the other; equal
 * ones are ordered by name index. The order is total because qsort is not stable. */
static int compare(const void *left, const void *right)
{
    const stk_timeline_event *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->begin_ns != b->begin_ns) return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->ns != b->ns) return a->ns > b->ns ? -1 : 1;
    const bool step = a->kind == STK_TIMELINE_STEP;
    if (step != (b->kind == STK_TIMELINE_STEP)) return step ? -1 : 1;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    if (a->category != b->category) return a->category < b->category ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static bool is_sorted(const stk_timeline_event *events, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare(&events[i - 1], &events[i]) > 0) return false;
    return true;
}

/* Makes times relative to the first event. */
static void make_relative(stk_timeline *t)
{
    stk_timeline_event *events = stk_timeline_events(t);
    const size_t        count = stk_timeline_count(t);
    int64_t             first = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        if ((int64_t)events[i].begin_ns < first) first = (int64_t)events[i].begin_ns;
    for (size_t i = 0; i < count; i++) {
        events[i].begin_ns -= (uint64_t)first;
        if (stk_event_end(&events[i]) > t->end_ns) t->end_ns = stk_event_end(&events[i]);
    }
}

stk_status stk_builder_finish(stk_builder *b, stk_error *err)
{
    stk_timeline *t = b->timeline;
    stk_builder_name_rows(b);
    STK_TRY(stk_tool_label(t, err));
    stk_builder_trim(b);
    make_relative(t);
    stk_timeline_event *events = stk_timeline_events(t);
    if (!is_sorted(events, stk_timeline_count(t)))
        qsort(events, stk_timeline_count(t), sizeof *events, compare);
    return STK_OK;
}
