/* Computes pulled units: completely, in parts, or copied in parts by several threads. */
#include "pipeline/runtime/queue_internal.h"

size_t stk_node_queue_claim(stk_node_queue *queue, stk_queue_unit *one, size_t *first)
{
    *first = one->claimed;
    if (one->phase == STK_NODE_QUEUE_COPYING) {
        one->claimed++;
        return 1;
    }
    size_t count = one->shared.count - one->claimed;
    if (count > one->part) count = one->part;
    one->claimed += count;
    queue->unclaimed -= count;
    queue->computing++;
    return count;
}

static void make_ready(stk_node_queue *queue, stk_queue_unit *one)
{
    stk_run_expect(queue->run, -(int64_t)one->expected);
    stk_queue_unit_reserve(queue, one);
    pthread_mutex_lock(&queue->lock);
    stk_node_queue_look_at_fullness(queue);
    queue->making -= one->weight;
    queue->waiting += one->weight;
    one->phase = STK_NODE_QUEUE_READY;
    stk_node_queue_unlock_and_wake(queue, true);
}

/* Copies part, then further unclaimed parts. The last thread to finish seals the unit; others must
 * not access it after that. */
static void copy_parts(stk_node_queue *queue, stk_queue_unit *one, size_t part)
{
    const stk_thread_state_before before = stk_node_queue_enter(queue, STK_DOING_COMPUTE);
    const uint64_t                begin = stk_clock_ns();
    bool                          more, last;
    do {
        queue->options.ops->copy(queue->options.context, &one->shared, part);
        pthread_mutex_lock(&queue->lock);
        last = ++one->done == one->shared.parts;
        if (last) one->phase = STK_NODE_QUEUE_FINISHING;
        more = one->claimed < one->shared.parts;
        if (more) part = one->claimed++;
        stk_node_queue_look_for_work(queue);
        pthread_mutex_unlock(&queue->lock);
    } while (more);
    if (last) queue->options.ops->seal(queue->options.context, &one->shared);
    stk_count(&queue->counters->busy_ns, stk_clock_ns() - begin);
    stk_node_queue_leave(queue, before);
    if (last) make_ready(queue, one);
}

void stk_node_queue_finish_unit(stk_node_queue *queue, stk_queue_unit *one)
{
    if (queue->options.ops->finish) {
        const stk_thread_state_before before = stk_node_queue_enter(queue, STK_DOING_COMPUTE);
        const uint64_t                begin = stk_clock_ns();
        queue->options.ops->finish(queue->options.context, &one->shared);
        stk_count(&queue->counters->busy_ns, stk_clock_ns() - begin);
        stk_node_queue_leave(queue, before);
    }
    if (!one->shared.parts) {
        make_ready(queue, one);
        return;
    }
    pthread_mutex_lock(&queue->lock);
    one->phase = STK_NODE_QUEUE_COPYING;
    one->claimed = 1; /* the one that this thread begins with */
    one->done = 0;
    stk_node_queue_unlock_and_wake(queue, false);
    copy_parts(queue, one, 0);
}

/* Results of what waits are what was read. */
static void count_read(stk_node_queue *queue, const stk_work_unit *unit, size_t first, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = first; i < first + count; i++) {
        const stk_element *element = unit->items[i].element;
        if (element) bytes += stk_element_bytes(element) - stk_element_own_bytes(element);
    }
    stk_count(&stk_run_activity(queue->run)->bytes, bytes);
}

void stk_node_queue_part_done(stk_node_queue *queue, stk_queue_unit *one, size_t first,
                              size_t count, const uint64_t *took)
{
    const uint64_t bytes = stk_node_queue_result_bytes(&one->shared, first);
    pthread_mutex_lock(&queue->lock);
    stk_node_queue_note_bytes(queue, bytes);
    one->done += count;
    const bool all = one->done == one->shared.count;
    if (all) one->phase = STK_NODE_QUEUE_FINISHING;
    if (took) {
        queue->ns_per_item = (queue->ns_per_item * 7 + *took / count) / 8;
        queue->computing--;
        if (!queue->options.ops->finish)
            stk_node_queue_fit_unit_size(queue, *took, one->shared.count);
    }
    stk_node_queue_unlock_and_wake(queue, false);
    if (all) stk_node_queue_finish_unit(queue, one);
}

void stk_node_queue_compute_part(stk_node_queue *queue, stk_queue_unit *one, size_t first,
                                 size_t count)
{
    stk_trace_thread             *trace = stk_run_trace(queue->run, STK_TRACE_STAGES);
    const uint64_t                span = stk_span_begin(trace);
    const bool                    waits = queue->options.blocking;
    const stk_thread_state_before before =
        stk_node_queue_enter(queue, waits ? STK_DOING_READ : STK_DOING_COMPUTE);
    const uint64_t begin = stk_clock_ns();
    queue->options.ops->compute(queue->options.context, &one->shared, first, count);
    stk_span_end(trace, waits ? STK_STAGE_READ : STK_STAGE_PREPROCESS, queue->counters->op->name,
                 span, count);
    const uint64_t ns = stk_clock_ns() - begin;
    stk_node_queue_leave(queue, before);
    if (waits) count_read(queue, &one->shared, first, count);
    stk_count(&queue->counters->busy_ns, ns);
    stk_node_queue_part_done(queue, one, first, count, &ns);
}

bool stk_node_queue_work(stk_node_queue *queue, bool may_pull)
{
    size_t first = 0, count = 0;
    pthread_mutex_lock(&queue->lock);
    stk_queue_unit *one = stk_node_queue_first_unclaimed(queue);
    const bool      copying = one && one->phase == STK_NODE_QUEUE_COPYING;
    const bool      pull = !one && may_pull && stk_node_queue_can_pull(queue);
    if (one) count = stk_node_queue_claim(queue, one, &first);
    if (pull) queue->pulling = true;
    const unsigned wants = stk_node_queue_look_for_work(queue);
    pthread_mutex_unlock(&queue->lock);
    if (copying && wants & STK_NODE_QUEUE_COMPUTE)
        stk_run_wake(queue->run); /* each wakes the next */
    if (copying)
        copy_parts(queue, one, first);
    else if (one)
        stk_node_queue_compute_part(queue, one, first, count);
    if (pull) stk_node_queue_pull_unit(queue);
    return one || pull;
}
