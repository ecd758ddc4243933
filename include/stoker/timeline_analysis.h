/* stoker/timeline_analysis.h - analyses of a timeline: its operations, idle gaps of devices,
 * comparison with another, validation; and merging of several ranks. */
#ifndef STOKER_TIMELINE_ANALYSIS_H
#define STOKER_TIMELINE_ANALYSIS_H

#include <stoker/cancel.h>
#include <stoker/timeline.h>

STK_BEGIN_DECLS

/* "PyTorch Kineto": a literal. */
STK_API const char *stk_timeline_tool_name(stk_timeline_tool tool);

/* Result of validation. */
typedef struct stk_timeline_findings {
    uint64_t events; /* all, of any kind */
    uint64_t spans, counters, instants, flows, names, others;
    uint64_t steps, rows, devices;
    uint64_t begins_open;   /* begun and never ended */
    uint64_t ends_alone;    /* ended and never begun */
    uint64_t flows_alone;   /* continued or ended without a begin */
    uint64_t without_times; /* no time or a negative duration: dropped */
    uint64_t crossing;      /* spans that partly overlap another of their row */
    uint64_t dropped;       /* events that the tool itself reports as lost */
    uint64_t left_out;      /* beyond the event limit */
    uint64_t ns;            /* from first to last event */
    bool     cut;
} stk_timeline_findings;

STK_API void stk_timeline_validate(const stk_timeline *timeline, stk_timeline_findings *out);

/* All spans of one name, on devices or on the host. */
typedef struct stk_timeline_op {
    uint32_t  name; /* stk_timeline_text */
    stk_stage stage;
    bool      is_device;
    uint64_t  calls, total_ns;
    uint64_t  self_ns;     /* excluding nested spans */
    uint64_t  p95_ns;      /* per call */
    double    flops_per_s; /* -1: not known */
    double    bytes_per_s;
} stk_timeline_op;

typedef struct stk_timeline_ops {
    stk_timeline_op *list; /* largest self time first */
    size_t           count;
    uint64_t         self_ns; /* sum over all */
} stk_timeline_ops;

/* Sums spans by name; steps and kinds that are no spans are excluded. The caller releases out. */
STK_API STK_NODISCARD stk_status stk_timeline_count_ops(stk_timeline_ops   *out,
                                                        const stk_timeline *timeline,
                                                        stk_error          *err);
STK_API void                     stk_timeline_ops_release(stk_timeline_ops *ops);

enum { STK_TIMELINE_GAP_SPANS = 4 };

/* A span on another row during a gap. */
typedef struct stk_timeline_gap_span {
    uint32_t  name, row;
    stk_stage stage;
    uint64_t  ns; /* overlap with the gap */
} stk_timeline_gap_span;

/* An idle interval of a row, and the spans on other rows during it, longest first. */
typedef struct stk_timeline_gap {
    uint64_t              begin_ns, ns;
    uint32_t              row;
    double                step; /* -1: none */
    size_t                span_count;
    stk_timeline_gap_span spans[STK_TIMELINE_GAP_SPANS];
} stk_timeline_gap;

typedef struct stk_timeline_idle {
    uint32_t row;
    uint64_t window_ns, idle_ns, gaps; /* gaps: number of them */
} stk_timeline_idle;

typedef struct stk_timeline_gaps {
    stk_timeline_idle *rows; /* each device row with compute; without devices, the busiest row */
    size_t             row_count;
    stk_timeline_gap  *list; /* longest first, at most max per row */
    size_t             count;
    uint64_t idle_ns_by_stage[STK_STAGE_COUNT]; /* sum over all gaps, by the spans during them */
} stk_timeline_gaps;

/* Finds idle gaps. Work that overlaps a busy device is in no gap and costs nothing. The caller
 * releases out. */
STK_API STK_NODISCARD stk_status stk_timeline_find_gaps(stk_timeline_gaps  *out,
                                                        const stk_timeline *timeline, size_t max,
                                                        stk_error *err);
STK_API void                     stk_timeline_gaps_release(stk_timeline_gaps *gaps);

/* One row of a comparison. Times are per step, or totals if there are no steps. */
typedef struct stk_timeline_change {
    char      name[STK_PROFILE_TEXT];
    stk_stage stage;
    double    calls[2], ns[2], mean_ns[2]; /* calls and ns per step; -1: absent */
    double    delta_ns, low_ns, high_ns;   /* 95 % interval; low > high: too few steps */
} stk_timeline_change;

typedef struct stk_timeline_diff {
    uint64_t             steps[2];
    double               step_ns[2]; /* mean */
    stk_timeline_change  step;
    stk_timeline_change  stages[STK_STAGE_COUNT]; /* exposed time */
    stk_timeline_change *ops;                     /* self time; largest change first */
    size_t               op_count;
} stk_timeline_diff;

/* Compares b with a. The caller releases out. */
STK_API STK_NODISCARD stk_status stk_timeline_compare(stk_timeline_diff *out, const stk_timeline *a,
                                                      const stk_timeline *b, stk_error *err);
STK_API void                     stk_timeline_diff_release(stk_timeline_diff *diff);

enum { STK_TIMELINE_RANKS = 1000 };

typedef struct stk_timeline_merge_options {
    const stk_filesystem *fs;      /* NULL: local */
    const int64_t        *offsets; /* ns added to each file's times; NULL: by its clock record */
    const bool           *given;   /* which offsets are given; NULL: all */
    const stk_cancel     *cancel;  /* NULL: never */
    void (*progress)(void *context, uint64_t done, uint64_t size);
    void (*warn)(void *context, const char *text);
    void *context;
} stk_timeline_merge_options;

/* Writes one trace with the events of all files, each rank with processes of its own; gzip if the
 * name ends in ".gz". Ranks are those of the files if all have one, else their order. A file of
 * another host needs an offset or a clock record. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_timeline_merge(const char *path, const char *const *paths,
                                                    size_t                            count,
                                                    const stk_timeline_merge_options *options,
                                                    stk_error                        *err);

STK_END_DECLS
#endif
