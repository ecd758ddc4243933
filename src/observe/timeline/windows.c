/* Steps of a timeline: marked, or found by an operation that occurs once per step. */
#include "observe/timeline/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_STEPS = 3, FEWEST_NAMES = 3, PAUSE_MAX = 10 };
static const double uneven_max = 0.5; /* relative spread of the period */

static int compare_windows(const void *left, const void *right)
{
    const stk_step_window *a = left, *b = right;
    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

static int compare_lengths(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The row with the most step marks: other ranks and threads may have their own. */
static bool find_marked_row(const stk_timeline *t, uint32_t *row, size_t *markers)
{
    size_t now = 0;
    *markers = 0;
    for (size_t i = 0; i < stk_timeline_count(t); i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (i && e->row != e[-1].row) now = 0;
        now += e->kind == STK_TIMELINE_STEP && e->ns > 0;
        if (now > *markers) {
            *markers = now;
            *row = e->row;
        }
    }
    return *markers > 0;
}

static stk_status allocate(stk_windows *w, size_t count, stk_error *err)
{
    w->list = calloc(count ? count : 1, sizeof *w->list);
    if (!w->list)
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu steps", count);
    return STK_OK;
}

/* The median length, for comparison with pauses. */
static stk_status middle_length(const stk_windows *w, uint64_t *middle, stk_error *err)
{
    uint64_t *lengths = malloc(w->count * sizeof *lengths);
    if (!lengths)
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu steps", w->count);
    for (size_t i = 0; i < w->count; i++)
        lengths[i] = w->list[i].end_ns - w->list[i].begin_ns;
    qsort(lengths, w->count, sizeof *lengths, compare_lengths);
    *middle = lengths[w->count / 2];
    free(lengths);
    return STK_OK;
}

/* Time between two steps belongs to the earlier one, as waiting for input often does; long pauses
 * are separate, such as evaluations. Nested marks are ignored. */
static stk_status join(stk_windows *w, stk_error *err)
{
    size_t   kept = 0;
    uint64_t middle = 0;
    for (size_t i = 0; i < w->count; i++)
        if (!kept || w->list[i].begin_ns >= w->list[kept - 1].end_ns) w->list[kept++] = w->list[i];
    w->count = kept;
    STK_TRY(middle_length(w, &middle, err));
    for (size_t i = 0; i + 1 < w->count; i++) {
        const uint64_t pause = w->list[i + 1].begin_ns - w->list[i].end_ns;
        if (pause <= middle * PAUSE_MAX)
            w->list[i].end_ns += pause;
        else
            w->between_ns += pause;
    }
    return STK_OK;
}

/* The number that a step's mark carries; -1 for what counts no steps. */
static double number_of(const stk_timeline_event *mark)
{
    return mark->value >= 0 && mark->value < 9007199254740992.0 ? mark->value : -1;
}

static stk_status find_marked(stk_windows *w, const stk_timeline *t, size_t markers, stk_error *err)
{
    size_t begin, end;
    STK_TRY(allocate(w, markers, err));
    stk_timeline_row_range(t, w->row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (e->kind != STK_TIMELINE_STEP || !e->ns) continue;
        w->list[w->count++] = (stk_step_window){
            .begin_ns = e->begin_ns, .end_ns = stk_event_end(e), .step = number_of(e)};
    }
    qsort(w->list, w->count, sizeof *w->list, compare_windows);
    return join(w, err);
}

typedef struct name_use {
    uint32_t calls;
    uint64_t ns;
} name_use;

uint32_t stk_timeline_busiest_row(const stk_timeline *t)
{
    uint64_t now[2] = {0}, best[2] = {0};
    uint32_t busiest[2] = {0};
    for (size_t i = 0; i < stk_timeline_count(t); i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        const stk_timeline_track *track = &stk_timeline_tracks(t)[e->row];
        if (i && e->row != e[-1].row) now[0] = now[1] = 0;
        if (track->is_background || track->is_derived) continue;
        now[0] += e->stage == STK_STAGE_COMPUTE ? e->ns : 0;
        now[1] += e->kind == STK_TIMELINE_SPAN;
        for (int k = 0; k < 2; k++)
            if (now[k] > best[k]) {
                best[k] = now[k];
                busiest[k] = e->row;
            }
    }
    return best[0] ? busiest[0] : busiest[1];
}

static int compare_calls(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The number of steps is the most frequent call count; 0: too few names agree. */
static uint32_t count_steps(uint32_t *calls, size_t names)
{
    size_t   best = FEWEST_NAMES - 1, same = 0;
    uint32_t steps = 0;
    qsort(calls, names, sizeof *calls, compare_calls);
    for (size_t i = 0; i < names; i++) {
        same = i && calls[i] == calls[i - 1] ? same + 1 : 1;
        if (calls[i] < FEWEST_STEPS || same <= best) continue;
        best = same;
        steps = calls[i];
    }
    return steps;
}

/* Of the names that occur once per step, the longest span delimits steps. */
static stk_status choose_operation(const name_use *uses, size_t names, uint32_t *operation,
                                   uint32_t *steps, stk_error *err)
{
    *operation = 0;
    uint32_t *calls = malloc(names * sizeof *calls);
    if (!calls) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu names", names);
    for (size_t i = 0; i < names; i++)
        calls[i] = uses[i].calls;
    *steps = count_steps(calls, names);
    free(calls);
    for (size_t i = 1; i < names && *steps; i++)
        if (uses[i].calls == *steps && (!*operation || uses[i].ns > uses[*operation].ns))
            *operation = (uint32_t)i;
    return STK_OK;
}

static bool is_even(const stk_windows *w)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < w->count; i++) {
        const double ns = (double)(w->list[i].end_ns - w->list[i].begin_ns);
        sum += ns;
        squares += ns * ns;
    }
    const double mean = sum / (double)w->count;
    return mean > 0 && sqrt(fmax(0, squares / (double)w->count - mean * mean)) < uneven_max * mean;
}

/* Steps from each call of the operation to the next. */
static stk_status cut_by_operation(stk_windows *w, const stk_timeline *t, uint32_t operation,
                                   uint32_t calls, stk_error *err)
{
    size_t begin, end, found = 0;
    STK_TRY(allocate(w, calls, err));
    stk_timeline_row_range(t, w->row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (e->name != operation || e->kind != STK_TIMELINE_SPAN || found >= calls) continue;
        if (found) w->list[found - 1].end_ns = e->begin_ns;
        w->list[found] = (stk_step_window){.begin_ns = e->begin_ns, .step = (double)found};
        found++;
    }
    w->count = found ? found - 1 : 0;
    w->operation = operation;
    return STK_OK;
}

static stk_status find_periodic(stk_windows *w, const stk_timeline *t, stk_error *err)
{
    const size_t names = stk_string_table_count(&t->texts);
    size_t       begin, end;
    uint32_t     operation, calls;
    name_use    *uses = calloc(names, sizeof *uses);
    if (!uses) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu names", names);
    w->row = stk_timeline_busiest_row(t);
    stk_timeline_row_range(t, w->row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (e->kind != STK_TIMELINE_SPAN) continue;
        uses[e->name].calls++;
        uses[e->name].ns += e->ns;
    }
    const stk_status st = choose_operation(uses, names, &operation, &calls, err);
    free(uses);
    if (st || !operation) return st;
    STK_TRY(cut_by_operation(w, t, operation, calls, err));
    if (w->count < FEWEST_STEPS - 1 || !is_even(w)) stk_windows_release(w);
    return STK_OK;
}

static stk_status take_all(stk_windows *w, const stk_timeline *t, stk_error *err)
{
    STK_TRY(allocate(w, 1, err));
    w->source = STK_STEPS_WHOLE;
    w->list[0] = (stk_step_window){.end_ns = t->end_ns};
    w->count = t->end_ns > 0;
    w->row = stk_timeline_busiest_row(t);
    return STK_OK;
}

/* Our own steps include an evaluation in between, which is a span of that name on the same row. */
static void find_evaluations(stk_windows *w, const stk_timeline *t)
{
    size_t begin, end, at = 0;
    if (t->tool != STK_TIMELINE_STOKER) return;
    stk_timeline_row_range(t, w->row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (e->kind != STK_TIMELINE_SPAN || e->stage != STK_STAGE_NONE ||
            strcmp(stk_timeline_text(t, e->name), "evaluate") != 0)
            continue;
        while (at < w->count && w->list[at].end_ns <= e->begin_ns)
            at++;
        if (at == w->count || w->list[at].begin_ns > e->begin_ns) continue;
        stk_step_window *window = &w->list[at];
        window->aside_begin_ns = e->begin_ns;
        window->aside_end_ns =
            stk_event_end(e) < window->end_ns ? stk_event_end(e) : window->end_ns;
    }
}

stk_status stk_windows_find(stk_windows *out, const stk_timeline *t, stk_error *err)
{
    size_t markers;
    *out = (stk_windows){.source = STK_STEPS_MARKED};
    if (find_marked_row(t, &out->row, &markers)) {
        STK_TRY(find_marked(out, t, markers, err));
        find_evaluations(out, t);
        return STK_OK;
    }
    out->source = STK_STEPS_PERIODIC;
    STK_TRY(find_periodic(out, t, err));
    return out->count ? STK_OK : take_all(out, t, err);
}

void stk_windows_release(stk_windows *windows)
{
    free(windows->list);
    windows->list = NULL;
    windows->count = 0;
}

const stk_step_window *stk_windows_at(const stk_windows *windows, uint64_t ns)
{
    size_t low = 0, high = windows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (windows->list[middle].end_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < windows->count && windows->list[low].begin_ns <= ns ? &windows->list[low] : NULL;
}
