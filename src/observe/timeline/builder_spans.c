/* Spans and counters, in every form of the trace format. */
#include "base/hash.h"
#include "observe/timeline/builder.h"

enum { OPEN_SPANS_MAX = 1 << 20, ASYNC_MAX = 4096 };

static stk_open_span *open_at(const stk_builder *b, uint32_t number)
{
    return &((stk_open_span *)(void *)b->open.data)[number];
}

static stk_span_arguments read_arguments(stk_builder *b, const stk_file_event *event)
{
    static const struct {
        const char *key;
        size_t      at;
    } known[] = {
        {"step_num", offsetof(stk_span_arguments, step)},
        {"flops", offsetof(stk_span_arguments, flops)},
        {"Flops", offsetof(stk_span_arguments, flops)},
        {"FLOPs", offsetof(stk_span_arguments, flops)},
        {"bytes", offsetof(stk_span_arguments, bytes)},
        {"bytes_accessed", offsetof(stk_span_arguments, bytes)},
    };
    stk_span_arguments found = {-1, -1, -1, 0};
    stk_members        m;
    stk_bytes          key, value;
    if (!stk_scan_is_object(event->args) || event->args.size < 4) return found;
    stk_members_begin(&m, event->args);
    while (stk_members_next(&m, &key, &value))
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (stk_scan_is(key, known[i].key))
                (void)stk_scan_number(value, (double *)(void *)((uint8_t *)&found + known[i].at));
    found.flags = stk_builder_inputs(b, event);
    return found;
}

static stk_status add_work(stk_builder *b, uint32_t name, uint64_t ns, const stk_span_arguments *a,
                           stk_error *err)
{
    stk_blob *works = &b->timeline->works;
    if ((a->flops <= 0 && a->bytes <= 0) || !ns) return STK_OK;
    const size_t bytes = ((size_t)name + 1) * sizeof(stk_name_work), before = works->size;
    if (bytes > before) {
        STK_TRY(stk_blob_reserve(works, bytes, err));
        memset(works->data + before, 0, bytes - before);
        works->size = bytes;
    }
    stk_name_work *work = &((stk_name_work *)(void *)works->data)[name];
    if (a->flops > 0) {
        work->flops += a->flops;
        work->flops_ns += (double)ns;
    }
    if (a->bytes > 0) {
        work->bytes += a->bytes;
        work->bytes_ns += (double)ns;
    }
    return STK_OK;
}

stk_status stk_builder_add_span(stk_builder *b, const stk_open_span *span, int64_t end_ns,
                                const stk_span_arguments *a, stk_error *err)
{
    stk_timeline_event *event;
    b->timeline->findings.spans++;
    STK_TRY(stk_builder_add(b, span->begin_ns, &event, err));
    if (!event) return STK_OK;
    event->name = span->name;
    event->category = span->category;
    event->row = span->row;
    event->ns = (uint64_t)(end_ns - span->begin_ns);
    event->kind = a->step >= 0 ? STK_TIMELINE_STEP : STK_TIMELINE_SPAN;
    event->value = a->step >= 0 ? a->step : a->bytes > 0 ? a->bytes : 0;
    event->flags = a->flags;
    stk_timeline_tracks(b->timeline)[span->row].has_spans = true;
    return add_work(b, span->name, event->ns, a, err);
}

/* Row and begin of a span. *good is false if it has no time. */
static stk_status read_span(stk_builder *b, const stk_file_event *event, stk_open_span *span,
                            bool *good, stk_error *err)
{
    *span = (stk_open_span){0};
    *good = event->ts.data && stk_scan_microseconds(event->ts, &span->begin_ns);
    if (!*good) {
        b->timeline->findings.without_times++;
        return STK_OK;
    }
    STK_TRY(stk_builder_text(b, event->name, &span->name, err));
    return stk_builder_text(b, event->category, &span->category, err);
}

stk_status stk_builder_span(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    stk_open_span span;
    bool          good;
    int64_t       ns = 0;
    STK_TRY(read_span(b, event, &span, &good, err));
    if (good && event->dur.data && (!stk_scan_microseconds(event->dur, &ns) || ns < 0)) {
        b->timeline->findings.without_times++;
        good = false;
    }
    if (!good) return STK_OK;
    STK_TRY(stk_builder_row(b, event, &span.row, err));
    const stk_span_arguments a = read_arguments(b, event);
    return stk_builder_add_span(b, &span, span.begin_ns + ns, &a, err);
}

