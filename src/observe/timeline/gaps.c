/* Idle gaps of devices, and the spans on other rows during them. */
#include "observe/timeline/windows.h"

#include <stdlib.h>

enum { SPANS_MAX = 64 };

/* Span intervals of all rows. */
typedef struct board {
    const stk_timeline *t;
    stk_windows         windows;
    stk_blob            intervals; /* stk_span_interval */
    stk_blob            begins;    /* size_t: first index of each row, and the total */
    stk_blob            busy;      /* stk_span_interval: merged, of the current device */
    stk_blob            gaps;      /* stk_timeline_gap: of the current device */
    uint64_t            begin_ns, end_ns;
} board;

static const stk_span_interval *intervals_of(const board *b, uint32_t row, size_t *count)
{
    const size_t            *begins = (const size_t *)(void *)b->begins.data;
    const stk_span_interval *all = (const stk_span_interval *)(void *)b->intervals.data;
    *count = begins[row + 1] - begins[row];
    return *count ? all + begins[row] : NULL;
}

static stk_status lay_out(board *b, stk_error *err)
{
    for (uint32_t row = 0; row <= stk_timeline_row_count(b->t); row++) {
        const size_t begin = b->intervals.size / sizeof(stk_span_interval);
        STK_TRY(stk_blob_append(&b->begins, &begin, sizeof begin, err));
        if (row < stk_timeline_row_count(b->t))
            STK_TRY(stk_row_span_intervals(b->t, row, &b->intervals, err));
    }
    return STK_OK;
}

/* Copies leave compute units idle. */
static bool is_busy(const stk_span_interval *s)
{
    return (s->stage == STK_STAGE_COMPUTE && !s->is_launch) || s->stage == STK_STAGE_ALLREDUCE;
}

static int compare_stretches(const void *left, const void *right)
{
    const stk_span_interval *a = left, *b = right;
    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* Rows of one device run in parallel: it is idle if all are. */
static bool same_device(const board *b, uint32_t device, uint32_t row)
{
    const stk_timeline_track *tracks = stk_timeline_tracks(b->t);
    if (row == device) return true;
    return tracks[row].row.is_device && tracks[row].row.process == tracks[device].row.process;
}

static stk_status collect_busy(board *b, uint32_t device, stk_error *err)
{
    b->busy.size = 0;
    for (uint32_t row = 0; row < stk_timeline_row_count(b->t); row++) {
        size_t                   count;
        const stk_span_interval *list = intervals_of(b, row, &count);
        for (size_t i = 0; same_device(b, device, row) && i < count; i++)
            if (is_busy(&list[i])) STK_TRY(stk_blob_append(&b->busy, &list[i], sizeof *list, err));
    }
    if (b->busy.size)
        qsort(b->busy.data, b->busy.size / sizeof(stk_span_interval), sizeof(stk_span_interval),
              compare_stretches);
    return STK_OK;
}

static stk_status add_gap(board *b, stk_timeline_idle *idle, uint64_t begin, uint64_t end,
                          stk_error *err)
{
    if (begin >= end) return STK_OK;
    const stk_step_window *window = stk_windows_at(&b->windows, begin);
    const stk_timeline_gap gap = {
        .begin_ns = begin, .ns = end - begin, .row = idle->row, .step = window ? window->step : -1};
    idle->gaps++;
    idle->idle_ns += gap.ns;
    return stk_blob_append(&b->gaps, &gap, sizeof gap, err);
}

static stk_status collect_gaps(board *b, stk_timeline_idle *idle, stk_error *err)
{
    const stk_span_interval *busy = (const stk_span_interval *)(void *)b->busy.data;
    uint64_t                 at = b->begin_ns;
    b->gaps.size = 0;
    for (size_t i = 0; i < b->busy.size / sizeof *busy && at < b->end_ns; i++) {
        const uint64_t until = busy[i].begin_ns < b->end_ns ? busy[i].begin_ns : b->end_ns;
        STK_TRY(add_gap(b, idle, at, until, err));
        if (busy[i].end_ns > at) at = busy[i].end_ns;
    }
    return add_gap(b, idle, at, b->end_ns, err);
}

static int compare_gaps(const void *left, const void *right)
{
    const stk_timeline_gap *a = left, *b = right;
    if (a->ns != b->ns) return a->ns < b->ns ? 1 : -1;
    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* Spans during a gap, by row and name. */
typedef struct spans {
    stk_timeline_gap_span list[SPANS_MAX];
    bool                  waited_for[SPANS_MAX]; /* of a row that the device waits for */
    size_t                count;
} spans;

static void add_span(spans *d, const stk_span_interval *s, uint64_t ns, bool waited_for)
{
    size_t i = 0;
    while (i < d->count && (d->list[i].row != s->row || d->list[i].name != s->name))
        i++;
    if (i == SPANS_MAX) return;
    if (i == d->count) {
        d->waited_for[d->count] = waited_for;
        d->list[d->count++] =
            (stk_timeline_gap_span){.name = s->name, .row = s->row, .stage = s->stage};
    }
    d->list[i].ns += ns;
}

/* Adds a row's intervals that overlap the gap. */
static void add_row(const board *b, uint32_t row, bool own, const stk_timeline_gap *gap, spans *d)
{
    size_t                   count, low = 0;
    const stk_span_interval *list = intervals_of(b, row, &count);
    const bool               waited_for = stk_row_is_exposed(b->t, &b->windows, row);
    if (stk_timeline_tracks(b->t)[row].is_derived) return;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].end_ns <= gap->begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && list[low].begin_ns < gap->begin_ns + gap->ns; low++) {
        const uint64_t end = gap->begin_ns + gap->ns;
        const uint64_t from =
            list[low].begin_ns > gap->begin_ns ? list[low].begin_ns : gap->begin_ns;
        const uint64_t to = list[low].end_ns < end ? list[low].end_ns : end;
        if (own && is_busy(&list[low])) continue;
        add_span(d, &list[low], to - from, waited_for);
    }
}

