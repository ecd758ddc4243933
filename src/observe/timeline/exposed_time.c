/* Assigns each moment of a step to a stage, by a sweep over interval bounds. */
#include "observe/timeline/tool.h"
#include "observe/timeline/windows.h"

#include <stdlib.h>

enum { RANKS = 16 };

bool stk_timeline_has_devices(const stk_timeline *t)
{
    for (size_t i = 0; i < stk_timeline_row_count(t); i++) {
        const stk_timeline_track *track = &stk_timeline_tracks(t)[i];
        if (track->row.is_device && track->has_spans) return true;
    }
    return false;
}

/* Ranks merged into one trace are analysed separately. */
static bool of_same_rank(const stk_timeline *t, const stk_windows *w, uint32_t row)
{
    enum { PROCESSES_A_RANK = 1000 };
    const stk_timeline_track *tracks = stk_timeline_tracks(t);
    return !t->origin.is_merged || tracks[row].row.process / PROCESSES_A_RANK ==
                                       tracks[w->row].row.process / PROCESSES_A_RANK;
}

bool stk_row_is_exposed(const stk_timeline *t, const stk_windows *windows, uint32_t row)
{
    const stk_timeline_track *track = &stk_timeline_tracks(t)[row];
    if (track->is_background || track->is_derived || !track->has_spans) return false;
    if (stk_tool_of(t)->only_step_row_exposed && windows->source == STK_STEPS_MARKED)
        return row == windows->row;
    return of_same_rank(t, windows, row);
}

/* Priority of an interval: device work, then the stage that the device waits for. Without a device
 * the host's operations are compute; with one they are launches. */
static int rank_of(const stk_span_interval *s, bool on_device, bool has_devices)
{
    if (s->is_launch) return 6;
    switch (s->stage) {
    case STK_STAGE_COMPUTE:
        return on_device || !has_devices ? 12 : 2;
    case STK_STAGE_DEVICE_TO_HOST:
        return on_device ? 11 : 5;
    case STK_STAGE_PREPROCESS:
        return 10;
    case STK_STAGE_READ:
        return 9;
    case STK_STAGE_ALLREDUCE:
        return 8;
    case STK_STAGE_HOST_TO_DEVICE:
        return on_device ? 7 : 4;
    case STK_STAGE_WRITE:
        return 3;
    case STK_STAGE_OUTPUT:
        return 1;
    default:
        return 0;
    }
}

static const stk_stage stage_of_rank[RANKS] = {
    [1] = STK_STAGE_OUTPUT,         [2] = STK_STAGE_COMPUTE,         [3] = STK_STAGE_WRITE,
    [4] = STK_STAGE_HOST_TO_DEVICE, [5] = STK_STAGE_DEVICE_TO_HOST,  [6] = STK_STAGE_COMPUTE,
    [7] = STK_STAGE_HOST_TO_DEVICE, [8] = STK_STAGE_ALLREDUCE,       [9] = STK_STAGE_READ,
    [10] = STK_STAGE_PREPROCESS,    [11] = STK_STAGE_DEVICE_TO_HOST, [12] = STK_STAGE_COMPUTE};

typedef struct edge {
    uint64_t ns;
    int8_t   rank, change; /* 1 at a begin, -1 at an end */
} edge;

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static stk_status collect_edges(const stk_windows *w, const stk_timeline *t, stk_blob *edges,
                                stk_error *err)
{
    const bool devices = stk_timeline_has_devices(t);
    stk_blob   intervals;
    stk_status st = STK_OK;
    stk_blob_init(&intervals, NULL, STK_MEMORY_INDEX);
    for (uint32_t row = 0; !st && row < stk_timeline_row_count(t); row++) {
        if (!stk_row_is_exposed(t, w, row)) continue;
        const bool on_device = stk_timeline_tracks(t)[row].row.is_device;
        const bool alone = stk_tool_of(t)->only_step_row_exposed;
        intervals.size = 0;
        st = stk_row_span_intervals(t, row, &intervals, err);
        const stk_span_interval *list = (const stk_span_interval *)(void *)intervals.data;
        for (size_t i = 0; !st && i < intervals.size / sizeof *list; i++) {
            if (!list[i].stage) continue;
            const int8_t rank = (int8_t)rank_of(&list[i], on_device, devices && !alone);
            const edge   both[] = {{list[i].begin_ns, rank, 1}, {list[i].end_ns, rank, -1}};
            st = stk_blob_append(edges, both, sizeof both, err);
        }
    }
    stk_blob_release(&intervals);
    return st;
}

static uint64_t common(uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
    const uint64_t first = begin > from ? begin : from, last = end < to ? end : to;
    return first < last ? last - first : 0;
}

/* Adds an interval to the windows it overlaps; at is the first candidate. */
static void add_time(stk_windows *w, size_t *at, uint64_t begin, uint64_t end, stk_stage stage)
{
    while (*at < w->count && w->list[*at].end_ns <= begin)
        ++*at;
    for (size_t i = *at; i < w->count && w->list[i].begin_ns < end; i++) {
        stk_step_window *window = &w->list[i];
        const uint64_t   ns = common(begin, end, window->begin_ns, window->end_ns);
        const uint64_t   aside = common(begin, end, window->aside_begin_ns, window->aside_end_ns);
        window->exposed_ns[stage] += ns - aside;
        w->aside_ns[stage] += aside;
    }
}

static void sweep(stk_windows *w, const edge *edges, size_t count)
{
    int64_t active[RANKS] = {0};
    size_t  at = 0;
    for (size_t i = 0; i < count; i++) {
        int top = RANKS - 1;
        while (top > 0 && active[top] <= 0)
            top--;
        if (i && top > 0 && edges[i].ns > edges[i - 1].ns)
            add_time(w, &at, edges[i - 1].ns, edges[i].ns, stage_of_rank[top]);
        active[edges[i].rank] += edges[i].change;
    }
}

/* Time without an interval is the loop itself. */
static void add_rest(stk_windows *w)
{
    for (size_t i = 0; i < w->count; i++) {
        stk_step_window *window = &w->list[i];
        uint64_t         rest = stk_window_ns(window);
        for (int s = STK_STAGE_READ; s < STK_STAGE_COUNT; s++)
            rest -= window->exposed_ns[s];
        window->exposed_ns[STK_STAGE_NONE] = rest;
    }
}

stk_status stk_windows_expose(stk_windows *windows, const stk_timeline *t, stk_error *err)
{
    stk_blob edges;
    stk_blob_init(&edges, NULL, STK_MEMORY_INDEX);
    const stk_status st = collect_edges(windows, t, &edges, err);
    edge            *list = (edge *)(void *)edges.data;
    const size_t     count = edges.size / sizeof *list;
    if (!st && count) {
        qsort(list, count, sizeof *list, compare_edges);
        sweep(windows, list, count);
    }
    stk_blob_release(&edges);
    if (!st) add_rest(windows);
    return st;
}
