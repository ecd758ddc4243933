/* Internals of the node queue. node_queue.c is the consumer's side, queue_pull.c fills units,
 * queue_compute.c computes them, queue_offload.c uses a decode device, queue_capacity.c bounds the
 * work ahead. Units form a list in the order they were pulled. One lock guards the list and all
 * counts; it is held for a few instructions, never while pulling or computing. */
#ifndef STK_PIPELINE_RUNTIME_QUEUE_INTERNAL_H
#define STK_PIPELINE_RUNTIME_QUEUE_INTERNAL_H

#include "base/clock.h"
#include "pipeline/runtime/async_calls.h"
#include "pipeline/runtime/node_queue.h"
#include "pipeline/runtime/queue_positions.h"

/* Target length of a piece of work: long compared with its overhead, short compared with a batch.
 */
enum { STK_NODE_QUEUE_TARGET_NS = 100000 };

typedef enum stk_node_queue_phase {
    STK_NODE_QUEUE_COMPUTING,
    STK_NODE_QUEUE_FINISHING,
    STK_NODE_QUEUE_COPYING,
    STK_NODE_QUEUE_READY
} stk_node_queue_phase;

typedef struct stk_queue_unit      stk_queue_unit;
typedef struct stk_offload_workers stk_offload_workers;
struct stk_queue_unit {
    stk_work_unit        shared; /* passed to compute and finish */
    size_t               capacity;
    bool                 computed; /* each item was computed while the unit was filled */
    stk_node_queue_phase phase;
    size_t               part;          /* elements that a thread claims at a time */
    size_t               claimed, done; /* out of count or, while COPYING, of parts */
    size_t               weight;        /* what it counts against the capacity */
    uint64_t             expected;      /* estimated bytes, until it is ready */
    uint64_t             reserved;      /* bytes of its elements, once it is ready */
    stk_queue_unit      *next;
};

struct stk_node_queue {
    stk_node_queue_options options; /* as requested, minus what the input rules out; */
    stk_run               *run;
    stk_node_counters     *counters;
    stk_async_calls       *calls; /* for a blocking queue; NULL: threads that compute do the work */
    stk_offload_workers   *workers; /* feed a decode device; NULL: none */

    pthread_mutex_t     lock;
    stk_queue_unit     *first, **last; /* pulled and not consumed */
    stk_queue_unit     *spare;
    bool                held;  /* no request yet: threads leave it alone */
    bool                asked; /* the consumer waits without a result */
    bool                pulling, ended;
    bool                starved_of_memory; /* out of memory for a unit: reported to the consumer */
    int                 computing;         /* threads */
    uint64_t            unclaimed;         /* elements that no thread has claimed */
    uint64_t            pulled;            /* inputs so far: the index of the next one */
    uint64_t            outstanding;       /* weight of units not consumed */
    uint64_t            waiting;           /* of outstanding: ready; below: being computed */
    uint64_t            making;
    uint64_t            capacity, unit_size;
    uint64_t            untuned_capacity; /* without tuning: grows with the unit size */
    uint64_t            target_ns;        /* of a piece of work */
    uint64_t            ns_per_item;      /* compute time of an item, smoothed */
    uint64_t            item_bytes;       /* of the largest result; decays slowly */
    uint64_t            watched_ns;       /* time of the last fullness sample; 0: none */
    uint32_t            wants;     /* atomic copy of the available work, polled by the runtime */
    stk_queue_positions positions; /* for checkpoints */

    stk_eventcount ready; /* signalled when a unit is ready or the input ended */

    /* Consumer's thread only. */
    stk_queue_unit *current;
    size_t          cursor;
    uint64_t        returned;       /* weight consumed and not yet subtracted from outstanding */
    uint64_t        return_at_once; /* threshold of returned; follows the capacity under the lock */
};

static inline const stk_run_options *stk_node_queue_run_options(const stk_node_queue *queue)
{
    return stk_run_options_of(queue->run);
}

static inline stk_thread_state_before stk_node_queue_enter(stk_node_queue  *queue,
                                                           stk_thread_state doing)
{
    return stk_thread_activity_enter(stk_run_activity(queue->run), doing);
}

static inline void stk_node_queue_leave(stk_node_queue *queue, stk_thread_state_before before)
{
    stk_thread_activity_leave(stk_run_activity(queue->run), before);
}

static inline uint64_t stk_node_queue_item_bytes(const stk_queue_item *item)
{
    return item->element ? stk_element_bytes(item->element) : 0;
}

/* The same for an item that may have been computed into the unit's result. */
static inline uint64_t stk_node_queue_result_bytes(const stk_work_unit *unit, size_t index)
{
    const uint64_t bytes = stk_node_queue_item_bytes(&unit->items[index]);
    if (!unit->result || !bytes) return bytes;
    const uint64_t shared = stk_element_bytes(unit->result);
    return bytes > shared ? bytes - shared + shared / unit->count : bytes;
}

