/* Compares two timelines: costs of a step by stage and by operation. */
#include "base/hash.h"
#include "observe/timeline/timeline_ops.h"
#include "observe/timeline/windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS_MAX = 256, RESAMPLES = 400, FEWEST_STEPS = 4 };

/* One of the timelines. */
typedef struct side {
    const stk_timeline *t;
    stk_windows         windows;
    stk_op_span        *calls; /* sorted by name, then time */
    size_t              call_count;
    double             *by_step; /* of the current row */
} side;

static void clear(side *s)
{
    memset(s->by_step, 0, s->windows.count * sizeof *s->by_step);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : 0;
}

/* Means of consecutive steps, at most BLOCKS_MAX of them. */
static size_t make_blocks(const side *s, double *blocks)
{
    const size_t steps = s->windows.count, count = steps < BLOCKS_MAX ? steps : BLOCKS_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = i * steps / count, end = (i + 1) * steps / count;
        blocks[i] = mean_of(s->by_step + begin, end - begin);
    }
    return count;
}

static double resampled_mean(const double *blocks, size_t count, uint64_t *random)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        *random = stk_hash64_number(*random, i + 1);
        sum += blocks[(*random >> 32) * count >> 32];
    }
    return sum / (double)count;
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Bootstrap interval of the difference of means. */
static void bound_change(side *sides, stk_timeline_change *change)
{
    double       blocks[2][BLOCKS_MAX], deltas[RESAMPLES];
    const size_t a = make_blocks(&sides[0], blocks[0]), b = make_blocks(&sides[1], blocks[1]);
    uint64_t     random = 1;
    change->low_ns = 1;
    change->high_ns = -1;
    if (a < FEWEST_STEPS || b < FEWEST_STEPS) return;
    for (int i = 0; i < RESAMPLES; i++)
        deltas[i] = resampled_mean(blocks[1], b, &random) - resampled_mean(blocks[0], a, &random);
    qsort(deltas, RESAMPLES, sizeof *deltas, compare_doubles);
    change->low_ns = deltas[RESAMPLES / 40];
    change->high_ns = deltas[RESAMPLES - 1 - RESAMPLES / 40];
}

/* Completes a row from both sides' by_step. */
static void finish_change(side *sides, stk_timeline_change *change)
{
    for (int i = 0; i < 2; i++)
        change->ns[i] = mean_of(sides[i].by_step, sides[i].windows.count);
    change->delta_ns = change->ns[1] - change->ns[0];
    bound_change(sides, change);
}

static void compare_stages(stk_timeline_diff *out, side *sides)
{
    for (int stage = -1; stage < STK_STAGE_COUNT; stage++) {
        stk_timeline_change *change = stage < 0 ? &out->step : &out->stages[stage];
        change->stage = stage < 0 ? STK_STAGE_NONE : (stk_stage)stage;
        snprintf(change->name, sizeof change->name, "%s",
                 stage < 0 ? "step" : stk_stage_name((stk_stage)stage));
        for (int i = 0; i < 2; i++)
            for (size_t k = 0; k < sides[i].windows.count; k++) {
                const stk_step_window *w = &sides[i].windows.list[k];
                sides[i].by_step[k] = (double)(stage < 0 ? stk_window_ns(w) : w->exposed_ns[stage]);
            }
        finish_change(sides, change);
        for (int i = 0; i < 2; i++) {
            change->calls[i] = stage < 0;
            change->mean_ns[i] = stage < 0 ? change->ns[i] : -1;
        }
    }
    out->step_ns[0] = out->step.ns[0];
    out->step_ns[1] = out->step.ns[1];
}

static int compare_calls(const void *left, const void *right, void *context)
{
    const stk_timeline *t = context;
    const stk_op_span  *a = left, *b = right;
    if (a->is_device != b->is_device) return a->is_device ? -1 : 1;
    if (a->name == b->name) return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
    return strcmp(stk_timeline_text(t, a->name), stk_timeline_text(t, b->name));
}

static size_t end_of_group(const side *s, size_t begin)
{
    size_t end = begin + 1;
    while (end < s->call_count && s->calls[end].name == s->calls[begin].name &&
           s->calls[end].is_device == s->calls[begin].is_device)
        end++;
    return end;
}

