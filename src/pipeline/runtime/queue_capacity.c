/* Bounds how far a queue runs ahead: capacity, unit size, memory; and derives the available work.
 */
#include "pipeline/runtime/queue_internal.h"

enum {
    UNIT_SIZE_MAX = 4096,
    UNIT_BYTES_MAX = 4 << 20, /* hand-over costs are negligible beyond this size */
    FIRST_PART = 16,          /* until the time of an element is known */
    EXACT_CAPACITY = 64       /* up to here every consumed element frees capacity at once */
};

#define set_relaxed(at, value) __atomic_store_n((at), (value), __ATOMIC_RELAXED)

/* Twice the elements in flight on the device: as many may wait for it or the consumer. */
static uint64_t offload_capacity(const stk_node_queue *queue)
{
    const uint64_t items = 2 * stk_offload_workers_ahead(queue->workers);
    if (!items || !queue->options.ops->finish) return items;
    return items / queue->unit_size + 2;
}

void stk_node_queue_follow_tuner(stk_node_queue *queue)
{
    stk_node_counters *counters = queue->counters;
    const uint64_t     capacity = __atomic_load_n(&counters->tuned_capacity, __ATOMIC_RELAXED);
    const uint64_t     target = __atomic_load_n(&counters->tuned_target_ns, __ATOMIC_RELAXED);
    if (!queue->options.capacity) {
        queue->capacity = capacity ? capacity : queue->untuned_capacity;
        const uint64_t min = offload_capacity(queue);
        if (queue->capacity < min) queue->capacity = min;
    }
    if (!queue->options.unit_size) queue->target_ns = target ? target : STK_NODE_QUEUE_TARGET_NS;
    set_relaxed(&counters->queue_limit, queue->capacity);
    set_relaxed(&counters->queue_now, queue->outstanding);
    set_relaxed(&counters->unit_size, queue->unit_size);
    set_relaxed(&counters->target_ns, queue->target_ns);
    set_relaxed(&counters->item_bytes, queue->item_bytes);
}

bool stk_node_queue_threads_allow(const stk_node_queue *queue)
{
    if (stk_offload_workers_have_all(queue->workers)) return false;
    if (stk_run_is_serial(queue->run) && queue->computing) return false;
    return !queue->options.threads || queue->computing < queue->options.threads;
}

uint64_t stk_node_queue_expected_bytes(const stk_node_queue *queue, size_t count)
{
    return queue->item_bytes * count * (queue->options.ops->finish ? 2 : 1);
}

static bool has_unclaimed(const stk_node_queue *queue, const stk_queue_unit *one)
{
    if (one->phase == STK_NODE_QUEUE_COPYING) return one->claimed < one->shared.parts;
    return one->phase == STK_NODE_QUEUE_COMPUTING && one->claimed < one->shared.count &&
           stk_node_queue_threads_allow(queue);
}

stk_queue_unit *stk_node_queue_first_unclaimed(const stk_node_queue *queue)
{
    stk_queue_unit *one = queue->first;
    while (one && !has_unclaimed(queue, one))
        one = one->next;
    /* While memory is tight only the oldest unit proceeds: the consumer waits for it. Copying needs
     * no more memory. */
    if (one && one != queue->first && one->phase != STK_NODE_QUEUE_COPYING &&
        stk_run_memory_is_tight(queue->run, 0))
        return NULL;
    return one;
}

bool stk_node_queue_can_pull(const stk_node_queue *queue)
{
    if (queue->held || queue->ended || queue->pulling || queue->outstanding >= queue->capacity)
        return false;
    if (stk_run_is_serial(queue->run)) return queue->asked && !queue->first;
    return !queue->first ||
           !stk_run_memory_is_tight(queue->run,
                                    stk_node_queue_expected_bytes(queue, (size_t)queue->unit_size));
}

/* The oldest unit proceeds even if memory is tight, so it must be small compared with the reserve
 * kept for it. */
static size_t items_by_memory(const stk_node_queue *queue)
{
    uint64_t held, ceiling;
    stk_ledger_total(stk_node_queue_run_options(queue)->ledger, &held, &ceiling);
    const uint64_t max = ceiling / 64 / (queue->item_bytes + 1);
    return max ? (size_t)max : 1;
}

size_t stk_node_queue_next_unit_size(const stk_node_queue *queue)
{
    /* One element per unit if the input cannot be positioned between two. */
    const bool one_by_one = queue->positions.always || stk_run_is_serial(queue->run);
    if (one_by_one && !queue->options.ops->finish) return 1;
    const size_t left =
        queue->capacity > queue->outstanding ? (size_t)(queue->capacity - queue->outstanding) : 1;
    size_t unit_size = (size_t)queue->unit_size;
    if (!queue->options.ops->finish && unit_size > left) unit_size = left;
    if (!queue->options.unit_size && unit_size > items_by_memory(queue))
        unit_size = items_by_memory(queue);
    return unit_size;
}

size_t stk_node_queue_part_of(const stk_node_queue *queue, const stk_queue_unit *one)
{
    if (queue->calls) return 1;
    if (!queue->options.ops->finish) return one->shared.count;
    if (!queue->ns_per_item) return FIRST_PART;
    return 1 + (size_t)(queue->target_ns / queue->ns_per_item);
}

