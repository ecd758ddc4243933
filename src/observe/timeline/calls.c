/* Attributes a step's time to functions of the program, if the trace has Python stacks. */
#include "observe/timeline/timeline_program.h"
#include "observe/timeline/tool.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 256, KINDS = 4 };

/* A function with this fraction of all compute is the training loop itself. A function with this
 * fraction of its caller's time is named instead of the caller. Pauses have at least this length,
 * or this fraction of a step. */
static const double   computes = 0.05, same = 0.8, pause_min = 0.05, often_enough = 0.7;
static const uint64_t pause_min_ns = 500000;

/* Classes of the training thread's time. */
typedef enum kind { PAUSE, PREPARE, WRITE, COMPUTE } kind;

/* Sums of all time before an interval, by kind. */
typedef struct marker {
    uint64_t begin_ns, end_ns;
    int      kind; /* -1: another stage */
    double   before[KINDS];
} marker;

typedef struct use {
    double   ns[KINDS];
    double   depth;
    uint64_t calls;
} use;

typedef struct survey {
    const stk_timeline *t;
    const stk_windows  *w;
    marker             *markers;
    size_t              count;
    use                *uses; /* indexed by name */
    double              all[KINDS];
    double              pauses;
    size_t              pause_count, call_count;
} survey;

static int kind_of(stk_stage stage)
{
    switch (stage) {
    case STK_STAGE_PREPROCESS:
        return PREPARE;
    case STK_STAGE_WRITE:
        return WRITE;
    case STK_STAGE_COMPUTE:
        return COMPUTE;
    default:
        return stage == STK_STAGE_NONE ? PAUSE : -1;
    }
}

/* Time of a kind up to a moment. Without a span the thread pauses. */
static double up_to(const survey *s, uint64_t ns, kind k)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (s->markers[middle].begin_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return 0;
    const marker  *m = &s->markers[low - 1];
    const uint64_t to = ns < m->end_ns ? ns : m->end_ns;
    double         sum = m->before[k];
    if (m->kind == (int)k) sum += (double)(to - m->begin_ns);
    if (k == PAUSE && ns > m->end_ns) sum += (double)(ns - m->end_ns);
    return sum;
}

static void make_markers(survey *s, const stk_span_interval *list, size_t count)
{
    double   sums[KINDS] = {0};
    uint64_t last = count ? list[0].begin_ns : 0;
    for (size_t i = 0; i < count; i++) {
        marker *m = &s->markers[s->count++];
        sums[PAUSE] += (double)(list[i].begin_ns - last);
        last = list[i].end_ns;
        *m = (marker){list[i].begin_ns, list[i].end_ns, kind_of(list[i].stage), {0}};
        memcpy(m->before, sums, sizeof sums);
        if (m->kind >= 0) sums[m->kind] += (double)(m->end_ns - m->begin_ns);
    }
}

/* Consecutive intervals without a stage form one pause. */
static void count_pauses(survey *s)
{
    const stk_step_window *first = s->w->list, *last = &first[s->w->count - 1];
    const double           step = (double)(last->end_ns - first->begin_ns) / (double)s->w->count;
    uint64_t               from = first->begin_ns;
    for (size_t i = 0; i <= s->count; i++) {
        const bool     end = i == s->count;
        const uint64_t to = end ? last->end_ns : s->markers[i].begin_ns;
        if (!end && s->markers[i].kind == PAUSE) continue;
        const uint64_t ns = to > from ? to - from : 0;
        if (ns >= pause_min_ns && (double)ns >= pause_min * step) {
            s->pauses += (double)ns;
            s->pause_count++;
        }
        if (!end) from = s->markers[i].end_ns > from ? s->markers[i].end_ns : from;
    }
}

static void add_call(survey *s, const stk_timeline_event *e, int depth)
{
    const uint64_t first = s->w->list[0].begin_ns, last = s->w->list[s->w->count - 1].end_ns;
    const uint64_t from = e->begin_ns > first ? e->begin_ns : first;
    const uint64_t to = stk_event_end(e) < last ? stk_event_end(e) : last;
    use           *u = &s->uses[e->name];
    if (from >= to) return;
    for (int k = 0; k < KINDS; k++)
        u->ns[k] += up_to(s, to, (kind)k) - up_to(s, from, (kind)k);
    u->depth += depth;
    u->calls++;
    s->call_count++;
}

