/* stoker/timeline.h - reads trace files: Chrome's JSON from Stoker and other tools (PyTorch Kineto,
 * TensorFlow timeline), plain or gzip. Files are streamed: memory is bounded by the kept events,
 * not by the file. */
#ifndef STOKER_TIMELINE_H
#define STOKER_TIMELINE_H

#include <stdbool.h>
#include <stoker/cancel.h>
#include <stoker/filesystem.h>
#include <stoker/profile.h>

STK_BEGIN_DECLS

typedef enum stk_timeline_tool {
    STK_TIMELINE_UNKNOWN,
    STK_TIMELINE_STOKER,
    STK_TIMELINE_KINETO,
    STK_TIMELINE_TENSORFLOW
} stk_timeline_tool;

typedef enum stk_timeline_kind {
    STK_TIMELINE_SPAN,
    STK_TIMELINE_STEP,   /* span of a training step */
    STK_TIMELINE_LAUNCH, /* kernel launch on the host */
    STK_TIMELINE_COUNTER
} stk_timeline_kind;

/* Input types of an operation, if recorded. */
enum { STK_EVENT_FLOAT64 = 1, STK_EVENT_FLOAT16 = 2, STK_EVENT_CHANNELS_FIRST = 4 };

typedef struct stk_timeline_event {
    uint32_t          name, category; /* stk_timeline_text */
    uint32_t          row;
    stk_timeline_kind kind;
    stk_stage         stage;        /* derived from name and category */
    uint16_t          flags;        /* STK_EVENT_ flags, from its arguments */
    uint64_t          begin_ns, ns; /* begin_ns: since the first event */
    double            value;        /* of a counter; index of a step; bytes of a span, or 0 */
} stk_timeline_event;

/* A thread of a process, or a stream of a device. */
typedef struct stk_timeline_row {
    int64_t  process, thread;
    uint32_t process_name, thread_name; /* stk_timeline_text; 0: none */
    bool     is_device;
} stk_timeline_row;

typedef struct stk_timeline stk_timeline;

typedef struct stk_timeline_options {
    const stk_filesystem *fs;         /* NULL: local */
    uint64_t              max_events; /* 0: 4 million; further events are counted and dropped */
    const stk_cancel     *cancel;     /* NULL: never */
    void (*progress)(void *context, uint64_t done, uint64_t size);
    void *context;
} stk_timeline_options;

/* Reads a trace. A truncated file yields its complete events, and stk_timeline_cut is true.
 * STK_E_INVALID if it is no trace; the message has the byte offset. */
STK_API STK_NODISCARD stk_status stk_timeline_read(stk_timeline **out, const char *path,
                                                   const stk_timeline_options *options,
                                                   stk_error                  *err);
/* The same of a trace in memory: what reading its file would give, without a file. May be called
 * while threads record. max_events as in the options. */
STK_API STK_NODISCARD stk_status stk_timeline_of_trace(stk_timeline **out, const stk_trace *trace,
                                                       uint64_t max_events, stk_error *err);
/* NULL is fine. */
STK_API void              stk_timeline_free(stk_timeline *timeline);
STK_API stk_timeline_tool stk_timeline_made_by(const stk_timeline *timeline);
STK_API size_t            stk_timeline_count(const stk_timeline *timeline);
/* Ordered by row, then begin. */
STK_API const stk_timeline_event *stk_timeline_at(const stk_timeline *timeline, size_t index);
STK_API size_t                    stk_timeline_row_count(const stk_timeline *timeline);
STK_API const stk_timeline_row   *stk_timeline_row_at(const stk_timeline *timeline, size_t index);
STK_API const char               *stk_timeline_text(const stk_timeline *timeline, uint32_t text);
STK_API bool                      stk_timeline_cut(const stk_timeline *timeline);
STK_API uint64_t                  stk_timeline_left_out(const stk_timeline *timeline);
/* The machine's peak rates in the trace. Returns false if it has none. */
STK_API bool stk_timeline_peaks(const stk_timeline *timeline, stk_machine_peaks *peaks);

/* Converts a trace to a profile for stk_diagnose. Appends a line to missing for each property that
 * the trace lacks. */
STK_API STK_NODISCARD stk_status stk_timeline_profile(const stk_timeline *timeline,
                                                      stk_profile *out, stk_blob *missing,
                                                      stk_error *err);

STK_END_DECLS
#endif