/* Rows that the device waits for come first, then spans with a stage, then the longest. */
static bool comes_before(const spans *d, size_t a, size_t b)
{
    if (d->waited_for[a] != d->waited_for[b]) return d->waited_for[a];
    const bool first = d->list[a].stage != STK_STAGE_NONE;
    const bool second = d->list[b].stage != STK_STAGE_NONE;
    return first != second ? first : d->list[a].ns > d->list[b].ns;
}

static void sort_spans(spans *d)
{
    for (size_t i = 1; i < d->count; i++)
        for (size_t k = i; k > 0 && comes_before(d, k, k - 1); k--) {
            const stk_timeline_gap_span span = d->list[k];
            const bool                  waited_for = d->waited_for[k];
            d->list[k] = d->list[k - 1];
            d->waited_for[k] = d->waited_for[k - 1];
            d->list[k - 1] = span;
            d->waited_for[k - 1] = waited_for;
        }
}

static void explain(const board *b, stk_timeline_gap *gap, uint64_t *by_stage)
{
    spans    d = {.count = 0};
    uint64_t left = gap->ns;
    for (uint32_t row = 0; row < stk_timeline_row_count(b->t); row++)
        add_row(b, row, same_device(b, gap->row, row), gap, &d);
    sort_spans(&d);
    for (size_t i = 0; i < d.count && d.waited_for[i]; i++) {
        const uint64_t ns = d.list[i].ns < left ? d.list[i].ns : left;
        by_stage[d.list[i].stage] += ns;
        left -= ns;
    }
    by_stage[STK_STAGE_NONE] += left;
    gap->span_count = d.count < STK_TIMELINE_GAP_SPANS ? d.count : STK_TIMELINE_GAP_SPANS;
    for (size_t i = 0; i < gap->span_count; i++)
        gap->spans[i] = d.list[i];
}

static stk_status find_gaps_of(board *b, uint32_t device, size_t max, stk_timeline_gaps *out,
                               stk_blob *kept, stk_error *err)
{
    stk_timeline_idle *idle = &out->rows[out->row_count];
    *idle = (stk_timeline_idle){.row = device, .window_ns = b->end_ns - b->begin_ns};
    STK_TRY(collect_busy(b, device, err));
    if (!b->busy.size && stk_timeline_tracks(b->t)[device].row.is_device) return STK_OK;
    STK_TRY(collect_gaps(b, idle, err));
    out->row_count++;
    stk_timeline_gap *gaps = (stk_timeline_gap *)(void *)b->gaps.data;
    const size_t      count = b->gaps.size / sizeof *gaps;
    if (count) qsort(gaps, count, sizeof *gaps, compare_gaps);
    for (size_t i = 0; i < count; i++)
        explain(b, &gaps[i], out->idle_ns_by_stage);
    return stk_blob_append(kept, gaps, (count < max ? count : max) * sizeof *gaps, err);
}

/* A device is represented by its first row. */
static bool is_first_row(const board *b, uint32_t row)
{
    if (!stk_timeline_tracks(b->t)[row].row.is_device) return false;
    for (uint32_t before = 0; before < row; before++)
        if (same_device(b, row, before)) return false;
    return true;
}

static stk_status find_all_gaps(board *b, size_t max, stk_timeline_gaps *out, stk_error *err)
{
    stk_blob kept;
    stk_blob_init(&kept, NULL, STK_MEMORY_INDEX);
    out->rows = calloc(stk_timeline_row_count(b->t) + 1, sizeof *out->rows);
    if (!out->rows) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for rows");
    stk_status st = STK_OK;
    for (uint32_t row = 0; !st && row < stk_timeline_row_count(b->t); row++)
        if (is_first_row(b, row)) st = find_gaps_of(b, row, max, out, &kept, err);
    if (!st && !out->row_count && stk_timeline_row_count(b->t))
        st = find_gaps_of(b, stk_timeline_busiest_row(b->t), max, out, &kept, err);
    out->count = kept.size / sizeof *out->list;
    if (!st) out->list = malloc(kept.size ? kept.size : 1);
    if (!st && !out->list) st = stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for gaps");
    if (!st && kept.size) {
        memcpy(out->list, kept.data, kept.size);
        qsort(out->list, out->count, sizeof *out->list, compare_gaps);
    }
    stk_blob_release(&kept);
    return st;
}

stk_status stk_timeline_find_gaps(stk_timeline_gaps *out, const stk_timeline *timeline, size_t max,
                                  stk_error *err)
{
    board     b = {.t = timeline};
    stk_blob *blobs[] = {&b.intervals, &b.begins, &b.busy, &b.gaps};
    *out = (stk_timeline_gaps){0};
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        stk_blob_init(blobs[i], NULL, STK_MEMORY_INDEX);
    stk_status st = stk_windows_find(&b.windows, timeline, err);
    if (!st && b.windows.count) {
        b.begin_ns = b.windows.list[0].begin_ns;
        b.end_ns = b.windows.list[b.windows.count - 1].end_ns;
        st = lay_out(&b, err);
        if (!st) st = find_all_gaps(&b, max, out, err);
    }
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        stk_blob_release(blobs[i]);
    stk_windows_release(&b.windows);
    if (st) stk_timeline_gaps_release(out);
    return st;
}

void stk_timeline_gaps_release(stk_timeline_gaps *gaps)
{
    free(gaps->rows);
    free(gaps->list);
    *gaps = (stk_timeline_gaps){0};
}
