/* A queue that runs ahead of its consumer: pulls units of elements from an input node, one thread
 * at a time and in order; computes them on any number of threads; gives them to the consumer in the
 * order they were pulled, or as they are ready. Used by map, batch over map, prefetch and
 * interleave. Whoever waits for it works for it, unless its work itself waits. */
#ifndef STK_PIPELINE_RUNTIME_NODE_QUEUE_H
#define STK_PIPELINE_RUNTIME_NODE_QUEUE_H

#include "pipeline/runtime/run_node.h"

/* One result: an element, an error, or neither when it was dropped. */
typedef struct stk_queue_item {
    stk_element *element;
    stk_status   status;
    stk_error   *error; /* malloced; NULL where there was no memory for it */
} stk_queue_item;

typedef struct stk_work_unit {
    stk_queue_item *items;
    size_t          count;
    uint64_t        first;   /* number of items[0] in the queue's input */
    size_t          parts;   /* set by finish: what is left to do in so many parts; 0: nothing */
    void           *scratch; /* of finish, copy and seal */
    /* Set by prepare: the result to be, whose storage items may be computed into; one reference. */
    stk_element *result;
} stk_work_unit;

/* Items of one unit. */
typedef struct stk_unit_slice {
    stk_work_unit *unit;
    size_t         first, count;
} stk_unit_slice;

typedef struct stk_node_queue_ops {
    /* A unit will be computed: may make its result beforehand. Where that fails there is none, and
     * the unit can be computed all the same. NULL: nothing. */
    stk_status (*prepare)(void *context, stk_work_unit *unit, stk_error *err);
    /* Turns items[first, first + count) into results; any thread, parts of a unit at once. NULL:
     * the inputs are the results. */
    void (*compute)(void *context, stk_work_unit *unit, size_t first, size_t count);
    /* The same for parts of several units at once, with the help of a decode device; adds to
     * *device_items how many items it worked on. An error is the device's, which is not asked
     * again: the items are results all the same. NULL: no device helps. */
    stk_status (*compute_many)(void *context, const stk_unit_slice *parts, size_t count,
                               uint64_t *device_items, stk_error *err);
    /* All items are computed. Turns the unit into one result in items[0], the rest emptied (then
     * the unit counts as one result). NULL: each item is a result. */
    void (*finish)(void *context, stk_work_unit *unit);
    /* Where finish left parts: each is done once, by any thread, several at once; then seal puts
     * the result into items[0] and frees scratch. Both are NULL where finish never leaves any. */
    void (*copy)(void *context, stk_work_unit *unit, size_t part);
    void (*seal)(void *context, stk_work_unit *unit);
} stk_node_queue_ops;

typedef struct stk_node_queue_options {
    stk_node                 *node;  /* whose stage this is: its account, run, depth */
    stk_node                 *input; /* what is pulled; must outlive the queue */
    const stk_node_queue_ops *ops;
    void                     *context;
    uint64_t                  capacity;  /* most elements ahead of the consumer; 0: tuned */
    uint64_t                  unit_size; /* elements a unit; 0: tuned. With finish: exactly */
    int64_t                   threads;   /* most that compute at a time; 0: no limit */
    bool                      relaxed;   /* units may be given as they are ready */
    bool error_ends_unit;                /* with finish: the next unit begins after an error */
    bool by_halves; /* room goes back by halves of the window: fewer, longer pulls */
    /* Pulling or computing waits for something other than this thread's work: it is done on the
     * run's engines, calls one element at a time and many at once. */
    bool blocking;
    /* Helps where there is ops->compute_many, threads is 0 and it is not blocking. NULL: none. */
    const stk_decode_device *images;
} stk_node_queue_options;

STK_NODISCARD stk_status stk_node_queue_start(stk_node_queue              **out,
                                              const stk_node_queue_options *options,
                                              stk_error                    *err);
/* Waits for those at work in it, then drops what it holds. NULL is fine. */
void stk_node_queue_free(stk_node_queue *queue);

/* Lets threads work for it before it is first asked, which stk_node_queue_next does by itself. */
void stk_node_queue_begin(stk_node_queue *queue);
/* Whether next would not wait: a result or the end is there. For the consumer's thread. */
bool stk_node_queue_is_ready(stk_node_queue *queue);

/* As stk_node_next. */
STK_NODISCARD stk_status stk_node_queue_next(stk_node_queue *queue, stk_element **out,
                                             stk_error *err);
/* The consumer's place: a saved place of the input before it, and how far the consumer is past
 * that. Restoring is for a queue that has given nothing yet. */
STK_NODISCARD stk_status stk_node_queue_save(stk_node_queue *queue, stk_state_out *out,
                                             stk_error *err);
STK_NODISCARD stk_status stk_node_queue_restore(stk_node_queue *queue, stk_state_in *in,
                                                stk_error *err);

/* Whether nothing was asked for yet, and results will come in order. */
bool stk_node_queue_can_skip(const stk_node_queue *queue);
/* As stk_node_discard, for a queue that can, and whose results are its inputs one by one: none is
 * computed. */
STK_NODISCARD stk_status stk_node_queue_skip(stk_node_queue *queue, uint64_t count,
                                             uint64_t *skipped, stk_error *err);

/* For the runtime: its place in the list, what work there is, and one piece of it. */
enum { STK_NODE_QUEUE_COMPUTE = 1, STK_NODE_QUEUE_PULL = 2 };
int      stk_node_queue_depth(const stk_node_queue *queue);
unsigned stk_node_queue_wants(const stk_node_queue *queue);
bool     stk_node_queue_work(stk_node_queue *queue, bool may_pull);

/* Fills an item with a copy of err, freeing its element. */
void stk_queue_item_fail(stk_queue_item *item, const stk_error *err);
void stk_queue_item_clear(stk_queue_item *item);

#endif
