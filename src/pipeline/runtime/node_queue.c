/* The consumer's side of a queue; its start and end. */
#include "pipeline/runtime/queue_internal.h"

#include <stdlib.h>

enum { CANCEL_LOOK_NS = 100000000 };

static void compute_for_calls(stk_node_queue *queue)
{
    (void)stk_node_queue_work(queue, false);
}

/* A call that waits is a unit of its own: others must not wait for it. */
static stk_status start_calls(stk_node_queue *queue, stk_error *err)
{
    static const stk_async_calls_ops ops = {.pull = stk_node_queue_pull_for_calls,
                                            .compute = compute_for_calls,
                                            .look = stk_node_queue_look_for_calls};
    STK_TRY(stk_async_calls_start(&queue->calls, queue->run, queue, &queue->lock, &ops, err));
    if (queue->calls && queue->options.ops->compute && !queue->options.ops->finish)
        queue->options.unit_size = queue->unit_size = 1;
    return STK_OK;
}

static stk_status start_offload(stk_node_queue *queue, stk_error *err)
{
    const stk_node_queue_options *o = &queue->options;
    if (!o->images || !o->ops->compute_many || o->threads || o->blocking) return STK_OK;
    return stk_offload_workers_start(&queue->workers, queue, o->images, err);
}

stk_status stk_node_queue_start(stk_node_queue **out, const stk_node_queue_options *options,
                                stk_error *err)
{
    *out = NULL;
    stk_node_queue *queue = calloc(1, sizeof *queue);
    if (!queue) return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for a queue");
    queue->options = *options;
    queue->run = options->node->run;
    queue->counters = options->node->counters;
    queue->last = &queue->first;
    queue->unit_size = options->unit_size ? options->unit_size : 1;
    queue->capacity = options->capacity;
    queue->untuned_capacity = 2 * ((uint64_t)stk_node_queue_run_options(queue)->threads + 1);
    queue->target_ns = STK_NODE_QUEUE_TARGET_NS;
    __atomic_store_n(&queue->counters->capacity_is_pinned, options->capacity != 0,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&queue->counters->unit_size_is_pinned, options->unit_size != 0,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&queue->counters->reads, options->blocking && options->ops->compute,
                     __ATOMIC_RELAXED);
    stk_node_queue_follow_tuner(queue);
    stk_queue_positions_init(&queue->positions);
    queue->positions.always = stk_node_is_relaxed(queue->run, options->input->plan);
    /* Relaxed delivery identifies results by their index, which may differ after a replay. */
    if (queue->positions.always) queue->options.relaxed = false;
    pthread_mutex_init(&queue->lock, NULL);
    queue->held = true; /* so that it can still be restored */
    stk_status st = stk_eventcount_init(&queue->ready, err);
    if (!st && options->blocking) st = start_calls(queue, err);
    if (!st) st = start_offload(queue, err);
    if (!st) st = stk_run_register(queue->run, queue, err);
    if (st) {
        stk_offload_workers_stop(queue->workers);
        stk_async_calls_stop(queue->calls);
        stk_eventcount_release(&queue->ready);
        pthread_mutex_destroy(&queue->lock);
        free(queue);
        return st;
    }
    *out = queue;
    return STK_OK;
}

static void free_units(stk_queue_unit *one)
{
    for (stk_queue_unit *next; one; one = next) {
        next = one->next;
        stk_queue_unit_free(one);
    }
}