/* Orders the next groups of both sides; 0: the same operation. */
static int compare_groups(const side *sides, const size_t *at)
{
    if (at[0] >= sides[0].call_count) return 1;
    if (at[1] >= sides[1].call_count) return -1;
    const stk_op_span *a = &sides[0].calls[at[0]], *b = &sides[1].calls[at[1]];
    if (a->is_device != b->is_device) return a->is_device ? -1 : 1;
    return strcmp(stk_timeline_text(sides[0].t, a->name), stk_timeline_text(sides[1].t, b->name));
}

/* Adds a group's time to its steps. */
static void add_group(side *s, size_t begin, size_t end, int which, stk_timeline_change *change)
{
    double calls = 0, total = 0;
    for (size_t i = begin; i < end; i++) {
        const stk_step_window *w = stk_windows_at(&s->windows, s->calls[i].begin_ns);
        if (!w) continue;
        s->by_step[w - s->windows.list] += (double)s->calls[i].self_ns;
        calls++;
        total += (double)s->calls[i].ns;
    }
    change->calls[which] = calls / (double)s->windows.count;
    change->mean_ns[which] = calls > 0 ? total / calls : -1;
    change->stage = (stk_stage)s->calls[begin].stage;
    snprintf(change->name, sizeof change->name, "%.*s", (int)sizeof change->name - 1,
             stk_timeline_text(s->t, s->calls[begin].name));
}

static int compare_changes(const void *left, const void *right)
{
    const stk_timeline_change *a = left, *b = right;
    const double               first = fabs(a->delta_ns), second = fabs(b->delta_ns);
    if (first != second) return first < second ? 1 : -1;
    return strcmp(a->name, b->name);
}

static stk_status compare_ops(stk_timeline_diff *out, side *sides, stk_blob *changes,
                              stk_error *err)
{
    size_t at[2] = {0};
    while (at[0] < sides[0].call_count || at[1] < sides[1].call_count) {
        const int           order = compare_groups(sides, at);
        stk_timeline_change change = {.mean_ns = {-1, -1}};
        for (int i = 0; i < 2; i++) {
            clear(&sides[i]);
            if ((i == 0 && order > 0) || (i == 1 && order < 0)) continue;
            const size_t end = end_of_group(&sides[i], at[i]);
            add_group(&sides[i], at[i], end, i, &change);
            at[i] = end;
        }
        finish_change(sides, &change);
        if (change.calls[0] + change.calls[1] > 0)
            STK_TRY(stk_blob_append(changes, &change, sizeof change, err));
    }
    out->ops = malloc(changes->size ? changes->size : 1);
    if (!out->ops) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for operations");
    if (changes->size) memcpy(out->ops, changes->data, changes->size);
    out->op_count = changes->size / sizeof *out->ops;
    qsort(out->ops, out->op_count, sizeof *out->ops, compare_changes);
    return STK_OK;
}

static stk_status prepare(side *s, const stk_timeline *t, const char *which, stk_error *err)
{
    s->t = t;
    STK_TRY(stk_windows_find(&s->windows, t, err));
    if (!s->windows.count)
        return stk_fail(err, STK_E_INVALID, "trace", which,
                        "the trace has no spans: there is nothing to compare");
    STK_TRY(stk_windows_expose(&s->windows, t, err));
    STK_TRY(stk_timeline_list_calls(t, &s->calls, &s->call_count, err));
    qsort_r(s->calls, s->call_count, sizeof *s->calls, compare_calls, (void *)t);
    s->by_step = calloc(s->windows.count, sizeof *s->by_step);
    if (s->by_step) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "trace", which, "no memory for %zu steps", s->windows.count);
}

stk_status stk_timeline_compare(stk_timeline_diff *out, const stk_timeline *a,
                                const stk_timeline *b, stk_error *err)
{
    side     sides[2] = {0};
    stk_blob changes;
    *out = (stk_timeline_diff){0};
    stk_blob_init(&changes, NULL, STK_MEMORY_INDEX);
    stk_status st = prepare(&sides[0], a, "the first", err);
    if (!st) st = prepare(&sides[1], b, "the second", err);
    if (!st) {
        compare_stages(out, sides);
        st = compare_ops(out, sides, &changes, err);
    }
    for (int i = 0; i < 2; i++) {
        out->steps[i] = sides[i].windows.count;
        stk_windows_release(&sides[i].windows);
        free(sides[i].calls);
        free(sides[i].by_step);
    }
    stk_blob_release(&changes);
    if (st) stk_timeline_diff_release(out);
    return st;
}

void stk_timeline_diff_release(stk_timeline_diff *diff)
{
    free(diff->ops);
    *diff = (stk_timeline_diff){0};
}
