/* stoker/iterator.h - run a dataset and draw elements from it. */
#ifndef STOKER_ITERATOR_H
#define STOKER_ITERATOR_H

#include <stoker/cancel.h>
#include <stoker/dataset.h>
#include <stoker/function.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_iterator stk_iterator; /* for one thread at a time */

typedef struct stk_iterator_options {
    int         threads;      /* that compute, the one that asks included; 0: one per core */
    int         io_depth;     /* I/O requests at a time; 0: tuned */
    uint64_t    seed;         /* of unseeded stages; 0: a new one for each iterator */
    uint64_t    memory_bytes; /* ceiling; 0: a quarter of the machine's; ignored with ledger */
    stk_ledger *ledger;       /* shared with others; NULL: one of its own */
    /* Of what batch makes (dense values; byte strings stay where they are): pinned memory, for a
     * device that reads them. NULL: ordinary. Copied; its context must outlive every batch. */
    const stk_allocator *batch_memory;
    /* Decodes images beside the threads, where a map's functions begin with a decode and its
     * parallel is not given. Which of them is not settled, nor to the bit what they are. NULL:
     * none. Must outlive the iterator. */
    const stk_decode_device *images;
    unsigned                 passes_off; /* stk_pass bits */
    bool                     no_autotune;
    const char              *tuning_file; /* where tuned values are kept; NULL: nowhere */
    const stk_cancel        *cancel;
    stk_trace               *trace; /* NULL: none */
    /* Warnings and decisions, one line each; NULL: dropped. Called from any thread, one at a time.
     */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_iterator_options;

/* Optimises the plan and makes ready to run. Takes its own reference to data. options may be NULL.
 * On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_iterator_start(stk_iterator **out, stk_dataset *data,
                                                    const stk_iterator_options *options,
                                                    stk_error                  *err);
/* Stops and joins its threads, frees all it holds. NULL is fine. */
STK_API void stk_iterator_free(stk_iterator *it);

/* The next element: the caller owns one reference. NULL at the end, however often it is asked. An
 * error belongs to one element: asking again goes on after it. */
STK_API STK_NODISCARD stk_status stk_iterator_next(stk_iterator *it, stk_element **out,
                                                   stk_error *err);
/* Passes over up to count elements and errors; *skipped is less at the end only. Of an iterator
 * that was asked for nothing yet and has no prefetch (STK_PASS_PREFETCH off, no such stage), maps
 * on top of the plan are not computed for them: what comes next is as if they had been. */
STK_API STK_NODISCARD stk_status stk_iterator_skip(stk_iterator *it, uint64_t count,
                                                   uint64_t *skipped, stk_error *err);
STK_API const stk_element_spec  *stk_iterator_spec(const stk_iterator *it);
STK_API stk_ledger              *stk_iterator_ledger(const stk_iterator *it);

/* Appends the place of the iterator: what next gave so far, and nothing of what is buffered. */
STK_API STK_NODISCARD stk_status stk_iterator_save(stk_iterator *it, stk_blob *out, stk_error *err);
/* Puts the iterator, new or in use, at a saved place. The next elements are those that would have
 * come then. What must be the same: stages, parameters, names, details and versions of functions,
 * passes_off, and the content of the files that are read. What may differ: process, threads,
 * memory, seed (the saved one holds on) and the place of files that were moved together. Functions
 * and generators without save and restore begin anew: a generator is run again up to the place.
 * STK_E_INVALID for another pipeline or version, STK_E_DATALOSS for damaged bytes; the iterator is
 * then as it was. */
STK_API STK_NODISCARD stk_status stk_iterator_restore(stk_iterator *it, stk_bytes saved,
                                                      stk_error *err);

/* What one stage did so far. */
typedef struct stk_operator_stats {
    char      name[48];
    stk_stage stage;        /* S1 or S2 */
    int       depth;        /* 0 is the stage next to the consumer */
    bool      runs_ahead;   /* it has a queue */
    uint64_t  items, bytes; /* given to the stage after it */
    uint64_t  errors;
    uint64_t  busy_ns;                 /* work of its own, summed over threads */
    uint64_t  starved_ns;              /* wanted to work, had no input */
    uint64_t  blocked_ns;              /* its queue was full */
    double    queue_mean;              /* results waiting in its queue, over time */
    double    queue_empty, queue_full; /* shares of time without any, and with all it may hold */
    uint64_t  queue_now, queue_limit;
    int64_t   unit_size;    /* elements pulled and computed together */
    uint64_t  device_items; /* items that a decode device worked on */
} stk_operator_stats;

/* A function of a fused stage, or an operation of an image function. Some items are timed for all.
 */
typedef struct stk_function_stats {
    char     name[64]; /* as it was written; "random_crop + flip": what is done in one pass */
    int      depth;    /* of its stage */
    uint64_t items;
    uint64_t busy_ns; /* summed over threads */
} stk_function_stats;

typedef struct stk_iterator_io_stats {
    const char *backend; /* "io_uring", "threads", "none": a literal */
    uint64_t    requests, bytes, latency_ns;
    int         in_flight_peak, limit;
} stk_iterator_io_stats;

/* One thing that autotune did, with its evidence. */
typedef struct stk_decision {
    double time_s; /* since the start */
    char   knob[48];
    double from, to;
    char   evidence[160];
    bool   kept;
} stk_decision;

typedef struct stk_iterator_report {
    uint64_t              elements, bytes; /* given to the consumer */
    bool                  batches;         /* elements are batches: their rows are the samples */
    double                seconds;         /* since the start */
    double                first_seconds;   /* until the first element */
    double                wait_seconds;    /* the consumer waited in next */
    int                   threads;
    size_t                stage_count; /* in all; stages holds the first of them */
    stk_operator_stats    stages[64];
    size_t                operation_count; /* at most as many as there is room for, source first */
    stk_function_stats    operations[64];
    stk_iterator_io_stats io;
    stk_ledger_report     memory;
    size_t                decision_count;
    stk_decision          decisions[64]; /* the last ones */
    char                  limit[160];    /* what limits it, in a sentence */
} stk_iterator_report;

STK_API void stk_iterator_read_report(stk_iterator *it, stk_iterator_report *report);

/* Where the time of a run goes, all its threads together. Sums since the start: for differences. */
typedef struct stk_iterator_times {
    uint64_t compute_ns;    /* time in which at least one thread computed */
    uint64_t read_only_ns;  /* time in which some waited for bytes and none computed */
    uint64_t read_busy_ns;  /* work of S1, summed over threads, with what reading takes */
    uint64_t other_busy_ns; /* work of S2, summed over threads */
    uint64_t elements;      /* given to the consumer */
    uint64_t read_bytes;    /* that storage gave, as they were asked for */
} stk_iterator_times;

/* Cheap: may be called for every batch. For the iterator's own thread. */
STK_API void stk_iterator_read_times(stk_iterator *it, stk_iterator_times *times);

/* Whole runs. reduce: function (scan) is called with the state and each element; the element it
 * leaves is dropped. *state is the first state and then the last. */
STK_API STK_NODISCARD stk_status stk_dataset_reduce(stk_dataset *data, stk_element **state,
                                                    stk_function               *function,
                                                    const stk_iterator_options *options,
                                                    stk_error                  *err);
/* The only element; none or more than one is STK_E_INVALID. */
STK_API STK_NODISCARD stk_status stk_dataset_single(stk_dataset *data, stk_element **out,
                                                    const stk_iterator_options *options,
                                                    stk_error                  *err);

STK_END_DECLS
#endif