void stk_node_queue_free(stk_node_queue *queue)
{
    if (!queue) return;
    stk_run_unregister(queue->run, queue);
    stk_offload_workers_stop(queue->workers);
    stk_async_calls_stop(queue->calls);
    for (const stk_queue_unit *one = queue->first; one; one = one->next)
        if (one->phase != STK_NODE_QUEUE_READY) stk_run_expect(queue->run, -(int64_t)one->expected);
    for (stk_queue_unit *one = queue->first; one; one = one->next)
        stk_queue_unit_unreserve(queue, one);
    if (queue->current) stk_queue_unit_unreserve(queue, queue->current);
    free_units(queue->first);
    free_units(queue->spare);
    stk_queue_unit_free(queue->current);
    stk_queue_positions_release(&queue->positions);
    stk_eventcount_release(&queue->ready);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

int stk_node_queue_depth(const stk_node_queue *queue)
{
    return queue->options.node->depth;
}

unsigned stk_node_queue_wants(const stk_node_queue *queue)
{
    return __atomic_load_n(&queue->wants, __ATOMIC_SEQ_CST);
}

/* The oldest unit when it is ready or, where order is relaxed, any that is. */
static bool take_unit(stk_node_queue *queue, bool *at_end, bool *no_memory)
{
    pthread_mutex_lock(&queue->lock);
    stk_queue_unit **at = &queue->first;
    while (queue->options.relaxed && *at && (*at)->phase != STK_NODE_QUEUE_READY)
        at = &(*at)->next;
    stk_queue_unit *one = *at && (*at)->phase == STK_NODE_QUEUE_READY ? *at : NULL;
    if (one) {
        stk_node_queue_look_at_fullness(queue);
        queue->waiting -= one->weight;
        queue->asked = false;
        *at = one->next;
        if (!one->next) queue->last = at;
        queue->current = one;
        queue->cursor = 0;
        queue->return_at_once = stk_node_queue_capacity_at_once(queue);
    }
    *at_end = !one && !queue->first && queue->ended && !queue->pulling;
    *no_memory = !one && queue->starved_of_memory;
    if (*no_memory) queue->starved_of_memory = false;
    const double waiting = (double)queue->waiting;
    pthread_mutex_unlock(&queue->lock);
    if (one)
        stk_counter(stk_run_trace(queue->run, STK_TRACE_STAGES), STK_STAGE_PREPROCESS,
                    queue->counters->op->name, waiting);
    return one != NULL;
}

/* Returns the capacity of consumed results. */
static void return_capacity(stk_node_queue *queue)
{
    if (!queue->returned) return;
    pthread_mutex_lock(&queue->lock);
    stk_node_queue_look_at_fullness(queue);
    queue->outstanding -= queue->returned;
    queue->returned = 0;
    stk_node_queue_unlock_and_wake(queue, false);
}

/* The consumer is about to wait. All capacity it consumed is returned now, and the queue looks for
 * work again: it may have stopped for lack of memory, and freed memory sends no signal. */
static void ask(stk_node_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    stk_node_queue_look_at_fullness(queue);
    queue->outstanding -= queue->returned;
    queue->returned = 0;
    queue->asked = true;
    stk_node_queue_unlock_and_wake(queue, false);
}

/* The current unit is used up. */
static void recycle(stk_node_queue *queue)
{
    stk_queue_unit *one = queue->current;
    if (queue->options.ops->finish) queue->returned += one->weight;
    queue->current = NULL;
    stk_queue_unit_unreserve(queue, one);
    stk_queue_positions_unit_returned(&queue->positions, one->shared.first, one->shared.count,
                                      &queue->lock);
    one->shared.count = 0;
    if (!queue->options.by_halves || queue->returned >= queue->return_at_once)
        return_capacity(queue);
    pthread_mutex_lock(&queue->lock);
    one->next = queue->spare;
    queue->spare = one;
    pthread_mutex_unlock(&queue->lock);
}

/* Without memory for the message only the status remains. */
static void tell(const stk_queue_item *item, const char *component, stk_error *err)
{
    if (item->error && err)
        *err = *item->error;
    else
        stk_fail(err, item->status, component, NULL, "%s (no memory was left for its description)",
                 stk_status_name(item->status));
}

/* The next result of the current unit; false when it has no more. */
static bool give(stk_node_queue *queue, stk_element **out, stk_status *status, stk_error *err)
{
    stk_queue_unit *one = queue->current;
    while (queue->cursor < one->shared.count) {
        stk_queue_item *item = &one->shared.items[queue->cursor++];
        if (!queue->options.ops->finish) queue->returned++;
        if (!item->element && !item->status) continue;
        *out = item->element;
        *status = item->status;
        if (item->status) tell(item, queue->counters->op->name, err);
        free(item->error);
        *item = (stk_queue_item){0};
        if (queue->returned && queue->returned >= queue->return_at_once) return_capacity(queue);
        return true;
    }
    return false;
}

/* Waits for the next unit and works meanwhile. The thread may be pulling for a queue further
 * downstream, so it must not start a pull there: that pull could wait for work that this thread has
 * in progress. Pulling here and upstream, and computing anywhere, never waits for it. */
static stk_status wait_for_unit(stk_node_queue *queue, uint32_t epoch, stk_error *err)
{
    STK_TRY(stk_cancel_check(stk_node_queue_run_options(queue)->cancel, "pipeline", err));
    const uint64_t begin = stk_clock_ns();
    if (!stk_run_work(queue->run, stk_node_queue_depth(queue))) {
        stk_thread_activity          *activity = stk_run_activity(queue->run);
        const stk_wait_mark           mark = stk_thread_activity_mark_wait(activity);
        const stk_thread_state_before before = stk_node_queue_enter(queue, STK_DOING_NOTHING);
        stk_eventcount_wait(&queue->ready, epoch, CANCEL_LOOK_NS);
        stk_node_queue_leave(queue, before);
        stk_thread_activity_record_wait(activity, &mark, false);
    }
    stk_count(&queue->counters->waited_ns, stk_clock_ns() - begin);
    return STK_OK;
}

static void begin(stk_node_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->held = false;
    stk_node_queue_unlock_and_wake(queue, false);
}

/* Notes the first position here: a save may come before anything was consumed, while a thread is
 * already inside the input. */
void stk_node_queue_begin(stk_node_queue *queue)
{
    if (!queue->held) return;
    stk_queue_positions_note(&queue->positions, queue->options.input, queue->pulled, &queue->lock);
    begin(queue);
}

bool stk_node_queue_is_ready(stk_node_queue *queue)
{
    if (queue->current && queue->cursor < queue->current->shared.count) return true;
    pthread_mutex_lock(&queue->lock);
    const stk_queue_unit *one = queue->first;
    while (queue->options.relaxed && one && one->phase != STK_NODE_QUEUE_READY)
        one = one->next;
    const bool at_end = !queue->first && queue->ended && !queue->pulling;
    const bool ready = (one && one->phase == STK_NODE_QUEUE_READY) || at_end;
    pthread_mutex_unlock(&queue->lock);
    return ready;
}

stk_status stk_node_queue_next(stk_node_queue *queue, stk_element **out, stk_error *err)
{
    *out = NULL;
    if (queue->held) begin(queue);
    for (;;) {
        stk_status status;
        if (queue->current) {
            if (give(queue, out, &status, err)) return status;
            recycle(queue);
        }
        bool           at_end, no_memory;
        const uint32_t epoch = stk_eventcount_epoch(&queue->ready);
        if (take_unit(queue, &at_end, &no_memory)) continue;
        if (no_memory) {
            begin(queue); /* to try again */
            return stk_fail(err, STK_E_NOMEM, queue->counters->op->name, NULL,
                            "no memory to run ahead");
        }
        if (at_end) return STK_OK;
        ask(queue);
        STK_TRY(wait_for_unit(queue, epoch, err));
    }
}

stk_status stk_node_queue_save(stk_node_queue *queue, stk_state_out *out, stk_error *err)
{
    const stk_queue_unit *one = queue->current;
    /* Of a unit that is one result, that result was given when it was taken. */
    if (one)
        stk_queue_positions_slice_returned(&queue->positions, one->shared.first,
                                           queue->options.ops->finish ? one->shared.count
                                                                      : queue->cursor);
    /* A queue that was not asked yet is its consumer's alone. It saves its input by asking it, and
     * a lock held meanwhile would be one for every queue below. */
    if (queue->held)
        return stk_queue_positions_save(&queue->positions, queue->options.input, queue->pulled,
                                        true, out, err);
    pthread_mutex_lock(&queue->lock);
    stk_status st = stk_queue_positions_save(&queue->positions, queue->options.input, queue->pulled,
                                             false, out, err);
    pthread_mutex_unlock(&queue->lock);
    return st;
}

/* Nothing was asked for yet, so no thread is inside. */
stk_status stk_node_queue_restore(stk_node_queue *queue, stk_state_in *in, stk_error *err)
{
    return stk_queue_positions_restore(&queue->positions, queue->options.input, &queue->pulled, in,
                                       err);
}

bool stk_node_queue_can_skip(const stk_node_queue *queue)
{
    return queue->held && !queue->options.relaxed && !queue->positions.always &&
           !queue->positions.before.count;
}

stk_status stk_node_queue_skip(stk_node_queue *queue, uint64_t count, uint64_t *skipped,
                               stk_error *err)
{
    STK_TRY(stk_node_discard(queue->options.input, count, skipped, err));
    queue->pulled += *skipped;
    queue->positions.low = queue->pulled;
    return STK_OK;
}
