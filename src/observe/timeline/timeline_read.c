/* Reads a timeline; accessors. */
#include "observe/timeline/builder.h"
#include "observe/timeline/trace_metadata.h"

#include <stdlib.h>

enum { DEFAULT_EVENTS = 4000000 };

stk_status stk_timeline_new(stk_timeline **out, stk_builder *b, uint64_t max_events, stk_error *err)
{
    *out = NULL;
    *b = (stk_builder){0};
    stk_timeline *t = calloc(1, sizeof *t);
    if (!t) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for a timeline");
    stk_blob_init(&t->events, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&t->rows, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&t->works, NULL, STK_MEMORY_INDEX);
    stk_trace_metadata_init(&t->origin);
    stk_status st = stk_string_table_init(&t->texts, err);
    if (!st) st = stk_builder_init(b, t, max_events ? max_events : DEFAULT_EVENTS, err);
    if (st) {
        stk_builder_release(b);
        stk_timeline_free(t);
        return st;
    }
    *out = t;
    return STK_OK;
}

static stk_status read_into(stk_timeline *t, stk_builder *b, const char *path,
                            const stk_timeline_options *options, stk_error *err)
{
    stk_trace_input         in;
    const stk_event_visitor visitor = {b, stk_builder_event, stk_builder_member};
    stk_status              st = stk_trace_input_open(&in, path, options, err);
    if (!st) st = stk_events_read(&in, &visitor, &t->findings.cut, err);
    stk_trace_input_release(&in);
    return st ? st : stk_builder_finish(b, err);
}

stk_status stk_timeline_read(stk_timeline **out, const char *path,
                             const stk_timeline_options *options, stk_error *err)
{
    static const stk_timeline_options plain;
    stk_builder                       b;
    if (!options) options = &plain;
    STK_TRY(stk_timeline_new(out, &b, options->max_events, err));
    const stk_status st = read_into(*out, &b, path, options, err);
    stk_builder_release(&b);
    if (!st) return STK_OK;
    stk_timeline_free(*out);
    *out = NULL;
    return st;
}

void stk_timeline_free(stk_timeline *timeline)
{
    if (!timeline) return;
    stk_string_table_release(&timeline->texts);
    stk_blob_release(&timeline->events);
    stk_blob_release(&timeline->rows);
    stk_blob_release(&timeline->works);
    free(timeline);
}

stk_timeline_tool stk_timeline_made_by(const stk_timeline *timeline)
{
    return timeline->tool;
}

size_t stk_timeline_count(const stk_timeline *timeline)
{
    return timeline->events.size / sizeof(stk_timeline_event);
}

const stk_timeline_event *stk_timeline_at(const stk_timeline *timeline, size_t index)
{
    return index < stk_timeline_count(timeline) ? &stk_timeline_events(timeline)[index] : NULL;
}

size_t stk_timeline_row_count(const stk_timeline *timeline)
{
    return timeline->rows.size / sizeof(stk_timeline_track);
}

const stk_timeline_row *stk_timeline_row_at(const stk_timeline *timeline, size_t index)
{
    return index < stk_timeline_row_count(timeline) ? &stk_timeline_tracks(timeline)[index].row
                                                    : NULL;
}

const char *stk_timeline_text(const stk_timeline *timeline, uint32_t text)
{
    return stk_string_table_at(&timeline->texts, text);
}

bool stk_timeline_cut(const stk_timeline *timeline)
{
    return timeline->findings.cut;
}

uint64_t stk_timeline_left_out(const stk_timeline *timeline)
{
    return timeline->findings.left_out;
}

bool stk_timeline_peaks(const stk_timeline *timeline, stk_machine_peaks *peaks)
{
    const stk_trace_metadata *o = &timeline->origin;
    *peaks = (stk_machine_peaks){o->peak_flops, o->peak_bytes, -1, -1, -1, o->launch_ns};
    return peaks->flops > 0 && peaks->memory_bytes > 0;
}

/* The first event of this or a later row. */
static size_t find_row(const stk_timeline *t, uint32_t row)
{
    size_t low = 0, high = stk_timeline_count(t);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (stk_timeline_events(t)[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void stk_timeline_row_range(const stk_timeline *t, uint32_t row, size_t *begin, size_t *end)
{
    *begin = find_row(t, row);
    *end = find_row(t, row + 1);
}
