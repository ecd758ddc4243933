/* Lines of a trace as Chrome's JSON, one after the other, into a text that is handed on as it
 * fills. */
#ifndef STK_TRACE_CHROME_EVENT_H
#define STK_TRACE_CHROME_EVENT_H

#include "trace/lines.h"

#include <stoker/json.h>

typedef struct stk_chrome {
    const stk_trace        *trace;
    const stk_trace_format *format;
    stk_trace_put           put;
    void                   *context;
    stk_blob                text;
    stk_json_writer         w;
    stk_status              status; /* the first failure; nothing is written after it */
    stk_error               error;
    stk_trace_written       written;
} stk_chrome;

/* The text so far, when it is long enough or all is set. */
void stk_chrome_flush(stk_chrome *c, bool all);
void stk_chrome_text(stk_chrome *c, const char *format, ...) STK_PRINTF(2, 3);
void stk_chrome_label(stk_chrome *c, const stk_trace_label *label);
void stk_chrome_line(stk_chrome *c, const stk_trace_line *line);

#endif
