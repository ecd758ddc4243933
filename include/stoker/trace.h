/* stoker/trace.h - record what each thread did when, labelled by the stage it belongs to.
 * A trace holds one ring of events per attached thread. Recording writes into the caller's own ring
 * and takes no lock; old events are overwritten and counted as dropped. Formatting happens at dump.
 * A NULL stk_trace_thread records nothing: off costs one predictable branch. */
#ifndef STOKER_TRACE_H
#define STOKER_TRACE_H

#include <stdint.h>
#include <stoker/blob.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

/* The eight stages of a training step: the vocabulary of every span, counter and report line. */
typedef enum stk_stage {
    STK_STAGE_NONE,
    STK_STAGE_READ,           /* S1 raw input */
    STK_STAGE_PREPROCESS,     /* S2 parse, decode, augment, batch */
    STK_STAGE_HOST_TO_DEVICE, /* S3 */
    STK_STAGE_COMPUTE,        /* S4 forward and backward */
    STK_STAGE_SHARE,          /* S5 gradient sharing */
    STK_STAGE_DEVICE_TO_HOST, /* S6 */
    STK_STAGE_OUTPUT,         /* S7 callbacks */
    STK_STAGE_WRITE,          /* S8 storage */
    STK_STAGE_COUNT
} stk_stage;

/* "S1 read", ...: a literal. */
STK_API const char *stk_stage_name(stk_stage stage);

typedef struct stk_trace        stk_trace;
typedef struct stk_trace_thread stk_trace_thread; /* written by its own thread only */

typedef struct stk_trace_options {
    const char *process_name;      /* NULL means "stoker"; copied */
    uint32_t    events_per_thread; /* rounded up to a power of two; 0 means 65536 */
} stk_trace_options;

typedef struct stk_trace_stats {
    uint64_t events;  /* held now, over all threads */
    uint64_t dropped; /* overwritten because a ring was full */
    uint32_t threads;
} stk_trace_stats;

STK_API STK_NODISCARD stk_status stk_trace_new(stk_trace **out, const stk_trace_options *options,
                                               stk_error *err);
/* No thread may record into it any more. NULL is fine. */
STK_API void stk_trace_free(stk_trace *trace);

/* Gives the calling thread a ring, owned by the trace. name is copied. A NULL trace gives NULL in
 * *out and succeeds, so that code need not ask whether tracing is on. */
STK_API STK_NODISCARD stk_status stk_trace_attach(stk_trace *trace, const char *name,
                                                  stk_trace_thread **out, stk_error *err);

/* A span: begin gives the time, end writes one event. name must be a literal (or outlive the
 * trace); value is shown as an argument (items, bytes) when not zero. */
STK_API uint64_t stk_trace_now(void);
STK_API void     stk_trace_record_span(stk_trace_thread *thread, stk_stage stage, const char *name,
                                       uint64_t begin, uint64_t value);
STK_API void stk_trace_record_counter(stk_trace_thread *thread, stk_stage stage, const char *name,
                                      double value);

static inline uint64_t stk_span_begin(const stk_trace_thread *thread)
{
    return thread ? stk_trace_now() : 0;
}

static inline void stk_span_end(stk_trace_thread *thread, stk_stage stage, const char *name,
                                uint64_t begin, uint64_t value)
{
    if (thread) stk_trace_record_span(thread, stage, name, begin, value);
}

static inline void stk_counter(stk_trace_thread *thread, stk_stage stage, const char *name,
                               double value)
{
    if (thread) stk_trace_record_counter(thread, stage, name, value);
}

/* May be called while threads record: an event overwritten during the dump is left out. */
STK_API void stk_trace_read_stats(const stk_trace *trace, stk_trace_stats *stats);

/* Appends a Chrome trace (JSON object format; opens in Perfetto and chrome://tracing): process and
 * thread names, spans with their stage as category, counters, and the number of dropped events. */
STK_API STK_NODISCARD stk_status stk_trace_dump(const stk_trace *trace, stk_blob *out,
                                                stk_error *err);

STK_END_DECLS
#endif
