/* The events of a trace as the lines that files and timelines are made of: each span on the row of
 * its thread, and what a device did as a launch, a span of the device's row and an arrow between
 * them. */
#ifndef STK_TRACE_LINES_H
#define STK_TRACE_LINES_H

#include "trace/row.h"

typedef enum stk_trace_line_kind {
    STK_TRACE_LINE_SPAN,
    STK_TRACE_LINE_LAUNCH,
    STK_TRACE_LINE_DEVICE, /* a span of a device's row */
    STK_TRACE_LINE_COUNTER,
    STK_TRACE_LINE_ARROW_BEGIN,
    STK_TRACE_LINE_ARROW_END
} stk_trace_line_kind;

typedef struct stk_trace_line {
    stk_trace_line_kind kind;
    const char         *name, *category; /* borrowed for the visit */
    int                 pid;
    uint32_t            tid;
    uint64_t            begin_ns, end_ns; /* since the trace began; of arrows and counters equal */
    uint64_t            number;           /* value of a span; correlation of the others; 0: none */
    double              value;            /* of a counter */
    const stk_trace_op *op;               /* NULL: none */
} stk_trace_line;

/* Metadata of a process or thread. */
typedef struct stk_trace_label {
    const char *what; /* "process_name", "thread_name", "thread_sort_index" */
    const char *text; /* NULL: a sort index */
    int         pid;
    uint32_t    tid;
    uint64_t    index;
} stk_trace_label;

typedef struct stk_trace_line_visitor {
    void *context;
    stk_status (*label)(void *context, const stk_trace_label *label, stk_error *err);
    stk_status (*line)(void *context, const stk_trace_line *line, stk_error *err);
} stk_trace_line_visitor;

typedef struct stk_trace_lines {
    const stk_trace *trace;
    stk_ledger      *ledger;     /* of the events of one thread; NULL: none */
    const char      *device;     /* that computes; NULL: the one attached, or "cpu:0" */
    bool             cuda_names; /* launches and copies have CUDA's names */
    uint64_t         since;      /* ticks: spans that ended before are left out; 0: none */
} stk_trace_lines;

/* The counts may be those of events that were overwritten and left out so far: they are added to.
 */
typedef struct stk_trace_lines_counts {
    uint64_t dropped, earlier;
} stk_trace_lines_counts;

/* Visits all rows, hosts before devices; lines of a row are in order of begin. A label comes before
 * the lines of its row. The first failure of a visit ends it. */
STK_NODISCARD stk_status stk_trace_lines_read(const stk_trace_lines        *lines,
                                              const stk_trace_line_visitor *visitor,
                                              stk_trace_lines_counts *counts, stk_error *err);

/* The device as files name it. */
const char *stk_trace_lines_device(const stk_trace_lines *lines);

#endif
