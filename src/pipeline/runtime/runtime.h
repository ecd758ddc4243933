/* What all nodes of one iterator share: memory, seed, threads, the queues they serve, counters. */
#ifndef STK_PIPELINE_RUNTIME_RUNTIME_H
#define STK_PIPELINE_RUNTIME_RUNTIME_H

#include "base/threads.h"
#include "pipeline/plan/operator.h"
#include "pipeline/runtime/part_times.h"
#include "pipeline/runtime/thread_activity.h"

#include <stoker/iterator.h>

typedef struct stk_run        stk_run;
typedef struct stk_node_queue stk_node_queue; /* runtime/node_queue.h */
typedef struct stk_run_io     stk_run_io;     /* runtime/run_io.h */

/* Results of one pass below which a quarantine has told of what was bad. */
typedef struct stk_operator_progress {
    uint64_t lineage, epoch, below;
} stk_operator_progress;

/* Counters of one stage of the plan, shared by all nodes that ever ran it. Added to by several
 * threads and read by the report at any time: all numbers are atomic, relaxed. */
typedef struct stk_node_counters stk_node_counters;
struct stk_node_counters {
    const stk_operator *op;
    stk_node_counters  *parent; /* of the stage that consumes it; NULL next to the consumer */
    size_t              slot;   /* which input of parent it is */
    int                 depth;
    uint64_t            items, errors;
    /* Calls that were timed, inputs included; each counts for the calls it stands for. */
    uint64_t sampled, sampled_ns, sampled_bytes;
    uint64_t sampled_own_ns;  /* of sampled_ns, without the inputs */
    uint64_t sampled_wait_ns; /* of sampled_ns, waiting for bytes */
    bool     waits;           /* a source: all of its calls are timed as waits of the run */
    /* Of stages with a queue: */
    bool     runs_ahead;
    bool     reads;        /* what it computes waits for bytes: S1 */
    uint64_t busy_ns;      /* pulling and computing, all threads, waits taken off */
    uint64_t pull_ns;      /* of that, pulling */
    uint64_t waited_ns;    /* its consumer waited for it */
    uint64_t device_items; /* items that a decode device worked on */
    /* Over the time it was watched: full of results, without any, and results times time / 1024. */
    uint64_t watched_ns, blocked_ns, empty_ns, waiting_area;
    uint64_t queue_now, queue_limit, unit_size, target_ns, item_bytes;
    bool     capacity_is_pinned, unit_size_is_pinned; /* given by a person or by the plan */
    uint64_t tuned_capacity, tuned_target_ns;         /* what the tuner wants; 0: as it is */
    stk_operator_progress told;                       /* under the run's lock */
    stk_part_times       *parts;                      /* atomic: of a fused stage; NULL: none */
    stk_node_counters    *next;                       /* all accounts, newest first */
};

static inline void stk_count(uint64_t *counter, uint64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

enum { STK_TUNED_PATH = 192 };

/* Values that were tuned in an earlier run, for the stage of that path. */
typedef struct stk_tuned {
    char     path[STK_TUNED_PATH];
    uint64_t capacity, target_ns; /* 0: none */
} stk_tuned;

/* Which stage this is: "prefetch/apply/zip/range.1", from the consumer on. False when it does not
 * fit. */
bool stk_node_counters_path(const stk_node_counters *counters, char path[STK_TUNED_PATH]);

typedef struct stk_run_options {
    int                  threads; /* helpers beside the consumer */
    stk_ledger          *ledger;
    const stk_cancel    *cancel;
    stk_trace           *trace;
    const stk_allocator *batch_memory; /* NULL: ordinary */
    /* Helps with images; NULL: none does. Must outlive the run. */
    const stk_decode_device *images;
    bool                     relaxed; /* stages that do not say may give elements out of order */
    bool                     autotune;
    int                      io_depth; /* 0: tuned */
    const stk_tuned         *tuned;    /* must outlive the run */
    size_t                   tuned_count;
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_run_options;

/* Threads are started with the first queue, not here. */
STK_NODISCARD stk_status stk_run_new(stk_run **out, const stk_run_options *options, stk_error *err);
/* All nodes must be gone. Stops and joins its threads. NULL is fine. */
void                   stk_run_free(stk_run *run);
const stk_run_options *stk_run_options_of(const stk_run *run);
stk_run_io            *stk_run_io_of(const stk_run *run);
stk_thread_activity   *stk_run_activity(stk_run *run);
void                   stk_run_log(stk_run *run, const char *format, ...) STK_PRINTF(2, 3);

/* The calling thread's ring in the run's trace; NULL when less than level is recorded. */
stk_trace_thread *stk_run_trace(stk_run *run, stk_trace_level level);

/* The account of the stage that op is in slot of parent; the same one every time. */
STK_NODISCARD stk_status stk_run_add_counters(stk_run *run, const stk_operator *op,
                                              stk_node_counters *parent, size_t slot, int depth,
                                              stk_node_counters **out, stk_error *err);
stk_node_counters       *stk_run_counters(stk_run *run);
/* The parts of the account: these, or those it has already, and then these are freed. */
stk_part_times *stk_node_counters_keep_parts(stk_node_counters *counters, stk_part_times *parts);

stk_operator_progress stk_run_progress(stk_run *run, const stk_node_counters *counters);
void stk_run_note_progress(stk_run *run, stk_node_counters *counters, stk_operator_progress told);

/* Queues that want threads. Unregistering waits until no thread is inside. */
STK_NODISCARD stk_status stk_run_register(stk_run *run, stk_node_queue *queue, stk_error *err);
void                     stk_run_unregister(stk_run *run, stk_node_queue *queue);

/* Does one piece of work of the most downstream queue that has some; pulls only for queues of
 * pull_depth and further from the consumer. False when there is none. */
bool stk_run_work(stk_run *run, int pull_depth);
/* Wakes a sleeping thread, if there is one, because a queue has work. */
void stk_run_wake(stk_run *run);

/* Writes down and logs what was tuned. */
void stk_run_decide(stk_run *run, const char *knob, double from, double to, const char *evidence,
                    bool kept);
/* The last ones, oldest first; returns how many were written, *count is how many there were. */
size_t stk_run_decisions(stk_run *run, stk_decision *out, size_t capacity, size_t *count);

/* Bytes that work under way will probably take: added when it begins, taken off when it is done. */
void stk_run_expect(stk_run *run, int64_t bytes);
/* True when so much memory is held or expected that bytes more should wait and only the oldest work
 * go on. */
bool stk_run_memory_is_tight(const stk_run *run, uint64_t bytes);

/* What is kept free of the ceiling for the oldest work, at least an eighth of it. */
uint64_t stk_run_kept_free(const stk_run *run);
void     stk_run_keep_free(stk_run *run, uint64_t bytes);

/* Serial: queues pull only what somebody waits for, one unit at a time, on one thread; nothing is
 * read ahead and idle memory goes back. What does not fit then does not fit at all. Begun while the
 * run has no nodes; ended at any time between two calls of the consumer. */
void stk_run_set_serial(stk_run *run, bool serial);
bool stk_run_is_serial(const stk_run *run);

#endif
