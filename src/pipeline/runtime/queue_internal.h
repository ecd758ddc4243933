/* The queue's insides, shared by the files of the queue: node_queue.c is the consumer's side,
 * queue_pull.c fills units, queue_compute.c turns them into results, queue_offload.c lets a device
 * do so, queue_capacity.c says what there is to do and how far to go. Units form a list in the
 * order they were pulled. One lock guards the list and all counts; it is held for a few
 * instructions only, never while pulling or computing. */
#ifndef STK_PIPELINE_RUNTIME_QUEUE_INTERNAL_H
#define STK_PIPELINE_RUNTIME_QUEUE_INTERNAL_H

#include "base/clock.h"
#include "pipeline/runtime/async_calls.h"
#include "pipeline/runtime/node_queue.h"
#include "pipeline/runtime/queue_positions.h"

/* One piece of work: long beside a hand-over, short beside a batch. */
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
    stk_work_unit        shared; /* what compute and finish see */
    size_t               capacity;
    bool                 computed; /* item by item, while it was filled */
    stk_node_queue_phase phase;
    size_t               part;          /* elements of one claim */
    size_t               claimed, done; /* of count or, while COPYING, of parts */
    size_t               weight;        /* what it counts against the window */
    uint64_t             expected;      /* bytes that it was taken to need, until it is ready */
    uint64_t             reserved;      /* of its elements themselves, once it is ready */
    stk_queue_unit      *next;
};

struct stk_node_queue {
    stk_node_queue_options
                         options; /* as asked, with what its input rules out; fixed by the start */
    stk_run             *run;
    stk_node_counters   *counters;
    stk_async_calls     *calls;   /* do the work of a blocking queue; NULL: those who compute do */
    stk_offload_workers *workers; /* lend work to a device; NULL: there is none */

    pthread_mutex_t     lock;
    stk_queue_unit     *first, **last; /* pulled and not taken */
    stk_queue_unit     *spare;
    bool                held;  /* nothing was asked for yet: not to be worked on */
    bool                asked; /* the consumer waits, and has nothing of it */
    bool                pulling, ended;
    bool                starved_of_memory; /* a unit could not be had: the consumer is told */
    int                 computing;         /* threads */
    uint64_t            unclaimed;         /* elements to compute that nobody does yet */
    uint64_t            pulled;            /* inputs so far: the number of the next one */
    uint64_t            outstanding;       /* weight of units not taken */
    uint64_t            waiting;           /* of those, that are ready; and that are being made: */
    uint64_t            making;
    uint64_t            capacity, unit_size;
    uint64_t            untuned_capacity; /* of a queue that is not tuned: grows with its chunks */
    uint64_t            target_ns;        /* of one piece of work */
    uint64_t            ns_per_item;      /* of computing, smoothed */
    uint64_t            item_bytes;       /* of the largest result seen; falls slowly */
    uint64_t            watched_ns;       /* when its fullness was last looked at; 0: never */
    uint32_t            wants;     /* atomic copy of "there is work", for the runtime's look */
    stk_queue_positions positions; /* for checkpoints */

    stk_eventcount ready; /* a unit became ready, or the end was seen */

