/* The steps of a timeline as windows of time, and which stage each moment of them is. */
#ifndef STK_OBSERVE_TIMELINE_WINDOWS_H
#define STK_OBSERVE_TIMELINE_WINDOWS_H

#include "observe/timeline/timeline_internal.h"

/* How the steps were found. */
typedef enum stk_step_source {
    STK_STEPS_MARKED,   /* the trace has them */
    STK_STEPS_PERIODIC, /* an operation comes once a step */
    STK_STEPS_WHOLE     /* neither: the trace is one window */
} stk_step_source;

typedef struct stk_step_window {
    uint64_t begin_ns, end_ns;
    double   step;
    uint64_t exposed_ns[STK_STAGE_COUNT];
    /* An evaluation inside of it, which is no part of the step; both 0: none. */
    uint64_t aside_begin_ns, aside_end_ns;
} stk_step_window;

typedef struct stk_windows {
    stk_step_window *list; /* in order, apart */
    size_t           count;
    stk_step_source  source;
    uint32_t         row;                       /* that has the marks, or the operation */
    uint32_t         operation;                 /* PERIODIC: its name */
    uint64_t         between_ns;                /* time between steps that belongs to none */
    uint64_t         aside_ns[STK_STAGE_COUNT]; /* what stages took of evaluations */
} stk_windows;

/* To be released. No window: the timeline has no spans. */
STK_NODISCARD stk_status stk_windows_find(stk_windows *out, const stk_timeline *t, stk_error *err);
void                     stk_windows_release(stk_windows *windows);

/* How long the step took, without an evaluation in it. */
static inline uint64_t stk_window_ns(const stk_step_window *w)
{
    return w->end_ns - w->begin_ns - (w->aside_end_ns - w->aside_begin_ns);
}

/* The window that holds a moment; NULL: none. */
const stk_step_window *stk_windows_at(const stk_windows *windows, uint64_t ns);

/* A stretch of one row that is one span's: of a stage, the outermost span that has one, but compute
 * gives way to other stages inside it, and preprocessing to reading and to its own parts; of no
 * stage, the innermost span. */
typedef struct stk_span_interval {
    uint64_t  begin_ns, end_ns;
    stk_stage stage;
    uint32_t  row, name; /* of that span */
    bool      is_launch;
} stk_span_interval;

/* Appends the stretches of a row to a blob of stk_span_interval, in order and apart. */
STK_NODISCARD stk_status stk_row_span_intervals(const stk_timeline *t, uint32_t row, stk_blob *out,
                                                stk_error *err);

/* Shares out the time of each window: a moment goes to what comes first in the order of who waits
 * for whom, so that only what nothing hides counts. */
STK_NODISCARD stk_status stk_windows_expose(stk_windows *windows, const stk_timeline *t,
                                            stk_error *err);

/* The rows that tell what was waited for. */
bool stk_row_is_exposed(const stk_timeline *t, const stk_windows *windows, uint32_t row);
bool stk_timeline_has_devices(const stk_timeline *t);
/* The row on which most was computed; without stages, the one with the most spans. */
uint32_t stk_timeline_busiest_row(const stk_timeline *t);

#endif