static void list_calls(survey *s)
{
    uint64_t ends[DEEPEST];
    int      depth = 0;
    size_t   begin, end;
    stk_timeline_row_range(s->t, s->w->row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(s->t)[i];
        const char               *category = stk_timeline_text(s->t, e->category);
        if (e->kind != STK_TIMELINE_SPAN || !e->ns || strcmp(category, "python_function") != 0)
            continue;
        while (depth && ends[depth - 1] <= e->begin_ns)
            depth--;
        add_call(s, e, depth);
        if (depth < DEEPEST) ends[depth++] = stk_event_end(e);
    }
}

/* PyTorch's own functions do not identify the program's code; built-in ones only if nothing else
 * does. */
static bool is_library(const char *name)
{
    return stk_tool_fits("torch/*", name) || stk_tool_fits("nn.Module*", name) ||
           stk_tool_fits("*site-packages/*", name) || stk_tool_fits("*dist-packages/*", name);
}

static bool is_built_in(const char *name)
{
    return *name == '<';
}

static bool is_candidate(const survey *s, uint32_t name)
{
    const use *u = &s->uses[name];
    return u->calls && u->ns[COMPUTE] <= computes * s->all[COMPUTE] &&
           !is_library(stk_timeline_text(s->t, name));
}

/* The innermost function with nearly as much time as the largest one. 0: none. */
static uint32_t find_call(const survey *s, kind k, bool built_in, double min)
{
    double   longest = min, deepest = -1;
    uint32_t found = 0;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 1; i < stk_string_table_count(&s->t->texts); i++) {
            const use *u = &s->uses[i];
            if (!is_candidate(s, i) || is_built_in(stk_timeline_text(s->t, i)) != built_in)
                continue;
            if (round == 0) {
                if (u->ns[k] > longest) longest = u->ns[k], found = i;
            } else if (found && u->ns[k] >= same * longest &&
                       u->depth / (double)u->calls > deepest) {
                deepest = u->depth / (double)u->calls;
                found = i;
            }
        }
    return found;
}

static uint32_t slowest_call(const survey *s, kind k)
{
    const double min =
        pause_min * (s->all[PAUSE] + s->all[PREPARE] + s->all[WRITE] + s->all[COMPUTE]);
    const uint32_t own = find_call(s, k, false, min);
    return own ? own : find_call(s, k, true, min);
}

static void name_call(const survey *s, kind k, char *to, size_t capacity)
{
    const uint32_t name = slowest_call(s, k);
    if (name) snprintf(to, capacity, "%s", stk_timeline_text(s->t, name));
}

static void fill_found(stk_profile *out, const survey *s)
{
    const uint32_t pause = slowest_call(s, PAUSE);
    name_call(s, PREPARE, out->program.slow_input, sizeof out->program.slow_input);
    name_call(s, WRITE, out->program.slow_write, sizeof out->program.slow_write);
    if (!pause) return;
    stk_profile_callback *c = &out->callbacks[out->callback_count++];
    *c = (stk_profile_callback){.calls = s->uses[pause].calls,
                                .ns = (uint64_t)s->uses[pause].ns[PAUSE],
                                .on_training_thread = true};
    snprintf(c->name, sizeof c->name, "%s", stk_timeline_text(s->t, pause));
}

static stk_status survey_calls(stk_profile *out, survey *s, stk_blob *intervals, stk_error *err)
{
    STK_TRY(stk_row_span_intervals(s->t, s->w->row, intervals, err));
    const size_t count = intervals->size / sizeof(stk_span_interval);
    s->markers = malloc((count + 1) * sizeof *s->markers);
    s->uses = calloc(stk_string_table_count(&s->t->texts) + 1, sizeof *s->uses);
    if (!s->markers || !s->uses)
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for %zu spans", count);
    make_markers(s, (const stk_span_interval *)(void *)intervals->data, count);
    for (int k = 0; k < KINDS; k++)
        s->all[k] = up_to(s, s->w->list[s->w->count - 1].end_ns, (kind)k) -
                    up_to(s, s->w->list[0].begin_ns, (kind)k);
    count_pauses(s);
    list_calls(s);
    fill_found(out, s);
    /* Recorded functions give the cause. Pauses in few steps come from other programs. */
    const bool often = (double)s->pause_count >= often_enough * (double)s->w->count;
    out->program.pause_ns = often && !s->call_count ? s->pauses : 0;
    return STK_OK;
}

stk_status stk_timeline_fill_calls(stk_profile *out, const stk_timeline *t, const stk_windows *w,
                                   stk_error *err)
{
    survey   s = {.t = t, .w = w};
    stk_blob intervals;
    stk_blob_init(&intervals, NULL, STK_MEMORY_INDEX);
    const stk_status st = w->count ? survey_calls(out, &s, &intervals, err) : STK_OK;
    stk_blob_release(&intervals);
    free(s.markers);
    free(s.uses);
    return st;
}
