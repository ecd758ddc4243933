/* Pulling: one thread at a time fills a unit in the input's order. */
#include "pipeline/runtime/queue_internal.h"

#include <stdlib.h>

enum { PULLS_PER_LOOK = 8 }; /* elements pulled between two looks at the clock or the token */

static stk_queue_unit *take_spare(stk_node_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    stk_queue_unit *one = queue->spare;
    if (one) queue->spare = one->next;
    pthread_mutex_unlock(&queue->lock);
    if (!one) one = calloc(1, sizeof *one);
    if (one && !stk_queue_unit_grow(one)) {
        stk_queue_unit_free(one);
        one = NULL;
    }
    return one;
}

/* One input into the unit; false at the end. */
static bool pull_one(stk_node_queue *queue, stk_queue_unit *one)
{
    stk_element *element;
    stk_error    error;
    stk_status   st = stk_node_next(queue->options.input, &element, &error);
    if (!st && !element) return false;
    stk_queue_item *item = &one->shared.items[one->shared.count++];
    *item = (stk_queue_item){.element = element};
    if (st) stk_queue_item_fail(item, &error);
    return true;
}

/* Inputs from an index on that the consumer had before the checkpoint this queue was restored from.
 */
static void drop_returned(stk_node_queue *queue, stk_queue_unit *one, size_t from)
{
    for (size_t i = from; i < one->shared.count; i++)
        if (stk_queue_positions_was_returned(&queue->positions, one->shared.first + i))
            stk_queue_item_clear(&one->shared.items[i]);
}

/* Reserves one more item in memory and in the ledger. A unit that becomes one result is all or
 * nothing: without memory it is an error. Others are handed over as they are. */
static bool reserve_unit(stk_node_queue *queue, stk_queue_unit *one)
{
    const bool finishes = queue->options.ops->finish;
    stk_error  err;
    if (finishes && stk_queue_unit_reserve_ahead(queue, one, &err)) {
        stk_queue_unit_fail(one, &err);
        return false;
    }
    if (stk_queue_unit_grow(one)) return true;
    stk_fail(&err, STK_E_NOMEM, queue->counters->op->name, NULL, "no memory for %zu elements",
             one->shared.count + 1);
    if (finishes) stk_queue_unit_fail(one, &err);
    return false;
}

/* Polls for cancellation within a unit: batches may have any size. The unit is then that error. */
static bool is_to_stop(stk_node_queue *queue, stk_queue_unit *one)
{
    stk_error err;
    if (one->shared.count % PULLS_PER_LOOK || !stk_node_check(queue->options.node, &err))
        return false;
    stk_queue_unit_fail(one, &err);
    return true;
}

/* Serially the inputs of a batch are not to be held all at once: they may be far larger than what
 * becomes of them. */
static bool computes_while_filling(const stk_node_queue *queue)
{
    const stk_node_queue_ops *ops = queue->options.ops;
    return ops->finish && ops->compute && stk_run_is_serial(queue->run) && !queue->calls &&
           !queue->workers;
}

/* The result for a unit whose first input is there. False: it does not fit, and that is the unit.
 */
static bool make_result(stk_node_queue *queue, stk_queue_unit *one, size_t unit_size)
{
    stk_work_unit finishes = one->shared;
    stk_error     err;
    finishes.count = unit_size;
    if (!queue->options.ops->prepare) return true;
    const stk_status st = queue->options.ops->prepare(queue->options.context, &finishes, &err);
    one->shared.result = finishes.result;
    if (st) stk_queue_unit_fail(one, &err);
    return !st;
}

/* Adds the last pulled result. False: the unit is an error. */
static bool compute_last(stk_node_queue *queue, stk_queue_unit *one, size_t unit_size)
{
    const size_t last = one->shared.count - 1;
    if (!last && !make_result(queue, one, unit_size)) return false;
    drop_returned(queue, one, last);
    queue->options.ops->compute(queue->options.context, &one->shared, last, 1);
    return true;
}

/* Fills a unit. False at the end of the input. */
static bool fill(stk_node_queue *queue, stk_queue_unit *one, size_t unit_size)
{
    const bool     finishes = queue->options.ops->finish || queue->options.unit_size;
    const uint64_t begin = stk_clock_ns();
    one->computed = computes_while_filling(queue);
    while (one->shared.count < unit_size) {
        if (!reserve_unit(queue, one)) break;
        if (!pull_one(queue, one)) return false;
        if (one->computed && !compute_last(queue, one, unit_size)) break;
        if (queue->calls && stk_async_calls_stopping(queue->calls)) break;
        if (is_to_stop(queue, one)) break;
        const stk_status st = one->shared.items[one->shared.count - 1].status;
        if (st == STK_E_CANCELLED || st == STK_E_CEILING || (st && queue->options.error_ends_unit))
            break;
        /* A slow input hands over a partial unit. */
        if (!finishes && one->shared.count % PULLS_PER_LOOK == 0 &&
            stk_clock_ns() - begin > STK_NODE_QUEUE_TARGET_NS * 2)
            break;
    }
    return true;
}

/* Pulling does the work of all operators up to the next queue: S1 if that includes a source. */
static stk_stage pulled_stage(const stk_node_queue *queue)
{
    return queue->options.input->plan->op->stage;
}

static void append(stk_node_queue *queue, stk_queue_unit *one)
{
    one->next = NULL;
    *queue->last = one;
    queue->last = &one->next;
}

/* One unit on its way into the queue. */
typedef struct pull {
    stk_queue_unit *one; /* NULL without memory */
    size_t          unit_size;
    uint64_t        number, ns;
    bool            more; /* the input has not ended */
} pull;