stk_status stk_builder_begin(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    stk_open_span span;
    bool          good;
    STK_TRY(read_span(b, event, &span, &good, err));
    if (!good) return STK_OK;
    STK_TRY(stk_builder_row(b, event, &span.row, err));
    uint32_t number = b->free_open;
    if (number) {
        b->free_open = open_at(b, number)->below;
    } else {
        number = (uint32_t)(b->open.size / sizeof span);
        if (number >= OPEN_SPANS_MAX) {
            b->timeline->findings.left_out++;
            return STK_OK;
        }
        STK_TRY(stk_blob_append(&b->open, &span, sizeof span, err));
    }
    stk_timeline_track *track = &stk_timeline_tracks(b->timeline)[span.row];
    span.below = track->open;
    *open_at(b, number) = span;
    track->open = number;
    b->timeline->findings.begins_open++;
    return STK_OK;
}

stk_status stk_builder_end(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    stk_open_span end;
    bool          good;
    STK_TRY(read_span(b, event, &end, &good, err));
    if (!good) return STK_OK;
    STK_TRY(stk_builder_row(b, event, &end.row, err));
    stk_timeline_track *track = &stk_timeline_tracks(b->timeline)[end.row];
    const uint32_t      number = track->open;
    if (!number) {
        b->timeline->findings.ends_alone++;
        return STK_OK;
    }
    const stk_open_span span = *open_at(b, number);
    track->open = span.below;
    open_at(b, number)->below = b->free_open;
    b->free_open = number;
    b->timeline->findings.begins_open--;
    if (end.begin_ns < span.begin_ns) {
        b->timeline->findings.without_times++;
        return STK_OK;
    }
    const stk_span_arguments a = read_arguments(b, event);
    return stk_builder_add_span(b, &span, end.begin_ns, &a, err);
}

static uint64_t async_key(const stk_file_event *event)
{
    uint64_t key =
        stk_hash64_number(stk_builder_hash(event->pid), stk_builder_hash(event->category));
    return stk_hash64_number(key, stk_builder_hash(event->id));
}

stk_status stk_builder_begin_async(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    stk_async_span made = {.key = async_key(event)};
    bool           good;
    STK_TRY(read_span(b, event, &made.span, &good, err));
    if (!good) return STK_OK;
    STK_TRY(stk_builder_async_row(b, event, &made.span.row, err));
    if (b->async.size >= ASYNC_MAX * sizeof made) {
        b->timeline->findings.left_out++;
        return STK_OK;
    }
    b->timeline->findings.begins_open++;
    return stk_blob_append(&b->async, &made, sizeof made, err);
}

/* The innermost open span of that id: they nest. */
stk_status stk_builder_end_async(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    stk_open_span   end;
    bool            good;
    stk_async_span *list = (stk_async_span *)(void *)b->async.data;
    const uint64_t  key = async_key(event);
    size_t          i = b->async.size / sizeof *list;
    STK_TRY(read_span(b, event, &end, &good, err));
    if (!good) return STK_OK;
    while (i > 0 && list[i - 1].key != key)
        i--;
    if (!i) {
        b->timeline->findings.ends_alone++;
        return STK_OK;
    }
    const stk_async_span found = list[i - 1];
    memmove(&list[i - 1], &list[i], b->async.size - i * sizeof *list);
    b->async.size -= sizeof *list;
    b->timeline->findings.begins_open--;
    if (end.begin_ns < found.span.begin_ns) {
        b->timeline->findings.without_times++;
        return STK_OK;
    }
    const stk_span_arguments a = read_arguments(b, event);
    return stk_builder_add_span(b, &found.span, end.begin_ns, &a, err);
}

stk_status stk_builder_add_counter(stk_builder *b, const stk_open_span *at, double value,
                                   stk_error *err)
{
    stk_timeline_event *made;
    b->timeline->findings.counters++;
    STK_TRY(stk_builder_add(b, at->begin_ns, &made, err));
    if (!made) return STK_OK;
    made->name = at->name;
    made->category = at->category;
    made->row = at->row;
    made->kind = STK_TIMELINE_COUNTER;
    made->value = value;
    return STK_OK;
}

/* Each argument of a counter is a series of its own; a single one has the counter's name. */
stk_status stk_builder_counter(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    stk_open_span span;
    bool          good;
    stk_members   m;
    stk_bytes     key, value;
    STK_TRY(read_span(b, event, &span, &good, err));
    if (!good || !stk_scan_is_object(event->args)) return STK_OK;
    STK_TRY(stk_builder_row(b, event, &span.row, err));
    stk_members_begin(&m, event->args);
    for (bool first = true; stk_members_next(&m, &key, &value); first = false) {
        double number;
        if (!stk_scan_number(value, &number)) continue;
        if (!first) STK_TRY(stk_string_table_add(&b->timeline->texts, key, &span.name, err));
        STK_TRY(stk_builder_add_counter(b, &span, number, err));
    }
    return STK_OK;
}