uint64_t stk_node_queue_capacity_at_once(const stk_node_queue *queue)
{
    if (queue->options.by_halves) return queue->capacity / 2;
    return queue->capacity <= EXACT_CAPACITY ? 1 : queue->capacity / 8;
}

/* With ordered output, results after an unfinished unit cannot be delivered and do not count as
 * ready. */
static uint64_t count_deliverable(const stk_node_queue *queue)
{
    const stk_queue_unit *first = queue->first;
    if (queue->options.relaxed || (first && first->phase == STK_NODE_QUEUE_READY))
        return queue->waiting;
    return 0;
}

/* A queue is full if deliverable results fill it; unfinished units do not count. Nothing is counted
 * past the end: a consumer that has everything is not starved. */
void stk_node_queue_look_at_fullness(stk_node_queue *queue)
{
    const uint64_t     now = stk_clock_ns(), ns = now - queue->watched_ns;
    const bool         counts = queue->watched_ns && !(queue->ended && !queue->first);
    stk_node_counters *counters = queue->counters;
    queue->watched_ns = now;
    if (!counts) return;
    stk_count(&counters->watched_ns, ns);
    const uint64_t waiting = count_deliverable(queue);
    if (!waiting)
        stk_count(&counters->empty_ns, ns);
    else if (!queue->making && queue->outstanding >= queue->capacity)
        stk_count(&counters->blocked_ns, ns);
    stk_count(&counters->waiting_area, waiting * (ns / 1024));
}

void stk_node_queue_note_bytes(stk_node_queue *queue, uint64_t bytes)
{
    if (bytes > queue->item_bytes)
        queue->item_bytes = bytes;
    else
        queue->item_bytes -= (queue->item_bytes - bytes) / 64;
}

void stk_node_queue_fit_unit_size(stk_node_queue *queue, uint64_t ns, size_t count)
{
    if (queue->options.unit_size || count < queue->unit_size) return;
    const bool small = queue->unit_size < UNIT_SIZE_MAX &&
                       queue->unit_size * (queue->item_bytes + 1) < (uint64_t)UNIT_BYTES_MAX;
    if (ns < queue->target_ns / 2 && small) queue->unit_size *= 2;
    if (ns > queue->target_ns * 2 && queue->unit_size > 1) queue->unit_size /= 2;
    const uint64_t left =
        2 * queue->unit_size * ((uint64_t)stk_node_queue_run_options(queue)->threads + 1);
    if (queue->untuned_capacity < left) queue->untuned_capacity = left;
}

/* Twice the elements that keep the I/O engine busy: as many may wait for the consumer. */
static void fit_capacity_to_calls(stk_node_queue *queue)
{
    if (queue->options.capacity || !queue->options.ops->compute) return;
    const uint64_t calls = 2 * (uint64_t)stk_async_calls_limit(queue->calls);
    const uint64_t capacity = queue->options.ops->finish ? calls / queue->unit_size + 2 : 2 * calls;
    if (queue->untuned_capacity < capacity) queue->untuned_capacity = capacity;
    if (queue->capacity < capacity) queue->capacity = capacity;
}

void stk_node_queue_look_for_calls(stk_node_queue *queue)
{
    fit_capacity_to_calls(queue);
    const stk_queue_unit *one = stk_node_queue_first_unclaimed(queue);
    uint64_t              pieces = one ? queue->unclaimed : 0;
    if (queue->options.threads) {
        const int64_t left = queue->options.threads - queue->computing;
        if (left <= 0) pieces = 0;
        if (left > 0 && pieces > (uint64_t)left) pieces = (uint64_t)left;
    }
    if (one && one->phase == STK_NODE_QUEUE_COPYING) pieces += one->shared.parts - one->claimed;
    stk_async_calls_want(queue->calls, stk_node_queue_can_pull(queue) && !queue->starved_of_memory,
                         pieces);
}

unsigned stk_node_queue_look_for_work(stk_node_queue *queue)
{
    if (queue->calls) {
        stk_node_queue_look_for_calls(queue);
        return 0;
    }
    const unsigned wants = (stk_node_queue_first_unclaimed(queue) ? STK_NODE_QUEUE_COMPUTE : 0) |
                           (stk_node_queue_can_pull(queue) ? STK_NODE_QUEUE_PULL : 0);
    __atomic_store_n(&queue->wants, wants, __ATOMIC_SEQ_CST);
    return wants;
}

void stk_node_queue_unlock_and_wake(stk_node_queue *queue, bool unit_is_ready)
{
    const unsigned       wants = stk_node_queue_look_for_work(queue);
    stk_offload_workers *workers =
        queue->workers && stk_offload_workers_can_take(queue->workers) ? queue->workers : NULL;
    pthread_mutex_unlock(&queue->lock);
    if (workers) stk_offload_workers_wake(workers);
    if (unit_is_ready) stk_eventcount_signal(&queue->ready);
    if (wants) stk_run_wake(queue->run);
}
