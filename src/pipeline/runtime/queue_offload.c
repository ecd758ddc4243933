/* Offload workers: threads that send batches of elements to a decode device. They take the newest
 * units and CPU threads the oldest, so a slow device never delays the consumer. Each claims more
 * work when idle, which balances the load. */
#include "pipeline/runtime/queue_internal.h"

#include <stdlib.h>

enum {
    WORKERS_MAX = 4,
    CALLS_TO_WARM_UP = 2,
    FRACTION_MIN = 4, /* smallest batch worth a call: max_images divided by this */
    FORGET = 1024,
    LOOK_NS = 100000000 /* polling interval: freed memory sends no signal */
};

typedef struct offload_worker {
    stk_offload_workers *all;
    stk_thread           thread;
    stk_unit_slice      *parts; /* one per image of a call */
    stk_queue_unit     **units; /* units of the slices */
    uint64_t             calls; /* calls so far */
} offload_worker;

struct stk_offload_workers {
    stk_node_queue          *queue;
    const stk_decode_device *device;
    stk_eventcount           work; /* signalled on new work and on stop */
    int                      count, started;
    uint64_t                 device_items; /* atomic: images decoded */
    offload_worker           workers[WORKERS_MAX];

    /* Under the queue's lock. */
    bool     stopping, failed;
    uint64_t ns_per_item; /* smoothed; 0: unknown */
};

bool stk_offload_workers_have_all(const stk_offload_workers *workers)
{
    return workers && workers->device->exclusive && !workers->failed;
}

uint64_t stk_offload_workers_ahead(const stk_offload_workers *workers)
{
    return workers && !workers->failed
               ? (uint64_t)workers->device->max_images * (uint64_t)(workers->count + 1)
               : 0;
}

/* Elements that one worker would finish in the time in which all other workers and threads finish
 * the rest. Under the lock. */
static uint64_t fair_share(const stk_offload_workers *workers, uint64_t waiting)
{
    const stk_node_queue *queue = workers->queue;
    const double          threads = stk_node_queue_run_options(queue)->threads + 1;
    const double by_thread = (double)queue->ns_per_item, by_worker = (double)workers->ns_per_item;
    if (stk_offload_workers_have_all(workers)) return waiting;
    if (by_thread <= 0 || by_worker <= 0) return (waiting + 1) / (2 * (uint64_t)workers->count);
    return (uint64_t)((double)waiting * by_thread /
                      (threads * by_worker + workers->count * by_thread));
}

/* A small batch is not worth a call. The measured time decays, so that a slow device is tried
 * again. */
size_t stk_offload_workers_can_take(stk_offload_workers *workers)
{
    const stk_node_queue *queue = workers->queue;
    const uint64_t        max = workers->device->max_images, waiting = queue->unclaimed;
    if (workers->failed || workers->stopping || !waiting) return 0;
    if (stk_run_is_serial(queue->run) && !stk_offload_workers_have_all(workers)) return 0;
    uint64_t count = fair_share(workers, waiting);
    if (count > max) count = max;
    if (count >= max / FRACTION_MIN && count > 0) return (size_t)count;
    if (waiting >= max / FRACTION_MIN) workers->ns_per_item -= workers->ns_per_item / FORGET;
    return stk_offload_workers_have_all(workers) ? (size_t)count : 0;
}

/* Claims the newest elements, unit by unit; returns the number of slices. Under the lock. */
static size_t claim(stk_offload_workers *workers, offload_worker *one)
{
    stk_node_queue *queue = workers->queue;
    size_t          count = stk_offload_workers_can_take(workers), parts = 0;
    const bool      tight = stk_run_memory_is_tight(queue->run, 0);
    uint64_t        before = tight ? 0 : queue->unclaimed - count;
    for (stk_queue_unit *u = queue->first; u && count; u = tight ? NULL : u->next) {
        if (u->phase != STK_NODE_QUEUE_COMPUTING) continue;
        uint64_t here = u->shared.count - u->claimed;
        if (here <= before) {
            before -= here;
            continue;
        }
        here -= before;
        before = 0;
        if (here > count) here = count;
        one->parts[parts] = (stk_unit_slice){&u->shared, u->claimed, (size_t)here};
        one->units[parts++] = u;
        u->claimed += (size_t)here;
        queue->unclaimed -= here;
        count -= (size_t)here;
    }
    if (parts) stk_node_queue_look_for_work(queue);
    return parts;
}

static void stop_using_device(stk_offload_workers *workers, const stk_error *err)
{
    stk_node_queue *queue = workers->queue;
    pthread_mutex_lock(&queue->lock);
    const bool first = !workers->failed;
    workers->failed = true;
    stk_node_queue_unlock_and_wake(queue, false);
    if (first)
        stk_run_log(queue->run, "images: the device decodes no more, threads do: %s: %s",
                    err->where, err->message);
}