/* Units. */

/* Frees the unit and its items. NULL is fine. */
void stk_queue_unit_free(stk_queue_unit *one);
/* Reserves one more item; false without memory. */
bool stk_queue_unit_grow(stk_queue_unit *one);
/* Reserves memory for a unit that still grows: batches can have any size. */
STK_NODISCARD stk_status stk_queue_unit_reserve_ahead(stk_node_queue *queue, stk_queue_unit *one,
                                                      stk_error *err);
/* Drops all items; the last one (there is one) becomes the error. */
void stk_queue_unit_fail(stk_queue_unit *one, const stk_error *err);
/* Accounts for its elements in the ledger, and undoes that. */
void stk_queue_unit_reserve(stk_node_queue *queue, stk_queue_unit *one);
void stk_queue_unit_unreserve(stk_node_queue *queue, stk_queue_unit *one);

/* Capacity and work. Called under the lock or before other threads exist. */

/* Adopts the tuner's values and publishes the counters. */
void stk_node_queue_follow_tuner(stk_node_queue *queue);
bool stk_node_queue_threads_allow(const stk_node_queue *queue);
/* Estimated bytes of a unit of count items, by the largest result seen so far. */
uint64_t        stk_node_queue_expected_bytes(const stk_node_queue *queue, size_t count);
stk_queue_unit *stk_node_queue_first_unclaimed(const stk_node_queue *queue);
bool            stk_node_queue_can_pull(const stk_node_queue *queue);
/* The size of the next unit. */
size_t stk_node_queue_next_unit_size(const stk_node_queue *queue);
/* Elements of a unit that a thread claims at a time. */
size_t stk_node_queue_part_of(const stk_node_queue *queue, const stk_queue_unit *one);
/* Capacity that is returned at a time. */
uint64_t stk_node_queue_capacity_at_once(const stk_node_queue *queue);
/* Accounts for the time since the last call. Called before waiting, making, outstanding or capacity
 * changes. */
void stk_node_queue_look_at_fullness(stk_node_queue *queue);
/* Updates the estimated size of a result. */
void stk_node_queue_note_bytes(stk_node_queue *queue, uint64_t bytes);
/* Doubles or halves the unit size towards the target time. */
void stk_node_queue_fit_unit_size(stk_node_queue *queue, uint64_t ns, size_t count);
void stk_node_queue_look_for_calls(stk_node_queue *queue);
/* Updates wants; not 0 if threads that compute have work. */
unsigned stk_node_queue_look_for_work(stk_node_queue *queue);
/* Looks for work, unlocks, and wakes the threads it needs. */
void stk_node_queue_unlock_and_wake(stk_node_queue *queue, bool unit_is_ready);

/* Pulling; not under the lock. */

/* Pulls a unit and starts its work. The caller has set pulling. */
void stk_node_queue_pull_unit(stk_node_queue *queue);
/* On a thread of the I/O engine: pulls until the queue is full. */
void stk_node_queue_pull_for_calls(stk_node_queue *queue);

/* Computing. */

/* Claims a range of the unit for this thread; returns its length. Under the lock. */
size_t stk_node_queue_claim(stk_node_queue *queue, stk_queue_unit *one, size_t *first);
/* Computes a claimed range; not under the lock. The last thread of a unit finishes it. */
void stk_node_queue_compute_part(stk_node_queue *queue, stk_queue_unit *one, size_t first,
                                 size_t count);
void stk_node_queue_finish_unit(stk_node_queue *queue, stk_queue_unit *one);
/* Marks items as computed. took: the time of a thread; NULL: computed by a device. */
void stk_node_queue_part_done(stk_node_queue *queue, stk_queue_unit *one, size_t first,
                              size_t count, const uint64_t *took);

/* Offload workers: see queue_offload.c. */

/* Called once the rest of the queue is initialised. */
STK_NODISCARD stk_status stk_offload_workers_start(stk_offload_workers **out, stk_node_queue *queue,
                                                   const stk_decode_device *device, stk_error *err);
/* Waits for their calls in flight. NULL is fine. */
void stk_offload_workers_stop(stk_offload_workers *workers);
void stk_offload_workers_wake(stk_offload_workers *workers);
/* Elements that a worker would claim now. Under the lock. */
size_t stk_offload_workers_can_take(stk_offload_workers *workers);
/* Whether all computing is left to them. Under the lock. NULL is fine. */
bool stk_offload_workers_have_all(const stk_offload_workers *workers);
/* Elements that should be queued for them. Under the lock. NULL is fine. */
uint64_t stk_offload_workers_ahead(const stk_offload_workers *workers);

#endif
