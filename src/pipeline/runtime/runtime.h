/* State shared by all nodes of one iterator: memory, seed, threads, queues, counters. */
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

/* Index up to which a quarantine has reported the errors of an epoch. */
typedef struct stk_operator_progress {
    uint64_t lineage, epoch, below;
} stk_operator_progress;

/* Counters of one operator of the plan, shared by all nodes that ever ran it. Threads add and the
 * report reads at any time: all numbers are relaxed atomics. */
typedef struct stk_node_counters stk_node_counters;
struct stk_node_counters {
    const stk_operator *op;
    stk_node_counters  *parent; /* of its consumer; NULL next to the iterator's consumer */
    size_t              slot;   /* which input of parent it is */
    int                 depth;
    uint64_t            items, errors;
    /* Timed calls, inputs included; each stands for several calls. */
    uint64_t sampled, sampled_ns, sampled_bytes;
    uint64_t sampled_own_ns;  /* of sampled_ns, without the inputs */
    uint64_t sampled_wait_ns; /* of sampled_ns, blocked on I/O */
    bool     waits;           /* a source: all calls are timed as I/O waits */
    /* Of operators with a queue: */
    bool     runs_ahead;
    bool     reads;        /* its computing blocks on I/O: S1 */
    uint64_t busy_ns;      /* pulling and computing, all threads, without waits */
    uint64_t pull_ns;      /* of busy_ns, pulling */
    uint64_t waited_ns;    /* wait of its consumer */
    uint64_t device_items; /* items that a decode device decoded */
    /* While observed: time full, time empty, and the integral of results over time / 1024. */
    uint64_t watched_ns, blocked_ns, empty_ns, waiting_area;
    uint64_t queue_now, queue_limit, unit_size, target_ns, item_bytes;
    bool     capacity_is_pinned, unit_size_is_pinned; /* fixed by the user or the plan */
    uint64_t tuned_capacity, tuned_target_ns;         /* requested by the tuner; 0: unchanged */
    stk_operator_progress told;                       /* under the run's lock */
    stk_part_times       *parts;                      /* atomic: of a fused map; NULL: none */
    stk_node_counters    *next;                       /* list of all counters, newest first */
};

static inline void stk_count(uint64_t *counter, uint64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

enum { STK_TUNED_PATH = 192 };

/* Tuned values of an earlier run, for the operator of that path. */
typedef struct stk_tuned {
    char     path[STK_TUNED_PATH];
    uint64_t capacity, target_ns; /* 0: none */
} stk_tuned;

/* The path of an operator from the consumer on: "prefetch/apply/zip/range.1". False if it does not
 * fit. */
bool stk_node_counters_path(const stk_node_counters *counters, char path[STK_TUNED_PATH]);

typedef struct stk_run_options {
    int                  threads; /* worker threads besides the consumer */
    stk_ledger          *ledger;
    const stk_cancel    *cancel;
    stk_trace           *trace;
    const stk_allocator *batch_memory; /* NULL: ordinary */
    /* Decodes images; NULL: none. Must outlive the run. */
    const stk_decode_device *images;
    bool                     relaxed; /* operators without their own order may return elements out
                                         of order */
    bool             autotune;
    int              io_depth; /* 0: tuned */
    const stk_tuned *tuned;    /* must outlive the run */
    size_t           tuned_count;
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_run_options;

/* Threads are started with the first queue, not here. */
STK_NODISCARD stk_status stk_run_new(stk_run **out, const stk_run_options *options, stk_error *err);
/* All nodes must be freed. Stops and joins its threads. NULL is fine. */
void                   stk_run_free(stk_run *run);
const stk_run_options *stk_run_options_of(const stk_run *run);
stk_run_io            *stk_run_io_of(const stk_run *run);
stk_thread_activity   *stk_run_activity(stk_run *run);
void                   stk_run_log(stk_run *run, const char *format, ...) STK_PRINTF(2, 3);

/* The calling thread's ring in the run's trace; NULL if level is not recorded. */
stk_trace_thread *stk_run_trace(stk_run *run, stk_trace_level level);

/* The counters of operator op in slot of parent; the same on every call. */
STK_NODISCARD stk_status stk_run_add_counters(stk_run *run, const stk_operator *op,
                                              stk_node_counters *parent, size_t slot, int depth,
                                              stk_node_counters **out, stk_error *err);
stk_node_counters       *stk_run_counters(stk_run *run);
/* The parts of the counters: these or, if it has some already, those; these are then freed. */
stk_part_times *stk_node_counters_keep_parts(stk_node_counters *counters, stk_part_times *parts);

stk_operator_progress stk_run_progress(stk_run *run, const stk_node_counters *counters);
void stk_run_note_progress(stk_run *run, stk_node_counters *counters, stk_operator_progress told);

/* Queues served by the worker threads. Unregistering waits for threads inside. */
STK_NODISCARD stk_status stk_run_register(stk_run *run, stk_node_queue *queue, stk_error *err);
void                     stk_run_unregister(stk_run *run, stk_node_queue *queue);

/* Does one piece of work of the most downstream queue that has some. Pulls only for queues at
 * pull_depth or further from the consumer. False without work. */
bool stk_run_work(stk_run *run, int pull_depth);
/* Wakes a sleeping worker, if any: a queue has work. */
void stk_run_wake(stk_run *run);

/* Keeps an error that was passed over as a result among others. */
void stk_run_pass_error(stk_run *run, const stk_error *passed);
/* How many were, and the first of them in *first. */
uint64_t stk_run_passed_errors(stk_run *run, stk_error *first);

/* Records and logs a tuning decision. */
void stk_run_decide(stk_run *run, const char *knob, double from, double to, const char *evidence,
                    bool kept);
/* Writes the latest decisions, oldest first; returns how many; *count is the number made. */
size_t stk_run_decisions(stk_run *run, stk_decision *out, size_t capacity, size_t *count);

/* Estimated bytes of work in flight: added at its begin, subtracted at its end. */
void stk_run_expect(stk_run *run, int64_t bytes);
/* Whether so much memory is held or expected that bytes more should wait and only the oldest work
 * should proceed. */
bool stk_run_memory_is_tight(const stk_run *run, uint64_t bytes);

/* Memory reserved below the ceiling for the oldest work, at least an eighth of it. */
uint64_t stk_run_kept_free(const stk_run *run);
void     stk_run_keep_free(stk_run *run, uint64_t bytes);

/* Serial mode: queues pull only requested units, one at a time, on one thread; nothing is read
 * ahead and idle memory is returned. The minimal memory of a plan. Entered before the run has
 * nodes; left between two calls of the consumer. */
void stk_run_set_serial(stk_run *run, bool serial);
bool stk_run_is_serial(const stk_run *run);

#endif
