/* One event after the other as a line of Chrome's JSON, into a text that is handed on as it fills.
 */
#ifndef STK_TRACE_CHROME_EVENT_H
#define STK_TRACE_CHROME_EVENT_H

#include "trace/row.h"

#include <stoker/json.h>

enum { STK_CHROME_DEVICE_PID = 0, STK_CHROME_FIRST_STREAM = 7 };

typedef struct stk_chrome {
    const stk_trace        *trace;
    const stk_trace_format *format;
    stk_trace_put           put;
    void                   *context;
    stk_clock_pair          now; /* with the trace's begin: what ticks are in nanoseconds */
    int                     pid;
    stk_blob                text;
    stk_json_writer         w;
    stk_status              status; /* the first failure; nothing is written after it */
    stk_error               error;
    uint64_t                launches; /* so far: numbers of correlation */
    stk_trace_written       written;
} stk_chrome;

/* Where a row is: the host's thread of a span, the device's stream. */
typedef struct stk_chrome_row {
    uint32_t tid, stream;
    bool     is_device; /* all of it is a stream's */
} stk_chrome_row;

/* The text so far, when it is long enough or all is set. */
void stk_chrome_flush(stk_chrome *c, bool all);
void stk_chrome_text(stk_chrome *c, const char *format, ...) STK_PRINTF(2, 3);

/* "process_name", "thread_name" with a text; "thread_sort_index" with a number. */
void stk_chrome_name(stk_chrome *c, const char *what, int pid, uint32_t tid, const char *name);
void stk_chrome_sort(stk_chrome *c, const char *what, int pid, uint32_t tid, uint64_t index);
/* Every line there is of an event: on the host's row, on the device's, and the arrow between. */
void stk_chrome_event(stk_chrome *c, const stk_row_event *event, stk_chrome_row row);
/* Nanoseconds since the trace began. */
void stk_chrome_counter(stk_chrome *c, const char *name, const char *category, uint32_t tid,
                        uint64_t ns, double value);

#endif
