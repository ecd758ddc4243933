/* Builds a timeline from trace events as they are read. */
#ifndef STK_OBSERVE_TIMELINE_BUILDER_H
#define STK_OBSERVE_TIMELINE_BUILDER_H

#include "observe/timeline/chrome_reader.h"
#include "observe/timeline/timeline_internal.h"

/* An open span, on its row's stack or in the list of async spans. */
typedef struct stk_open_span {
    uint32_t name, category, row, below; /* below: next on the stack, or next free entry */
    int64_t  begin_ns;
} stk_open_span;

typedef struct stk_async_span {
    uint64_t      key; /* of process, category and id */
    stk_open_span span;
} stk_async_span;

typedef struct stk_builder {
    stk_timeline *timeline;
    uint64_t      max_events;
    int64_t       until_ns; /* later events are dropped */
    bool          full;     /* no cut-off time helps: all further events are dropped */
    uint32_t      last_row;
    stk_blob      row_table; /* uint32_t: hash table of rows, from 1 */
    stk_blob      processes; /* process names */
    stk_blob      open;      /* stk_open_span; index 0 is none */
    uint32_t      free_open;
    stk_blob      async; /* stk_async_span */
    stk_blob      flows; /* uint64_t: hash table of the flow ids that began */
    uint64_t      flow_count;
    stk_blob      text;
} stk_builder;

/* timeline_read.c: an empty timeline and the builder that fills it. On failure *out is NULL, and
 * neither is to be released. max_events 0: the default. */
STK_NODISCARD stk_status stk_timeline_new(stk_timeline **out, stk_builder *b, uint64_t max_events,
                                          stk_error *err);

STK_NODISCARD stk_status stk_builder_init(stk_builder *b, stk_timeline *timeline,
                                          uint64_t max_events, stk_error *err);
void                     stk_builder_release(stk_builder *b);
/* Visitor of stk_events_read; context is the builder. */
STK_NODISCARD stk_status stk_builder_event(void *context, const stk_file_event *event,
                                           stk_error *err);
STK_NODISCARD stk_status stk_builder_member(void *context, stk_bytes key, stk_bytes value,
                                            stk_error *err);
/* Assigns stages, sorts, and makes times relative. */
STK_NODISCARD stk_status stk_builder_finish(stk_builder *b, stk_error *err);

/* What arguments of a span say; -1: not said. */
typedef struct stk_span_arguments {
    double   step, flops, bytes;
    uint16_t flags;
} stk_span_arguments;

/* Events that were not read from a file. at->row and at->name are of this builder. */
STK_NODISCARD stk_status stk_builder_add_span(stk_builder *b, const stk_open_span *span,
                                              int64_t end_ns, const stk_span_arguments *a,
                                              stk_error *err);
STK_NODISCARD stk_status stk_builder_add_counter(stk_builder *b, const stk_open_span *at,
                                                 double value, stk_error *err);
/* thread_name 0: none. */
STK_NODISCARD stk_status stk_builder_row_of(stk_builder *b, int64_t process, int64_t thread,
                                            uint32_t thread_name, uint32_t *row, stk_error *err);
/* name and labels 0: as they were. */
STK_NODISCARD stk_status stk_builder_name_process(stk_builder *b, int64_t process, uint32_t name,
                                                  uint32_t labels, stk_error *err);

/* Functions of the builder's files. */

/* builder_rows.c: the row of a process and thread; creates it if new. */
STK_NODISCARD stk_status stk_builder_row(stk_builder *b, const stk_file_event *event, uint32_t *row,
                                         stk_error *err);
STK_NODISCARD stk_status stk_builder_async_row(stk_builder *b, const stk_file_event *event,
                                               uint32_t *row, stk_error *err);
/* Handles process_name, thread_name and similar metadata. */
STK_NODISCARD stk_status stk_builder_name(stk_builder *b, const stk_file_event *event,
                                          stk_error *err);
/* Index of a field's text. */
STK_NODISCARD stk_status stk_builder_text(stk_builder *b, stk_bytes value, uint32_t *number,
                                          stk_error *err);
void                     stk_builder_name_rows(stk_builder *b);

/* builder_spans.c: phases X, B, E, b, e and C. */
STK_NODISCARD stk_status stk_builder_span(stk_builder *b, const stk_file_event *event,
                                          stk_error *err);
STK_NODISCARD stk_status stk_builder_begin(stk_builder *b, const stk_file_event *event,
                                           stk_error *err);
STK_NODISCARD stk_status stk_builder_end(stk_builder *b, const stk_file_event *event,
                                         stk_error *err);
STK_NODISCARD stk_status stk_builder_begin_async(stk_builder *b, const stk_file_event *event,
                                                 stk_error *err);
STK_NODISCARD stk_status stk_builder_end_async(stk_builder *b, const stk_file_event *event,
                                               stk_error *err);
STK_NODISCARD stk_status stk_builder_counter(stk_builder *b, const stk_file_event *event,
                                             stk_error *err);

/* builder_inputs.c: STK_EVENT_ flags of an operation's recorded inputs; also learns the batch
 * size. */
uint16_t stk_builder_inputs(stk_builder *b, const stk_file_event *event);

/* builder_flows.c: flows are only counted. */
STK_NODISCARD stk_status stk_builder_flow(stk_builder *b, const stk_file_event *event, bool begins,
                                          stk_error *err);
/* Hash of a field's raw text; 0 if absent. */
uint64_t stk_builder_hash(stk_bytes value);

/* builder_limit.c: appends an event; *event is NULL if it must be dropped. Times are still
 * absolute: begin_ns holds an int64_t. */
STK_NODISCARD stk_status stk_builder_add(stk_builder *b, int64_t begin_ns,
                                         stk_timeline_event **event, stk_error *err);
/* After drops: removes events after the last complete step. */
void stk_builder_trim(stk_builder *b);

#endif
