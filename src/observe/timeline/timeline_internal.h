/* A timeline: events of few words, rows, and the texts they share. */
#ifndef STK_OBSERVE_TIMELINE_TIMELINE_INTERNAL_H
#define STK_OBSERVE_TIMELINE_TIMELINE_INTERNAL_H

#include "observe/timeline/string_table.h"

#include <stoker/timeline_analysis.h>

/* What a row is beside what others may see of it. */
typedef struct stk_timeline_track {
    stk_timeline_row row;           /* first */
    uint32_t         labels;        /* of its process */
    uint32_t         open;          /* innermost span that was begun; 0: none */
    bool             is_background; /* its work is never waited for directly */
    bool             is_derived;    /* it tells again what others tell */
    bool             is_async;      /* its spans need not nest */
    bool             has_spans;
} stk_timeline_track;

/* Work of all events of a name, where the trace tells it. */
typedef struct stk_name_work {
    double flops, flops_ns, bytes, bytes_ns;
} stk_name_work;

/* What a trace says of itself. */
typedef struct stk_trace_metadata {
    int64_t base_ns, offset_ns; /* since 1970; offset_ns: what to add to be in rank 0's time */
    int64_t rank;               /* -1: not told */
    bool    has_base, has_offset, is_kineto, is_stoker;
    bool    is_merged;
    double  dropped;
    bool    has_types; /* operations tell the types of their inputs */
    int64_t batch;     /* of the images that convolutions see; 0: not told, -1: they differ */
    char    host[64];
    double  peak_flops, peak_bytes, launch_ns; /* of the machine; 0: not told */
} stk_trace_metadata;

struct stk_timeline {
    stk_timeline_tool     tool;
    stk_string_table      texts;
    stk_blob              events; /* stk_timeline_event */
    stk_blob              rows;   /* stk_timeline_track */
    stk_blob              works;  /* stk_name_work, by name; may be shorter than the names */
    stk_trace_metadata    origin;
    stk_timeline_findings findings;
    uint64_t              end_ns; /* where the last event ends */
};

static inline stk_timeline_event *stk_timeline_events(const stk_timeline *t)
{
    return (stk_timeline_event *)(void *)t->events.data;
}

static inline stk_timeline_track *stk_timeline_tracks(const stk_timeline *t)
{
    return (stk_timeline_track *)(void *)t->rows.data;
}

static inline uint64_t stk_event_end(const stk_timeline_event *event)
{
    return event->begin_ns + event->ns;
}

/* Events of row: [*begin, *end). */
void stk_timeline_row_range(const stk_timeline *t, uint32_t row, size_t *begin, size_t *end);

#endif