static void begin_pull(stk_node_queue *queue, pull *now)
{
    *now = (pull){.one = take_spare(queue), .more = true};
    pthread_mutex_lock(&queue->lock);
    stk_node_queue_follow_tuner(queue);
    now->unit_size = stk_node_queue_next_unit_size(queue);
    now->number = queue->pulled;
    pthread_mutex_unlock(&queue->lock);
}

static void fill_unit(stk_node_queue *queue, pull *now)
{
    stk_queue_unit *one = now->one;
    one->shared.first = now->number;
    one->shared.parts = 0;
    stk_queue_positions_note(&queue->positions, queue->options.input, now->number, &queue->lock);
    now->more = fill(queue, one, now->unit_size);
    /* An earlier position would need skipping elements, which a replay may return differently. */
    if (queue->positions.always)
        stk_queue_positions_note(&queue->positions, queue->options.input,
                                 now->number + one->shared.count, &queue->lock);
    if (one->computed) return;
    stk_error unasked;
    drop_returned(queue, one, 0);
    if (queue->options.ops->prepare && one->shared.count)
        (void)!queue->options.ops->prepare(queue->options.context, &one->shared, &unasked);
}

/* The lock is held: what was filled becomes part of the queue. */
static void add_unit(stk_node_queue *queue, stk_queue_unit *one, uint64_t ns)
{
    stk_node_queue_note_bytes(queue, stk_node_queue_item_bytes(&one->shared.items[0]));
    one->expected = stk_node_queue_expected_bytes(queue, one->shared.count);
    stk_run_expect(queue->run, (int64_t)one->expected);
    queue->pulled += one->shared.count;
    one->weight = queue->options.ops->finish ? 1 : one->shared.count;
    queue->outstanding += one->weight;
    queue->making += one->weight;
    one->phase = queue->options.ops->compute && !one->computed ? STK_NODE_QUEUE_COMPUTING
                                                               : STK_NODE_QUEUE_FINISHING;
    one->claimed = one->done = 0;
    one->part = stk_node_queue_part_of(queue, one);
    append(queue, one);
    if (one->phase == STK_NODE_QUEUE_COMPUTING)
        queue->unclaimed += one->shared.count;
    else
        stk_node_queue_fit_unit_size(queue, ns, one->shared.count);
}

/* Only one thread can pull. With other threads idle the puller leaves the computing of its unit to
 * them and fills the next one, so the input never waits for a thread to wake up; at most two units,
 * or the workers' demand, ahead. Under the lock. */
static bool goes_on_pulling(stk_node_queue *queue, const stk_queue_unit *one)
{
    const uint64_t workers = stk_offload_workers_ahead(queue->workers), two = 2 * one->shared.count;
    const bool     others = stk_node_queue_run_options(queue)->threads > 0 || workers;
    return others && queue->options.threads != 1 &&
           queue->unclaimed <= (two > workers ? two : workers) && stk_node_queue_can_pull(queue);
}

/* A puller that stops pulling computes its unit while the elements are in its cache. True: fill the
 * next one. */
static bool end_pull(stk_node_queue *queue, const pull *now)
{
    stk_queue_unit *one = now->one;
    const bool      has_unit = one && one->shared.count;
    size_t          count = 0, first = 0;
    bool            again = false;
    pthread_mutex_lock(&queue->lock);
    stk_node_queue_look_at_fullness(queue);
    queue->pulling = false;
    queue->starved_of_memory = !one;
    queue->ended = !now->more;
    if (has_unit) {
        add_unit(queue, one, now->ns);
        const bool mine = one->phase == STK_NODE_QUEUE_COMPUTING && !queue->calls;
        again = queue->pulling = mine && goes_on_pulling(queue, one);
        if (mine && !again && stk_node_queue_threads_allow(queue))
            count = stk_node_queue_claim(queue, one, &first);
    } else if (one) {
        one->next = queue->spare;
        queue->spare = one;
    }
    const bool finishing = has_unit && one->phase == STK_NODE_QUEUE_FINISHING;
    stk_node_queue_unlock_and_wake(queue, !has_unit);
    if (count) stk_node_queue_compute_part(queue, one, first, count);
    if (finishing) stk_node_queue_finish_unit(queue, one);
    return again;
}

static bool pull_once(stk_node_queue *queue)
{
    stk_trace_thread             *trace = stk_run_trace(queue->run, STK_TRACE_STAGES);
    const uint64_t                span = stk_span_begin(trace);
    const bool                    waits = queue->options.input->waits;
    pull                          now;
    const stk_thread_state_before before =
        stk_node_queue_enter(queue, waits ? STK_DOING_READ : STK_DOING_COMPUTE);
    const uint64_t begin = stk_clock_ns();
    begin_pull(queue, &now);
    if (now.one) fill_unit(queue, &now);
    now.ns = stk_clock_ns() - begin;
    stk_node_queue_leave(queue, before);
    stk_count(&queue->counters->busy_ns, now.ns);
    stk_count(&queue->counters->pull_ns, now.ns);
    if (now.one)
        stk_span_end(trace, pulled_stage(queue), queue->options.input->plan->op->name, span,
                     now.one->shared.count);
    return end_pull(queue, &now);
}

void stk_node_queue_pull_unit(stk_node_queue *queue)
{
    while (pull_once(queue)) {
    }
}

void stk_node_queue_pull_for_calls(stk_node_queue *queue)
{
    for (;;) {
        pthread_mutex_lock(&queue->lock);
        const bool go = stk_node_queue_can_pull(queue) && !queue->starved_of_memory &&
                        !stk_async_calls_stopping(queue->calls);
        if (go) queue->pulling = true;
        pthread_mutex_unlock(&queue->lock);
        if (!go) return;
        stk_node_queue_pull_unit(queue);
    }
}
