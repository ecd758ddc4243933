/* A timeline: compact events, rows, and a string table. */
#ifndef STK_OBSERVE_TIMELINE_TIMELINE_INTERNAL_H
#define STK_OBSERVE_TIMELINE_TIMELINE_INTERNAL_H

#include "observe/timeline/string_table.h"

#include <stoker/timeline_analysis.h>

/* Internal properties of a row. */
typedef struct stk_timeline_track {
    stk_timeline_row row;           /* must be first */
    uint32_t         labels;        /* of its process */
    uint32_t         open;          /* innermost open span; 0: none */
    bool             is_background; /* no thread waits for its work directly */
    bool             is_derived;    /* repeats events of other rows */
    bool             is_async;      /* its spans may overlap */
    bool             has_spans;
} stk_timeline_track;

/* FLOPs and bytes of all events of a name, if the trace has them. */
typedef struct stk_name_work {
    double flops, flops_ns, bytes, bytes_ns;
} stk_name_work;

/* Metadata of a trace. */
typedef struct stk_trace_metadata {
    int64_t base_ns, offset_ns; /* since 1970; offset_ns: added to convert to rank 0's clock */
    int64_t rank;               /* -1: not known */
    bool    has_base, has_offset, is_kineto, is_stoker;
    bool    is_merged;
    double  dropped;
    bool    has_types; /* operations have input types */
    int64_t batch;     /* batch of the convolutions' images; 0: not known, -1: they differ */
    char    host[64];
    double  peak_flops, peak_bytes, launch_ns; /* of the machine; 0: not known */
} stk_trace_metadata;

struct stk_timeline {
    stk_timeline_tool     tool;
    stk_string_table      texts;
    stk_blob              events; /* stk_timeline_event */
    stk_blob              rows;   /* stk_timeline_track */
    stk_blob              works;  /* stk_name_work, indexed by name; may be shorter */
    stk_trace_metadata    origin;
    stk_timeline_findings findings;
    uint64_t              end_ns; /* end of the last event */
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

/* Event indices of a row: [*begin, *end). */
void stk_timeline_row_range(const stk_timeline *t, uint32_t row, size_t *begin, size_t *end);

#endif
