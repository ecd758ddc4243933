/* Reads Chrome's JSON event by event: the object form ({"traceEvents": [...], ...}) and the array
 * form, which may lack its end. */
#ifndef STK_OBSERVE_TIMELINE_CHROME_READER_H
#define STK_OBSERVE_TIMELINE_CHROME_READER_H

#include "observe/timeline/json_scan.h"
#include "observe/timeline/trace_input.h"

/* Raw fields of an event; data is NULL if a field is absent. */
typedef struct stk_file_event {
    stk_bytes name, category, phase, ts, dur, pid, tid, id, args;
    stk_bytes text; /* the complete event */
} stk_file_event;

typedef struct stk_event_visitor {
    void *context;
    /* Texts are borrowed during the call. member: any other key of the object form and its value;
     * may be NULL. Values above a megabyte are skipped. */
    stk_status (*event)(void *context, const stk_file_event *event, stk_error *err);
    stk_status (*member)(void *context, stk_bytes key, stk_bytes value, stk_error *err);
} stk_event_visitor;

/* "X" as 'X'; 0 if absent. */
static inline char stk_file_event_phase(const stk_file_event *event)
{
    return stk_scan_is_string(event->phase) && event->phase.size == 3 ? (char)event->phase.data[1]
                                                                      : 0;
}

/* *cut: the text was truncated. */
STK_NODISCARD stk_status stk_events_read(stk_trace_input *in, const stk_event_visitor *visitor,
                                         bool *cut, stk_error *err);

#endif
