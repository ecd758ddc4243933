/* Splits a row of nested spans into intervals with one owner each. */
#include "observe/timeline/windows.h"

enum { DEEPEST = 512 };

typedef struct level {
    uint64_t          end_ns;
    stk_span_interval owner; /* of what is directly inside; its times are unused */
} level;

typedef struct walk {
    level     stack[DEEPEST];
    int       depth;
    uint64_t  at; /* end of the intervals so far */
    stk_blob *out;
} walk;

/* Assigns the time until a moment to the innermost level's owner. */
static stk_status advance(walk *w, uint64_t until, stk_error *err)
{
    if (until <= w->at) return STK_OK;
    if (w->depth) {
        stk_span_interval made = w->stack[w->depth - 1].owner;
        made.begin_ns = w->at;
        made.end_ns = until;
        STK_TRY(stk_blob_append(w->out, &made, sizeof made, err));
    }
    w->at = until;
    return STK_OK;
}

static stk_status leave(walk *w, uint64_t until, stk_error *err)
{
    while (w->depth && w->stack[w->depth - 1].end_ns <= until) {
        STK_TRY(advance(w, w->stack[w->depth - 1].end_ns, err));
        w->depth--;
    }
    return advance(w, until, err);
}

static stk_span_interval owner_of(const walk *w, const stk_timeline_event *e)
{
    const bool              launch = e->kind == STK_TIMELINE_LAUNCH;
    const stk_span_interval own = {.stage = launch ? STK_STAGE_COMPUTE : e->stage,
                                   .row = e->row,
                                   .name = e->name,
                                   .is_launch = launch};
    if (!w->depth) return own;
    const stk_span_interval *around = &w->stack[w->depth - 1].owner;
    const bool               input = around->stage == STK_STAGE_PREPROCESS;
    if (around->stage == STK_STAGE_NONE) return own;
    if (around->stage == STK_STAGE_COMPUTE && own.stage && own.stage != STK_STAGE_COMPUTE)
        return own;
    if (input && (own.stage == STK_STAGE_READ || own.stage == STK_STAGE_PREPROCESS)) return own;
    return *around;
}

stk_status stk_row_span_intervals(const stk_timeline *t, uint32_t row, stk_blob *out,
                                  stk_error *err)
{
    walk   w = {.out = out};
    size_t begin, end;
    stk_timeline_row_range(t, row, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (e->kind == STK_TIMELINE_COUNTER || e->kind == STK_TIMELINE_STEP || !e->ns) continue;
        STK_TRY(leave(&w, e->begin_ns, err));
        if (w.depth == DEEPEST) continue;
        w.stack[w.depth] = (level){stk_event_end(e), owner_of(&w, e)};
        w.depth++;
    }
    return leave(&w, UINT64_MAX, err);
}
