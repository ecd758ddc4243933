/* Makes a timeline of the events of a trace as they come. */
#ifndef STK_OBSERVE_TIMELINE_BUILDER_H
#define STK_OBSERVE_TIMELINE_BUILDER_H

#include "observe/timeline/chrome_reader.h"
#include "observe/timeline/timeline_internal.h"

/* A span that was begun, on the stack of its row or in the list of those with an id. */
typedef struct stk_open_span {
    uint32_t name, category, row, below; /* below: the next on the stack, or the next free one */
    int64_t  begin_ns;
} stk_open_span;

typedef struct stk_async_span {
    uint64_t      key; /* of process, category and id */
    stk_open_span span;
} stk_async_span;

typedef struct stk_builder {
    stk_timeline *timeline;
    uint64_t      max_events;
    int64_t       until_ns; /* what begins later is left out */
    bool          full;     /* no time tells what to leave out: all is */
    uint32_t      last_row;
    stk_blob      row_table; /* uint32_t: rows by hash, from 1 */
    stk_blob      processes; /* process_name: names of processes */
    stk_blob      open;      /* stk_open_span; number 0 is none */
    uint32_t      free_open;
    stk_blob      async; /* stk_async_span */
    stk_blob      flows; /* uint64_t: a table of the ids that began */
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
/* Visits of stk_events_read; context is the builder. */
STK_NODISCARD stk_status stk_builder_event(void *context, const stk_file_event *event,
                                           stk_error *err);
STK_NODISCARD stk_status stk_builder_member(void *context, stk_bytes key, stk_bytes value,
                                            stk_error *err);
/* Stages, order and times of all events. */
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

/* Parts of it. */

/* builder_rows.c: the row of a process and a thread, made where there is none. */
STK_NODISCARD stk_status stk_builder_row(stk_builder *b, const stk_file_event *event, uint32_t *row,
                                         stk_error *err);
STK_NODISCARD stk_status stk_builder_async_row(stk_builder *b, const stk_file_event *event,
                                               uint32_t *row, stk_error *err);
/* process_name, thread_name and their like. */
STK_NODISCARD stk_status stk_builder_name(stk_builder *b, const stk_file_event *event,
                                          stk_error *err);
/* The number of a field's text. */
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

/* builder_inputs.c: what is told of an operation's inputs, as STK_EVENT_ flags; keeps the batch. */
uint16_t stk_builder_inputs(stk_builder *b, const stk_file_event *event);

/* builder_flows.c: arrows are only counted. */
STK_NODISCARD stk_status stk_builder_flow(stk_builder *b, const stk_file_event *event, bool begins,
                                          stk_error *err);
/* Of a field as it stands; 0 where there is none. */
uint64_t stk_builder_hash(stk_bytes value);

/* builder_limit.c: room for one more event; *event is NULL when it is to be left out. Times are
 * not yet relative: begin_ns holds an int64_t. */
STK_NODISCARD stk_status stk_builder_add(stk_builder *b, int64_t begin_ns,
                                         stk_timeline_event **event, stk_error *err);
/* Leaves out what came after the last whole step, when something had to be. */
void stk_builder_trim(stk_builder *b);

#endif
