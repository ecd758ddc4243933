/* A bounded queue that runs ahead of its consumer. It pulls units of elements from an input node in
 * order, one thread at a time, computes them on any number of threads, and delivers them in order
 * or as they complete. Used by map, fused map, prefetch and interleave. A waiting consumer helps
 * with the queue's work, unless that work blocks. */
#ifndef STK_PIPELINE_RUNTIME_NODE_QUEUE_H
#define STK_PIPELINE_RUNTIME_NODE_QUEUE_H

#include "pipeline/runtime/run_node.h"

/* One result: an element, an error, or neither if it was dropped. */
typedef struct stk_queue_item {
    stk_element *element;
    stk_status   status;
    stk_error   *error; /* malloced; NULL if out of memory */
} stk_queue_item;

typedef struct stk_work_unit {
    stk_queue_item *items;
    size_t          count;
    uint64_t        first;   /* index of items[0] in the queue's input */
    size_t          parts;   /* set by finish: number of parts for copy; 0: none */
    void           *scratch; /* private to finish, copy and seal */
    /* Set by prepare: the result, whose storage items may write to; one reference. */
    stk_element *result;
} stk_work_unit;

/* A range of items of one unit. */
typedef struct stk_unit_slice {
    stk_work_unit *unit;
    size_t         first, count;
} stk_unit_slice;

typedef struct stk_node_queue_ops {
    /* Optional: allocates the result of a unit before its items are computed. On failure the unit
     * is computed without it. */
    stk_status (*prepare)(void *context, stk_work_unit *unit, stk_error *err);
    /* Computes items[first, first + count); called from any thread, for slices of a unit in
     * parallel. NULL: the inputs are the results. */
    void (*compute)(void *context, stk_work_unit *unit, size_t first, size_t count);
    /* Optional: computes slices of several units with the decode device; adds the number of items
     * that it decoded to *by_device. A returned error is the device's, which is then not used
     * again; the items are results all the same. */
    stk_status (*compute_many)(void *context, const stk_unit_slice *parts, size_t count,
                               uint64_t *device_items, stk_error *err);
    /* Optional: combines the computed items into one result in items[0] and empties the rest; the
     * unit then counts as one result. NULL: each item is a result. */
    void (*finish)(void *context, stk_work_unit *unit);
    /* For finish with parts: copy does each part once, on any thread, in parallel; seal then stores
     * the result in items[0] and frees scratch. Both NULL: finish leaves no parts. */
    void (*copy)(void *context, stk_work_unit *unit, size_t part);
    void (*seal)(void *context, stk_work_unit *unit);
} stk_node_queue_ops;

typedef struct stk_node_queue_options {
    stk_node                 *node;  /* the queue's operator: its counters, run and depth */
    stk_node                 *input; /* pulled from; must outlive the queue */
    const stk_node_queue_ops *ops;
    void                     *context;
    uint64_t                  capacity;  /* max elements ahead of the consumer; 0: tuned */
    uint64_t                  unit_size; /* elements of a unit; 0: tuned. With finish: exact */
    int64_t                   threads;   /* max threads that compute; 0: no limit */
    bool                      relaxed;   /* deliver units as they complete */
    bool                      error_ends_unit; /* with finish: an error ends the unit */
    bool                      by_halves;       /* return capacity by halves: fewer, longer pulls */
    /* Pulling or computing blocks: it runs on the run's I/O engines, computing one element per call
     * and many calls at a time. */
    bool blocking;
    /* Used with ops->compute_many if threads is 0 and the queue is not blocking. NULL: none. */
    const stk_decode_device *images;
} stk_node_queue_options;

STK_NODISCARD stk_status stk_node_queue_start(stk_node_queue              **out,
                                              const stk_node_queue_options *options,
                                              stk_error                    *err);
/* Waits for threads inside, then drops the content. NULL is fine. */
void stk_node_queue_free(stk_node_queue *queue);

/* Starts work before the first stk_node_queue_next, which otherwise starts it. */
void stk_node_queue_begin(stk_node_queue *queue);
/* Whether next would not block. For the consumer's thread. */
bool stk_node_queue_is_ready(stk_node_queue *queue);

/* As stk_node_next. */
STK_NODISCARD stk_status stk_node_queue_next(stk_node_queue *queue, stk_element **out,
                                             stk_error *err);
/* The consumer's position: a saved position of the input and the distance from it. Only a queue
 * that delivered nothing can be restored. */
STK_NODISCARD stk_status stk_node_queue_save(stk_node_queue *queue, stk_state_out *out,
                                             stk_error *err);
STK_NODISCARD stk_status stk_node_queue_restore(stk_node_queue *queue, stk_state_in *in,
                                                stk_error *err);

/* Whether nothing was requested yet and results come in order. */
bool stk_node_queue_can_skip(const stk_node_queue *queue);
/* As stk_node_discard, for a queue that can skip and maps inputs to results one to one. Computes
 * none of them. */
STK_NODISCARD stk_status stk_node_queue_skip(stk_node_queue *queue, uint64_t count,
                                             uint64_t *skipped, stk_error *err);

/* For the runtime: depth in the plan, available work, and one step of it. */
enum { STK_NODE_QUEUE_COMPUTE = 1, STK_NODE_QUEUE_PULL = 2 };
int      stk_node_queue_depth(const stk_node_queue *queue);
unsigned stk_node_queue_wants(const stk_node_queue *queue);
bool     stk_node_queue_work(stk_node_queue *queue, bool may_pull);

/* Fills an item with a copy of err, freeing its element. */
void stk_queue_item_fail(stk_queue_item *item, const stk_error *err);
void stk_queue_item_clear(stk_queue_item *item);

#endif
