/* stoker/trace.h - record what each thread did when, labelled by the stage it belongs to.
 * A trace holds one ring of events per attached thread. Recording writes into the caller's own ring
 * and takes no lock; old events are overwritten and counted as dropped. Formatting happens at dump.
 * A NULL stk_trace_thread records nothing: off costs one predictable branch. */
#ifndef STOKER_TRACE_H
#define STOKER_TRACE_H

#include <stdbool.h>
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
    STK_STAGE_ALLREDUCE,      /* S5 gradient sharing */
    STK_STAGE_DEVICE_TO_HOST, /* S6 */
    STK_STAGE_OUTPUT,         /* S7 callbacks */
    STK_STAGE_WRITE,          /* S8 storage */
    STK_STAGE_COUNT
} stk_stage;

/* "S1 read", ...: a literal. */
STK_API const char *stk_stage_name(stk_stage stage);

typedef struct stk_trace        stk_trace;
typedef struct stk_trace_thread stk_trace_thread; /* written by its own thread only */

/* How much is recorded; each has what the ones before it have. */
typedef enum stk_trace_level {
    STK_TRACE_OFF,    /* nothing: counters are kept elsewhere (stoker/meter.h) */
    STK_TRACE_STAGES, /* what each stage did when: tens of events a step */
    STK_TRACE_OPS,    /* and every operation */
    STK_TRACE_KERNELS /* and what a device says of itself */
} stk_trace_level;

