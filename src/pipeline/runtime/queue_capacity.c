/* How far a queue runs ahead: its window, its chunks, what memory allows, and so what there is to
 * do. */
#include "pipeline/runtime/queue_internal.h"

enum {
    MOST_CHUNK = 4096,
    MOST_CHUNK_BYTES = 4 << 20, /* a hand-over is nothing beside so much */
    FIRST_PART = 16,            /* while it is not known how long one element takes */
    EXACT_WINDOW = 64           /* up to here every element taken makes room at once */
};

#define set_relaxed(at, value) __atomic_store_n((at), (value), __ATOMIC_RELAXED)

/* As many as they can have in work, and as many again that wait for them or the consumer. */
static uint64_t window_of_hands(const stk_node_queue *queue)
{
    const uint64_t items = 2 * stk_offload_workers_ahead(queue->hands);
    if (!items || !queue->options.ops->finish) return items;
    return items / queue->chunk + 2;
}

void stk_node_queue_follow_tuner(stk_node_queue *queue)
{
    stk_node_counters *account = queue->account;
    const uint64_t     window = __atomic_load_n(&account->tuned_window, __ATOMIC_RELAXED);
    const uint64_t     target = __atomic_load_n(&account->tuned_target_ns, __ATOMIC_RELAXED);
    if (!queue->options.window) {
        queue->window = window ? window : queue->own_window;
        const uint64_t least = window_of_hands(queue);
        if (queue->window < least) queue->window = least;
    }
    if (!queue->options.chunk) queue->target_ns = target ? target : STK_NODE_QUEUE_TARGET_NS;
    set_relaxed(&account->queue_limit, queue->window);
    set_relaxed(&account->queue_now, queue->outstanding);
    set_relaxed(&account->chunk, queue->chunk);
    set_relaxed(&account->target_ns, queue->target_ns);
    set_relaxed(&account->item_bytes, queue->item_bytes);
}

bool stk_node_queue_threads_allow(const stk_node_queue *queue)
{
    if (stk_offload_workers_have_all(queue->hands)) return false;
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
    /* While memory is tight only the oldest unit goes on: it is what the consumer waits for.
     * Copying needs no more memory. */
    if (one && one != queue->first && one->phase != STK_NODE_QUEUE_COPYING &&
        stk_run_memory_is_tight(queue->run, 0))
        return NULL;
    return one;
}

bool stk_node_queue_can_pull(const stk_node_queue *queue)
{
    if (queue->held || queue->ended || queue->pulling || queue->outstanding >= queue->window)
        return false;
    if (stk_run_is_serial(queue->run)) return queue->asked && !queue->first;
    return !queue->first || !stk_run_memory_is_tight(queue->run, stk_node_queue_expected_bytes(
                                                                     queue, (size_t)queue->chunk));
}

/* The oldest unit goes on however tight memory is, so it must be small beside what is kept free for
 * that. */
static size_t most_by_memory(const stk_node_queue *queue)
{
    uint64_t held, ceiling;
    stk_ledger_total(stk_node_queue_run_options(queue)->ledger, &held, &ceiling);
    const uint64_t most = ceiling / 64 / (queue->item_bytes + 1);
    return most ? (size_t)most : 1;
}

size_t stk_node_queue_next_chunk(const stk_node_queue *queue)
{
    /* One element a unit, where a place between two could not be found again. */
    const bool one_by_one = queue->places.always || stk_run_is_serial(queue->run);
    if (one_by_one && !queue->options.ops->finish) return 1;
    const size_t room =
        queue->window > queue->outstanding ? (size_t)(queue->window - queue->outstanding) : 1;
    size_t chunk = (size_t)queue->chunk;
    if (!queue->options.ops->finish && chunk > room) chunk = room;
    if (!queue->options.chunk && chunk > most_by_memory(queue)) chunk = most_by_memory(queue);
    return chunk;
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
    if (queue->options.by_halves) return queue->window / 2;
    return queue->window <= EXACT_WINDOW ? 1 : queue->window / 8;
}

/* Results behind one that is still being made are no use to anybody. */
static uint64_t can_be_taken(const stk_node_queue *queue)
{
    const stk_queue_unit *first = queue->first;
    if (queue->options.relaxed || (first && first->phase == STK_NODE_QUEUE_READY))
        return queue->waiting;
    return 0;
}

/* Full is what nobody takes: a window of units that are still being made is not. Past the end
 * nothing is told: who has had all is not starved. */
void stk_node_queue_look_at_fullness(stk_node_queue *queue)
{
    const uint64_t     now = stk_clock_ns(), ns = now - queue->watched_ns;
    const bool         counts = queue->watched_ns && !(queue->ended && !queue->first);
    stk_node_counters *account = queue->account;
    queue->watched_ns = now;
    if (!counts) return;
    stk_count(&account->watched_ns, ns);
    const uint64_t waiting = can_be_taken(queue);
    if (!waiting)
        stk_count(&account->empty_ns, ns);
    else if (!queue->making && queue->outstanding >= queue->window)
        stk_count(&account->blocked_ns, ns);
    stk_count(&account->waiting_area, waiting * (ns / 1024));
}

void stk_node_queue_note_bytes(stk_node_queue *queue, uint64_t bytes)
{
    if (bytes > queue->item_bytes)
        queue->item_bytes = bytes;
    else
        queue->item_bytes -= (queue->item_bytes - bytes) / 64;
}

void stk_node_queue_fit_chunk(stk_node_queue *queue, uint64_t ns, size_t count)
{
    if (queue->options.chunk || count < queue->chunk) return;
    const bool small = queue->chunk < MOST_CHUNK &&
                       queue->chunk * (queue->item_bytes + 1) < (uint64_t)MOST_CHUNK_BYTES;
    if (ns < queue->target_ns / 2 && small) queue->chunk *= 2;
    if (ns > queue->target_ns * 2 && queue->chunk > 1) queue->chunk /= 2;
    const uint64_t room =
        2 * queue->chunk * ((uint64_t)stk_node_queue_run_options(queue)->threads + 1);
    if (queue->own_window < room) queue->own_window = room;
}

/* As many elements ahead as keep the engine busy, and as many again that wait for the consumer. */
static void fit_window_to_calls(stk_node_queue *queue)
{
    if (queue->options.window || !queue->options.ops->compute) return;
    const uint64_t calls = 2 * (uint64_t)stk_async_calls_limit(queue->calls);
    const uint64_t window = queue->options.ops->finish ? calls / queue->chunk + 2 : 2 * calls;
    if (queue->own_window < window) queue->own_window = window;
    if (queue->window < window) queue->window = window;
}

void stk_node_queue_look_for_calls(stk_node_queue *queue)
{
    fit_window_to_calls(queue);
    const stk_queue_unit *one = stk_node_queue_first_unclaimed(queue);
    uint64_t              pieces = one ? queue->unclaimed : 0;
    if (queue->options.threads) {
        const int64_t room = queue->options.threads - queue->computing;
        if (room <= 0) pieces = 0;
        if (room > 0 && pieces > (uint64_t)room) pieces = (uint64_t)room;
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
    stk_offload_workers *hands =
        queue->hands && stk_offload_workers_can_take(queue->hands) ? queue->hands : NULL;
    pthread_mutex_unlock(&queue->lock);
    if (hands) stk_offload_workers_wake(hands);
    if (unit_is_ready) stk_eventcount_signal(&queue->ready);
    if (wants) stk_run_wake(queue->run);
}
