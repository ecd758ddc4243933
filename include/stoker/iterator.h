/* stoker/iterator.h - runs a dataset and returns its elements. */
#ifndef STOKER_ITERATOR_H
#define STOKER_ITERATOR_H

#include <stoker/cancel.h>
#include <stoker/dataset.h>
#include <stoker/function.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_iterator stk_iterator; /* for one thread at a time */

typedef struct stk_iterator_options {
    int         threads;      /* that compute, the caller's included; 0: one per core */
    int         io_depth;     /* I/O requests in flight; 0: tuned */
    uint64_t    seed;         /* of unseeded operators; 0: a new one for each iterator */
    uint64_t    memory_bytes; /* ceiling; 0: a quarter of the machine's; ignored with ledger */
    stk_ledger *ledger;       /* shared; NULL: the iterator makes its own */
    /* Allocator of the dense values that batch makes: pinned memory for a device. Byte strings are
     * not copied. NULL: ordinary memory. The struct is copied; its context must outlive every
     * batch. */
    const stk_allocator *batch_memory;
    /* Decode device that works beside the CPU threads, for maps whose functions begin with a decode
     * and whose parallel is not set. Which images it decodes is not deterministic, and its pixels
     * may differ from the CPU's. NULL: none. Must outlive the iterator. */
    const stk_decode_device *images;
    unsigned                 passes_off; /* stk_pass bits */
    bool                     no_autotune;
    const char              *tuning_file; /* keeps tuned values from run to run; NULL: not kept */
    const stk_cancel        *cancel;
    stk_trace               *trace; /* NULL: none */
    /* Receives warnings and tuning decisions, a line each, from any thread, one call at a time.
     * NULL: dropped. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_iterator_options;

/* Optimises the plan and starts a run of it. Takes its own reference to data. options may be NULL.
 * On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_iterator_start(stk_iterator **out, stk_dataset *data,
                                                    const stk_iterator_options *options,
                                                    stk_error                  *err);
/* Stops and joins the threads, then frees everything. NULL is fine. */
STK_API void stk_iterator_free(stk_iterator *it);

/* Returns the next element in *out, or NULL at the end and after it. The caller owns one reference.
 * An error stands for one element: the next call continues after it. */
STK_API STK_NODISCARD stk_status stk_iterator_next(stk_iterator *it, stk_element **out,
                                                   stk_error *err);
/* Skips up to count elements and errors; *skipped is smaller only at the end. A fresh iterator
 * without prefetch (STK_PASS_PREFETCH off, no such operator) does not compute the maps on top of
 * the plan for skipped elements. The elements that follow are the same either way. */
STK_API STK_NODISCARD stk_status stk_iterator_skip(stk_iterator *it, uint64_t count,
                                                   uint64_t *skipped, stk_error *err);
/* How many errors skipping and restoring passed over as results, and the first of them in *first.
 * Who never went on after an error has met new ones: what follows is not what would have followed.
 */
STK_API uint64_t stk_iterator_passed_errors(const stk_iterator *it, stk_error *first);
STK_API const stk_element_spec *stk_iterator_spec(const stk_iterator *it);
STK_API stk_ledger             *stk_iterator_ledger(const stk_iterator *it);

/* Appends the position of the iterator: the elements that next returned, not those that are
 * buffered. */
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

/* Counters of one operator since the start. */
typedef struct stk_operator_stats {
    char      name[48];
    stk_stage stage;        /* S1 or S2 */
    int       depth;        /* 0: next to the consumer */
    bool      runs_ahead;   /* it has a queue */
    uint64_t  items, bytes; /* passed to its consumer */
    uint64_t  errors;
    uint64_t  busy_ns;                 /* its own work, summed over threads */
    uint64_t  starved_ns;              /* ready to work but without input */
    uint64_t  blocked_ns;              /* its queue was full */
    double    queue_mean;              /* mean number of results in its queue */
    double    queue_empty, queue_full; /* fractions of time in which the queue was empty and at its
                                          capacity */
    uint64_t queue_now, queue_limit;
    int64_t  unit_size;    /* elements pulled and computed together */
    uint64_t device_items; /* items that a decode device worked on */
} stk_operator_stats;

/* A function of a fused map, or an operation of an image function. Times are extrapolated from a
 * sample of the items. */
typedef struct stk_function_stats {
    char name[64];  /* as written; "random_crop + flip": operations done in one pass over the
                       pixels */
    int      depth; /* of its operator */
    uint64_t items;
    uint64_t busy_ns; /* summed over threads */
} stk_function_stats;

typedef struct stk_iterator_io_stats {
    const char *backend; /* "io_uring", "threads", "none": a literal */
    uint64_t    requests, bytes, latency_ns;
    int         in_flight_peak, limit;
} stk_iterator_io_stats;

/* One decision of autotune and its evidence. */
typedef struct stk_decision {
    double time_s; /* since the start */
    char   knob[48];
    double from, to;
    char   evidence[160];
    bool   kept;
} stk_decision;

typedef struct stk_iterator_report {
    uint64_t              elements, bytes; /* returned by next */
    bool                  batches;         /* elements are batches; their rows are the samples */
    double                seconds;         /* since the start */
    double                first_seconds;   /* until the first element */
    double                wait_seconds;    /* spent by the consumer in next */
    int                   threads;
    size_t                stage_count; /* number of operators; stages holds the first 64 */
    stk_operator_stats    stages[64];
    size_t                operation_count; /* entries of operations, source first */
    stk_function_stats    operations[64];
    stk_iterator_io_stats io;
    stk_ledger_report     memory;
    size_t                decision_count;
    stk_decision          decisions[64]; /* the latest 64 */
    char                  limit[160];    /* the bottleneck, in a sentence */
} stk_iterator_report;

STK_API void stk_iterator_read_report(stk_iterator *it, stk_iterator_report *report);

/* How all threads of a run spent their time. Sums since the start: subtract two to get an interval.
 */
typedef struct stk_iterator_times {
    uint64_t compute_ns;    /* at least one thread computed */
    uint64_t read_only_ns;  /* some threads waited for I/O and none computed */
    uint64_t read_busy_ns;  /* work of S1, summed over threads, including I/O */
    uint64_t other_busy_ns; /* work of S2, summed over threads */
    uint64_t elements;      /* returned by next */
    uint64_t read_bytes;    /* bytes that storage returned */
} stk_iterator_times;

/* Cheap enough for every batch. Called from the iterator's thread. */
STK_API void stk_iterator_read_times(stk_iterator *it, stk_iterator_times *times);

/* Runs data to its end and calls function (a scan) with the state and each element; the element it
 * leaves is dropped. *state is the initial state, then the final one. */
STK_API STK_NODISCARD stk_status stk_dataset_reduce(stk_dataset *data, stk_element **state,
                                                    stk_function               *function,
                                                    const stk_iterator_options *options,
                                                    stk_error                  *err);
/* Returns the only element of data; no element or more than one is STK_E_INVALID. */
STK_API STK_NODISCARD stk_status stk_dataset_single(stk_dataset *data, stk_element **out,
                                                    const stk_iterator_options *options,
                                                    stk_error                  *err);

STK_END_DECLS
#endif