    /* The consumer's own. */
    stk_queue_unit *current;
    size_t          cursor;
    uint64_t        returned; /* weight taken and not yet given back to outstanding */
    uint64_t return_at_once;  /* when so much is, it goes back: read of window under the lock */
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

/* The same for an item of unit that may have been computed into the unit's result. */
static inline uint64_t stk_node_queue_result_bytes(const stk_work_unit *unit, size_t index)
{
    const uint64_t bytes = stk_node_queue_item_bytes(&unit->items[index]);
    if (!unit->result || !bytes) return bytes;
    const uint64_t shared = stk_element_bytes(unit->result);
    return bytes > shared ? bytes - shared + shared / unit->count : bytes;
}

/* Units. */

/* Drops what it holds. NULL is fine. */
void stk_queue_unit_free(stk_queue_unit *one);
/* Room for one more item; false without memory. */
bool stk_queue_unit_grow(stk_queue_unit *one);
/* Reserves room for a unit that is still growing: batches can be of any size. */
STK_NODISCARD stk_status stk_queue_unit_reserve_ahead(stk_node_queue *queue, stk_queue_unit *one,
                                                      stk_error *err);
/* Drops all it holds; its last item (there is one) is the error. */
void stk_queue_unit_fail(stk_queue_unit *one, const stk_error *err);
/* Puts its elements themselves into the ledger, and takes them off. */
void stk_queue_unit_reserve(stk_node_queue *queue, stk_queue_unit *one);
void stk_queue_unit_unreserve(stk_node_queue *queue, stk_queue_unit *one);

/* Room and work. The lock is held, or nobody else is here yet. */

/* What the tuner wants, and what it is told. */
void stk_node_queue_follow_tuner(stk_node_queue *queue);
bool stk_node_queue_threads_allow(const stk_node_queue *queue);
/* What a unit of count items will probably take, by the largest result seen so far. */
uint64_t        stk_node_queue_expected_bytes(const stk_node_queue *queue, size_t count);
stk_queue_unit *stk_node_queue_first_unclaimed(const stk_node_queue *queue);
bool            stk_node_queue_can_pull(const stk_node_queue *queue);
/* How many elements the next unit should have. */
size_t stk_node_queue_next_unit_size(const stk_node_queue *queue);
/* Elements of a unit that are computed at a time. */
size_t stk_node_queue_part_of(const stk_node_queue *queue, const stk_queue_unit *one);
/* How much room is given back at a time. */
uint64_t stk_node_queue_capacity_at_once(const stk_node_queue *queue);
/* Before a change of waiting, making, outstanding or window: accounts for the time since the last.
 */
void stk_node_queue_look_at_fullness(stk_node_queue *queue);
/* What one result takes, as was seen. */
void stk_node_queue_note_bytes(stk_node_queue *queue, uint64_t bytes);
/* Chunks grow or shrink towards the target, by powers of two. */
void stk_node_queue_fit_unit_size(stk_node_queue *queue, uint64_t ns, size_t count);
void stk_node_queue_look_for_calls(stk_node_queue *queue);
/* Brings wants up to date; not 0 when there is work for those who compute. */
unsigned stk_node_queue_look_for_work(stk_node_queue *queue);
/* Looks for work, gives up the lock, wakes who is concerned. */
void stk_node_queue_unlock_and_wake(stk_node_queue *queue, bool unit_is_ready);

/* Pulling; not under the lock. */

/* Pulls a unit, and begins its work. Who called has set pulling. */
void stk_node_queue_pull_unit(stk_node_queue *queue);
/* On an engine's thread: as much as there is room for. */
void stk_node_queue_pull_for_calls(stk_node_queue *queue);

/* Computing. */

/* The lock is held: a piece of the unit for this thread; returns its length. */
size_t stk_node_queue_claim(stk_node_queue *queue, stk_queue_unit *one, size_t *first);
/* What was claimed; not under the lock. Whoever is done last finishes the unit. */
void stk_node_queue_compute_part(stk_node_queue *queue, stk_queue_unit *one, size_t first,
                                 size_t count);
void stk_node_queue_finish_unit(stk_node_queue *queue, stk_queue_unit *one);
/* Items of a unit are results now. took: the time it took a thread; NULL: a device did it. */
void stk_node_queue_part_done(stk_node_queue *queue, stk_queue_unit *one, size_t first,
                              size_t count, const uint64_t *took);

/* Hands. */

/* The queue is complete but for them. */
STK_NODISCARD stk_status stk_offload_workers_start(stk_offload_workers **out, stk_node_queue *queue,
                                                   const stk_decode_device *device, stk_error *err);
/* Waits for what they have begun. NULL is fine. */
void stk_offload_workers_stop(stk_offload_workers *workers);
void stk_offload_workers_wake(stk_offload_workers *workers);
/* The lock is held: how many elements a hand would take now. */
size_t stk_offload_workers_can_take(stk_offload_workers *workers);
/* The lock is held: all computing is left to them. NULL is fine. */
bool stk_offload_workers_have_all(const stk_offload_workers *workers);
/* The lock is held: how many elements should be there for them to take. NULL is fine. */
uint64_t stk_offload_workers_ahead(const stk_offload_workers *workers);

#endif