typedef struct stk_trace_options {
    const char     *process_name;      /* NULL means "stoker"; copied */
    uint32_t        events_per_thread; /* rounded up to a power of two; 0 means 65536 */
    stk_trace_level level;             /* OFF means OPS: stk_trace_set_level switches off */
    bool            nvtx; /* ranges for NVIDIA's tools, too; without libnvToolsExt an error */
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

/* The calling thread's ring in trace: the one it has there, or a new one called name. Without
 * memory for one, NULL: that thread is not traced. */
STK_API stk_trace_thread *stk_trace_current(stk_trace *trace, const char *name);
/* The calling thread will not record any more: its ring goes on with the next one of that name. */
STK_API void stk_trace_leave(stk_trace *trace);

/* From any thread, at any time. */
STK_API void            stk_trace_set_level(stk_trace *trace, stk_trace_level level);
STK_API stk_trace_level stk_trace_get_level(const stk_trace *trace); /* NULL: OFF */
/* thread when so much is recorded now, else NULL. */
static inline stk_trace_thread *stk_trace_at(const stk_trace *trace, stk_trace_thread *thread,
                                             stk_trace_level level)
{
    return thread && stk_trace_get_level(trace) >= level ? thread : NULL;
}

/* The calling thread's ring when so much is recorded now, else NULL: a thread that never records
 * has no ring. */
static inline stk_trace_thread *stk_trace_current_at(stk_trace *trace, const char *name,
                                                     stk_trace_level level)
{
    return trace && stk_trace_get_level(trace) >= level ? stk_trace_current(trace, name) : NULL;
}

/* A span: begin gives the time, end writes one event. name must be a literal (or outlive the
 * trace); value is shown as an argument (items, bytes) when not zero. */
STK_API uint64_t stk_trace_now(void);
STK_API void     stk_trace_record_span(stk_trace_thread *thread, stk_stage stage, const char *name,
                                       uint64_t begin, uint64_t value);
/* The same of a time that ended at end, inside what the thread did since. */
STK_API void stk_trace_record_between(stk_trace_thread *thread, stk_stage stage, const char *name,
                                      uint64_t begin, uint64_t end, uint64_t value);
/* A span that is a whole step of training. */
STK_API void stk_trace_record_step(stk_trace_thread *thread, int64_t step, uint64_t begin);
/* A range around what follows, for tools that watch from outside; nothing where none was asked for.
 * Each is ended once, on the same thread. */
STK_API void stk_trace_push_range(stk_trace_thread *thread, const char *name);
STK_API void stk_trace_pop_range(stk_trace_thread *thread);

/* What an operation is, for those who read of it. */
typedef struct stk_trace_op {
    const char *name;   /* "conv2d" */
    const char *layer;  /* "layer1.0.conv1"; "" for none */
    const char *kernel; /* how it is computed: "onednn" */
    double      flops, bytes;
} stk_trace_op;

/* A copy that lives as long as the trace; NULL without memory for it. */
STK_API const stk_trace_op *stk_trace_intern_op(stk_trace_thread *thread, const stk_trace_op *op);
/* A span of a kept operation. Gives its end, with which the next one may begin. */
STK_API uint64_t stk_trace_record_op(stk_trace_thread *thread, stk_stage stage,
                                     const stk_trace_op *op, uint64_t begin);
STK_API void stk_trace_record_counter(stk_trace_thread *thread, stk_stage stage, const char *name,
                                      double value);

/* A stream of a device ("cuda:0") that works behind the caller's back: its spans are told
 * afterwards, by one thread at a time. From then on spans of the host stand for the host alone. */
STK_API STK_NODISCARD stk_status stk_trace_attach_device(stk_trace *trace, const char *device,
                                                         const char *stream, stk_trace_thread **out,
                                                         stk_error *err);
/* As stk_trace_record_op, of an operation that the device was only told to do; the number (not 0)
 * joins it to what the device did. */
STK_API uint64_t stk_trace_record_launch(stk_trace_thread *thread, stk_stage stage,
                                         const stk_trace_op *op, uint64_t begin, uint64_t number);
/* What the device did from one time to another, in nanoseconds of the monotonic clock. number 0: no
 * launch is known. Copies are told by their stage. */
STK_API void stk_trace_record_device(stk_trace_thread *row, stk_stage stage, const stk_trace_op *op,
                                     uint64_t begin_ns, uint64_t end_ns, uint64_t number);

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

STK_API void stk_trace_read_stats(const stk_trace *trace, stk_trace_stats *stats);

/* A counter that was sampled elsewhere. Negative values are not known, and left out. */
typedef struct stk_trace_series {
    const char   *name;
    const double *seconds, *values; /* seconds since the trace began */
    size_t        count, stride;    /* stride: bytes from one to the next, in both */
} stk_trace_series;

/* All zero is a good one. */
/* Peak rates of the machine, measured or known; not above 0: not known. */
typedef struct stk_machine_peaks {
    double flops;        /* a second, of all cores or the device, float32 */
    double memory_bytes; /* a second: reading memory */
    double copy_bytes;   /* a second: host to device */
    double disk_bytes;   /* a second: reading the data's disk */
    double link_bytes;   /* a second: network */
    double launch_ns;    /* one operation that does nothing */
} stk_machine_peaks;

typedef struct stk_trace_format {
    const char              *device;     /* that computes; NULL: the one attached, or "cpu:0" */
    uint64_t                 most_bytes; /* of text; 0: 300 MB. The oldest events are left out */
    uint64_t                 since;      /* stk_trace_now: what ended before is left out; 0: none */
    bool                     cuda_names; /* launches and copies are called as CUDA calls them */
    const stk_trace_series  *series;
    size_t                   series_count;
    const stk_machine_peaks *peaks; /* flops, memory_bytes and launch_ns; NULL: not known */
} stk_trace_format;

typedef struct stk_trace_written {
    uint64_t events, bytes;
    uint64_t dropped;  /* overwritten before they could be written */
    uint64_t left_out; /* because of most_bytes */
} stk_trace_written;

typedef stk_status (*stk_trace_put)(void *context, stk_bytes text, stk_error *err);

/* Writes a Chrome trace (JSON object format; opens in Perfetto, chrome://tracing and Holistic Trace
 * Analysis) piece by piece. Memory is that of one thread's events. May be called while threads
 * record: an event overwritten meanwhile is counted as dropped. format and written may be NULL.
 * docs/tracing.md says what is in it. */
STK_API STK_NODISCARD stk_status stk_trace_stream(const stk_trace        *trace,
                                                  const stk_trace_format *format, stk_trace_put put,
                                                  void *context, stk_trace_written *written,
                                                  stk_error *err);
/* The same, all zero, appended to out. */
STK_API STK_NODISCARD stk_status stk_trace_dump(const stk_trace *trace, stk_blob *out,
                                                stk_error *err);

STK_END_DECLS
#endif
