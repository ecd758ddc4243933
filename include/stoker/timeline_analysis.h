/* stoker/timeline_analysis.h - what a timeline says: its operations, where devices were idle, how
 * it differs from another, whether it is sound; and timelines of several ranks as one. */
#ifndef STOKER_TIMELINE_ANALYSIS_H
#define STOKER_TIMELINE_ANALYSIS_H

#include <stoker/cancel.h>
#include <stoker/timeline.h>

STK_BEGIN_DECLS

/* "PyTorch Kineto": a literal. */
STK_API const char *stk_timeline_tool_name(stk_timeline_tool tool);

/* What reading found. */
typedef struct stk_timeline_findings {
    uint64_t events; /* all, of any kind */
    uint64_t spans, counters, instants, flows, names, others;
    uint64_t steps, rows, devices;
    uint64_t begins_open;   /* begun and never ended */
    uint64_t ends_alone;    /* ended and never begun */
    uint64_t flows_alone;   /* led on or ended and never begun */
    uint64_t without_times; /* no time, or a negative length: left out */
    uint64_t crossing;      /* spans that overlap another of their row and are not inside it */
    uint64_t dropped;       /* events that the tool itself says it lost */
    uint64_t left_out;      /* by the limit on events */
    uint64_t ns;            /* from the first event to the last */
    bool     cut;
} stk_timeline_findings;

STK_API void stk_timeline_validate(const stk_timeline *timeline, stk_timeline_findings *out);

/* All spans of one name on devices, or on the host. */
typedef struct stk_timeline_op {
    uint32_t  name; /* stk_timeline_text */
    stk_stage stage;
    bool      is_device;
    uint64_t  calls, total_ns;
    uint64_t  self_ns;     /* without what lies inside */
    uint64_t  p95_ns;      /* of a call */
    double    flops_per_s; /* -1: not known */
    double    bytes_per_s;
} stk_timeline_op;

typedef struct stk_timeline_ops {
    stk_timeline_op *list; /* the longest self time first */
    size_t           count;
    uint64_t         self_ns; /* of all */
} stk_timeline_ops;

/* Steps and kinds that are no spans are not in it. To be released. */
STK_API STK_NODISCARD stk_status stk_timeline_count_ops(stk_timeline_ops   *out,
                                                        const stk_timeline *timeline,
                                                        stk_error          *err);
STK_API void                     stk_timeline_ops_release(stk_timeline_ops *ops);

enum { STK_TIMELINE_GAP_SPANS = 4 };

/* What a row did while a device was idle. */
typedef struct stk_timeline_gap_span {
    uint32_t  name, row;
    stk_stage stage;
    uint64_t  ns; /* of the gap */
} stk_timeline_gap_span;

/* An idle block of a row, and what was done meanwhile, the longest first. */
typedef struct stk_timeline_gap {
    uint64_t              begin_ns, ns;
    uint32_t              row;
    double                step; /* -1: none */
    size_t                span_count;
    stk_timeline_gap_span spans[STK_TIMELINE_GAP_SPANS];
} stk_timeline_gap;

typedef struct stk_timeline_idle {
    uint32_t row;
    uint64_t window_ns, idle_ns, gaps; /* gaps: how many there are */
} stk_timeline_idle;

typedef struct stk_timeline_gaps {
    stk_timeline_idle *rows; /* each device row that computed; without devices, the busiest row */
    size_t             row_count;
    stk_timeline_gap  *list; /* the longest first, at most as many as were asked for, a row */
    size_t             count;
    uint64_t           idle_ns_by_stage[STK_STAGE_COUNT]; /* of all gaps, by what was done */
} stk_timeline_gaps;

/* Work that goes on beside a busy device is in no gap: it costs nothing. To be released. */
STK_API STK_NODISCARD stk_status stk_timeline_find_gaps(stk_timeline_gaps  *out,
                                                        const stk_timeline *timeline, size_t max,
                                                        stk_error *err);
STK_API void                     stk_timeline_gaps_release(stk_timeline_gaps *gaps);

/* One line of a comparison. Times are of a step (of the whole where there are no steps). */
typedef struct stk_timeline_change {
    char      name[STK_PROFILE_TEXT];
    stk_stage stage;
    double    calls[2], ns[2], mean_ns[2]; /* calls and ns a step; -1: there is none */
    double    delta_ns, low_ns, high_ns;   /* 95 %; low > high: too few steps to say */
} stk_timeline_change;

typedef struct stk_timeline_diff {
    uint64_t             steps[2];
    double               step_ns[2]; /* mean */
    stk_timeline_change  step;
    stk_timeline_change  stages[STK_STAGE_COUNT]; /* exposed time */
    stk_timeline_change *ops;                     /* self time; the largest change first */
    size_t               op_count;
} stk_timeline_diff;

/* From a to b. To be released. */
STK_API STK_NODISCARD stk_status stk_timeline_compare(stk_timeline_diff *out, const stk_timeline *a,
                                                      const stk_timeline *b, stk_error *err);
STK_API void                     stk_timeline_diff_release(stk_timeline_diff *diff);

enum { STK_TIMELINE_RANKS = 1000 };

typedef struct stk_timeline_merge_options {
    const stk_filesystem *fs;      /* NULL: local */
    const int64_t        *offsets; /* ns to add to each file's times; NULL: as its clock says */
    const bool           *given;   /* offsets that count; NULL: all */
    const stk_cancel     *cancel;  /* NULL: never */
    void (*progress)(void *context, uint64_t done, uint64_t size);
    void (*warn)(void *context, const char *text);
    void *context;
} stk_timeline_merge_options;

/* Writes one trace with all events of the given ones, each rank's processes apart; packed by gzip
 * when the name ends in ".gz". The ranks are those that all files name, or else their order. Files
 * of other hosts need an offset, given or in their clock record. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_timeline_merge(const char *path, const char *const *paths,
                                                    size_t                            count,
                                                    const stk_timeline_merge_options *options,
                                                    stk_error                        *err);

STK_END_DECLS
#endif
