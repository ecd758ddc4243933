/* The steps of a timeline as time windows, with exposed time per stage. */
#ifndef STK_OBSERVE_TIMELINE_WINDOWS_H
#define STK_OBSERVE_TIMELINE_WINDOWS_H

#include "observe/timeline/timeline_internal.h"

/* How the steps were found. */
typedef enum stk_step_source {
    STK_STEPS_MARKED,   /* marked in the trace */
    STK_STEPS_PERIODIC, /* by an operation that occurs once per step */
    STK_STEPS_WHOLE     /* neither: the trace is one window */
} stk_step_source;

typedef struct stk_step_window {
    uint64_t begin_ns, end_ns;
    double   step;
    uint64_t exposed_ns[STK_STAGE_COUNT];
    /* An evaluation inside, which is not part of the step; both 0: none. */
    uint64_t aside_begin_ns, aside_end_ns;
} stk_step_window;

typedef struct stk_windows {
    stk_step_window *list; /* in order, disjoint */
    size_t           count;
    stk_step_source  source;
    uint32_t         row;                       /* of the marks, or of the operation */
    uint32_t         operation;                 /* PERIODIC: its name */
    uint64_t         between_ns;                /* time between steps */
    uint64_t         aside_ns[STK_STAGE_COUNT]; /* time of evaluations by stage */
} stk_windows;

/* The caller releases out. No windows: the timeline has no spans. */
STK_NODISCARD stk_status stk_windows_find(stk_windows *out, const stk_timeline *t, stk_error *err);
void                     stk_windows_release(stk_windows *windows);

/* Length of a step without its evaluation. */
static inline uint64_t stk_window_ns(const stk_step_window *w)
{
    return w->end_ns - w->begin_ns - (w->aside_end_ns - w->aside_begin_ns);
}

/* The window around a moment; NULL: none. */
const stk_step_window *stk_windows_at(const stk_windows *windows, uint64_t ns);

/* An interval of one row owned by one span. With a stage, the owner is the outermost span that has
 * one; but compute yields to other stages inside it, and preprocessing to reading and its own
 * parts. Without a stage, it is the innermost span. */
typedef struct stk_span_interval {
    uint64_t  begin_ns, end_ns;
    stk_stage stage;
    uint32_t  row, name; /* of the owner */
    bool      is_launch;
} stk_span_interval;

/* Appends a row's intervals to a blob of stk_span_interval, ordered and disjoint. */
STK_NODISCARD stk_status stk_row_span_intervals(const stk_timeline *t, uint32_t row, stk_blob *out,
                                                stk_error *err);

/* Assigns each moment of each window to the stage first in the order of waits, so that only exposed
 * time counts. */
STK_NODISCARD stk_status stk_windows_expose(stk_windows *windows, const stk_timeline *t,
                                            stk_error *err);

/* Whether the intervals of a row are exposed time, and not work of another thread. */
bool stk_row_is_exposed(const stk_timeline *t, const stk_windows *windows, uint32_t row);
bool stk_timeline_has_devices(const stk_timeline *t);
/* The row with the most compute; without stages, the one with the most spans. */
uint32_t stk_timeline_busiest_row(const stk_timeline *t);

#endif