static void note_time(stk_offload_workers *workers, offload_worker *one, uint64_t ns, size_t items)
{
    if (one->calls++ < CALLS_TO_WARM_UP) return;
    pthread_mutex_lock(&workers->queue->lock);
    const uint64_t each = ns / items, before = workers->ns_per_item;
    workers->ns_per_item = before ? (before * 7 + each) / 8 : each;
    pthread_mutex_unlock(&workers->queue->lock);
}

static void compute(stk_offload_workers *workers, offload_worker *one, size_t parts)
{
    stk_node_queue               *queue = workers->queue;
    stk_trace_thread             *trace = stk_run_trace(queue->run, STK_TRACE_STAGES);
    const uint64_t                span = stk_span_begin(trace), begin = stk_clock_ns();
    const stk_thread_state_before before = stk_node_queue_enter(queue, STK_DOING_COMPUTE);
    uint64_t                      device_items = 0;
    size_t                        items = 0;
    stk_error                     err;
    for (size_t i = 0; i < parts; i++)
        items += one->parts[i].count;
    const stk_status st = queue->options.ops->compute_many(queue->options.context, one->parts,
                                                           parts, &device_items, &err);
    stk_span_end(trace, STK_STAGE_PREPROCESS, "images of the device", span, items);
    stk_node_queue_leave(queue, before);
    stk_count(&queue->counters->device_items, device_items);
    stk_count(&workers->device_items, device_items);
    if (st)
        stop_using_device(workers, &err);
    else
        note_time(workers, one, stk_clock_ns() - begin, items);
    for (size_t i = 0; i < parts; i++)
        stk_node_queue_part_done(queue, one->units[i], one->parts[i].first, one->parts[i].count,
                                 NULL);
}

static void *run(void *context)
{
    offload_worker      *one = context;
    stk_offload_workers *workers = one->all;
    for (;;) {
        const uint32_t epoch = stk_eventcount_epoch(&workers->work);
        pthread_mutex_lock(&workers->queue->lock);
        const bool   stop = workers->stopping || workers->failed;
        const size_t parts = stop ? 0 : claim(workers, one);
        pthread_mutex_unlock(&workers->queue->lock);
        if (stop) break;
        if (parts)
            compute(workers, one, parts);
        else
            stk_eventcount_wait(&workers->work, epoch, LOOK_NS);
    }
    stk_trace_leave(stk_node_queue_run_options(workers->queue)->trace);
    return NULL;
}

static stk_status start_worker(stk_offload_workers *workers, offload_worker *one, stk_error *err)
{
    const size_t max = workers->device->max_images;
    one->all = workers;
    one->parts = calloc(max, sizeof *one->parts);
    one->units = calloc(max, sizeof *one->units);
    workers->started++;
    if (!one->parts || !one->units)
        return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for %zu images", max);
    return stk_thread_start(&one->thread, "stk-images", run, one, err);
}

stk_status stk_offload_workers_start(stk_offload_workers **out, stk_node_queue *queue,
                                     const stk_decode_device *device, stk_error *err)
{
    *out = NULL;
    stk_offload_workers *workers = calloc(1, sizeof *workers);
    if (!workers) return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for a device");
    workers->queue = queue;
    workers->device = device;
    workers->count = device->max_calls < WORKERS_MAX ? device->max_calls : WORKERS_MAX;
    stk_status st = stk_eventcount_init(&workers->work, err);
    if (st) {
        free(workers);
        return st;
    }
    for (int i = 0; i < workers->count && !st; i++)
        st = start_worker(workers, &workers->workers[i], err);
    if (st) {
        stk_offload_workers_stop(workers);
        return st;
    }
    *out = workers;
    return STK_OK;
}

void stk_offload_workers_wake(stk_offload_workers *workers)
{
    stk_eventcount_signal(&workers->work);
}

static void log_share(const stk_offload_workers *workers)
{
    const uint64_t device_items = __atomic_load_n(&workers->device_items, __ATOMIC_RELAXED);
    if (!device_items) return;
    stk_run_log(workers->queue->run,
                "images: %s decoded %llu of %llu, a call %.0f us each; a thread takes %.0f us",
                workers->device->name ? workers->device->name : "the device",
                (unsigned long long)device_items, (unsigned long long)workers->queue->pulled,
                (double)workers->ns_per_item * 1e-3, (double)workers->queue->ns_per_item * 1e-3);
}

void stk_offload_workers_stop(stk_offload_workers *workers)
{
    if (!workers) return;
    pthread_mutex_lock(&workers->queue->lock);
    workers->stopping = true;
    pthread_mutex_unlock(&workers->queue->lock);
    stk_eventcount_signal(&workers->work);
    for (int i = 0; i < workers->started; i++) {
        stk_thread_join(&workers->workers[i].thread);
        free(workers->workers[i].parts);
        free(workers->workers[i].units);
    }
    log_share(workers);
    stk_eventcount_release(&workers->work);
    free(workers);
}
