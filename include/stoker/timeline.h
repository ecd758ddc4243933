/* stoker/timeline.h - trace files: Chrome's JSON as this and other tools write it (PyTorch Kineto,
 * TensorFlow timeline), plain or compressed by gzip. Files are read as a stream: memory is bounded
 * by the events that are kept, never by the file. */
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
    STK_TIMELINE_STEP,   /* a span that is a step of training */
    STK_TIMELINE_LAUNCH, /* of a kernel, on the host */
    STK_TIMELINE_COUNTER
} stk_timeline_kind;

/* Of an operation's inputs, where their types were recorded. */
enum { STK_EVENT_FLOAT64 = 1, STK_EVENT_FLOAT16 = 2, STK_EVENT_CHANNELS_FIRST = 4 };

typedef struct stk_timeline_event {
    uint32_t          name, category; /* stk_timeline_text */
    uint32_t          row;
    stk_timeline_kind kind;
    stk_stage         stage;        /* as far as name and category tell */
    uint16_t          flags;        /* STK_EVENT_: what its arguments tell */
    uint64_t          begin_ns, ns; /* begin_ns: since the first event */
    double            value;        /* of a counter; number of a step; bytes of a span, or 0 */
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
    uint64_t              max_events; /* 0: 4 million; more are counted and left out */
    const stk_cancel     *cancel;     /* NULL: never */
    void (*progress)(void *context, uint64_t done, uint64_t size);
    void *context;
} stk_timeline_options;

/* A file that ends early gives what is whole, and stk_timeline_cut says so. Not a trace is
 * STK_E_INVALID with the byte it stopped at. */
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
/* In order of row, then of begin. */
STK_API const stk_timeline_event *stk_timeline_at(const stk_timeline *timeline, size_t index);
STK_API size_t                    stk_timeline_row_count(const stk_timeline *timeline);
STK_API const stk_timeline_row   *stk_timeline_row_at(const stk_timeline *timeline, size_t index);
STK_API const char               *stk_timeline_text(const stk_timeline *timeline, uint32_t text);
STK_API bool                      stk_timeline_cut(const stk_timeline *timeline);
STK_API uint64_t                  stk_timeline_left_out(const stk_timeline *timeline);
/* What the trace says that its machine gives at most. False: it does not say. */
STK_API bool stk_timeline_peaks(const stk_timeline *timeline, stk_machine_peaks *peaks);

/* What a trace tells of a run, for stk_diagnose. Warnings of what it does not tell are appended to
 * missing, a line each. */
STK_API STK_NODISCARD stk_status stk_timeline_profile(const stk_timeline *timeline,
                                                      stk_profile *out, stk_blob *missing,
                                                      stk_error *err);

STK_END_DECLS
#endif
