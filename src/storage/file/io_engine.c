/* The engine's queue: requests in flight, their statistics, and the start of the next ones. */
#include "base/clock.h"
#include "storage/file/io_engine_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS_DEFAULT = 64,
    LARGEST_COUNT = 1024,
    TUNED_START = 4,
    TUNED_MIN = 2,
};

void stk_io_list_push(stk_io_list *list, stk_io_request *request)
{
    request->next = NULL;
    *(list->last ? list->last : &list->first) = request;
    list->last = &request->next;
    list->count++;
}

stk_io_request *stk_io_list_pop(stk_io_list *list)
{
    stk_io_request *request = list->first;
    if (!request) return NULL;
    list->first = request->next;
    if (!list->first) list->last = NULL;
    list->count--;
    return request;
}

/* The three bits below the highest one are kept: eight buckets for each power of two. */
static int bucket_of(uint64_t ns)
{
    if (ns < 8) return (int)ns;
    const int power = 63 - __builtin_clzll(ns);
    return 8 * (power - 2) + (int)(ns >> (power - 3) & 7);
}

static uint64_t end_of_bucket(int bucket)
{
    if (bucket < 8) return (uint64_t)bucket;
    const int power = bucket / 8 + 2;
    return ((uint64_t)(8 + bucket % 8 + 1) << (power - 3)) - 1;
}

/* Under the lock: begins what the limit allows. own: the calling reader takes one itself. */
static void begin_queued(stk_io *io, uint64_t now_ns, bool own)
{
    bool ring = false;
    while (!io->stopping && io->in_flight < io->limit && io->queue.first) {
        stk_io_request *request = stk_io_list_pop(&io->queue);
        request->started_ns = now_ns;
        if (!io->in_flight++) {
            io->busy_since = now_ns;
            stk_io_tuner_busy(&io->tuner, now_ns);
        }
        if (io->in_flight > io->in_flight_peak) io->in_flight_peak = io->in_flight;
        if (stk_io_ring_takes(io, request)) {
            stk_io_list_push(&io->ringable, request);
            ring = true;
        } else {
            stk_io_list_push(&io->readable, request);
            if (!own) stk_io_call_reader(io);
            own = false;
        }
    }
    if (ring) stk_io_call_ring(io);
}

void stk_io_submit(stk_io *io, stk_io_request *request)
{
    request->got = 0;
    request->at_once = false;
    request->status = STK_OK;
    pthread_mutex_lock(&io->lock);
    /* Read under the lock, so that what the tuner hears of is in the order of time. */
    const uint64_t now_ns = stk_clock_ns();
    request->submitted_ns = now_ns;
    stk_io_list_push(&io->queue, request);
    begin_queued(io, now_ns, false);
    pthread_mutex_unlock(&io->lock);
}

static void count_request(stk_io *io, const stk_io_request *request, uint64_t now_ns)
{
    const uint64_t latency_ns = now_ns > request->started_ns ? now_ns - request->started_ns : 0;
    const uint64_t bytes = request->file ? request->got : 0;
    io->requests++;
    io->bytes += bytes;
    io->latency_ns += latency_ns;
    io->latencies[bucket_of(latency_ns)]++;
    if (!--io->in_flight) io->busy_ns += now_ns - io->busy_since;
    if (io->pinned) return;
    const stk_io_completion completion = {
        .now_ns = now_ns,
        .latency_ns = latency_ns,
        .bytes = bytes,
        .read = request->file != NULL,
        .queued = io->queue.count > 0,
    };
    if (stk_io_tuner_finish(&io->tuner, &completion))
        __atomic_store_n(&io->limit, io->tuner.limit, __ATOMIC_RELAXED);
    if (!io->in_flight && !io->queue.first) stk_io_tuner_idle(&io->tuner, now_ns);
}

void stk_io_finish(stk_io *io, stk_io_request *request, bool reader)
{
    pthread_mutex_lock(&io->lock);
    const uint64_t now_ns = stk_clock_ns();
    count_request(io, request, now_ns);
    if (reader) io->coming++;
    begin_queued(io, now_ns, reader);
    pthread_mutex_unlock(&io->lock);
    request->done(request);
}

void stk_io_run(stk_io_request *request)
{
    if (!request->file) {
        request->run(request);
        return;
    }
    while (!request->status && request->got < request->size) {
        size_t more = 0;
        request->status = request->file->ops->read_at(
            request->file, (uint8_t *)request->dst + request->got, request->size - request->got,
            request->offset + request->got, &more, request->err);
        if (!request->status && !more) break;
        if (!request->status) request->got += more;
    }
}

static stk_status check(const stk_io_options *options, stk_error *err)
{
    if (options->threads_max < 0 || options->threads_max > LARGEST_COUNT)
        return stk_fail(err, STK_E_INVALID, "read", NULL,
                        "%d reader threads asked; 1 to %d are possible, 0 means %d",
                        options->threads_max, LARGEST_COUNT, THREADS_DEFAULT);
    if (options->in_flight < 0 || options->in_flight > LARGEST_COUNT)
        return stk_fail(err, STK_E_INVALID, "read", NULL,
                        "%d requests in flight asked; 1 to %d are possible, 0 means tuned",
                        options->in_flight, LARGEST_COUNT);
    return STK_OK;
}

static stk_status init_lock(stk_io *io, stk_error *err)
{
    int failure = pthread_mutex_init(&io->lock, NULL);
    io->has_lock = !failure;
    if (!failure) failure = pthread_cond_init(&io->work, NULL);
    io->has_work = io->has_lock && !failure;
    return failure ? stk_fail_errno(err, failure, "threads", NULL, "make a lock") : STK_OK;
}

static void init_limit(stk_io *io, const stk_io_options *options)
{
    io->threads_max = options->threads_max ? options->threads_max : THREADS_DEFAULT;
    io->pinned = options->in_flight > 0;
    const int min = io->threads_max < TUNED_MIN ? io->threads_max : TUNED_MIN;
    stk_io_tuner_init(&io->tuner, TUNED_START, min, io->threads_max);
    io->limit = io->pinned ? options->in_flight : io->tuner.limit;
}

stk_status stk_io_start(stk_io **out, const stk_io_options *options, stk_error *err)
{
    static const stk_io_options defaults = {0};
    *out = NULL;
    if (!options) options = &defaults;
    STK_TRY(check(options, err));
    stk_io *io = calloc(1, sizeof *io);
    if (!io) return stk_fail(err, STK_E_NOMEM, "read", NULL, "no memory for an engine");
    init_limit(io, options);
    snprintf(io->backend, sizeof io->backend, "reader threads");
    stk_status st = init_lock(io, err);
    if (!st) st = stk_io_start_readers(io, err);
    if (!st && !options->no_uring) {
        const int max = io->pinned ? io->limit : io->threads_max;
        st = stk_io_start_ring(io, (unsigned)max + 1, err);
    }
    if (st) {
        stk_io_free(io);
        return st;
    }
    *out = io;
    return STK_OK;
}

/* NULL when nothing waits. */
static stk_io_request *take_any(stk_io *io)
{
    pthread_mutex_lock(&io->lock);
    stk_io_request *request = stk_io_list_pop(&io->readable);
    if (!request) request = stk_io_list_pop(&io->ringable);
    if (!request) request = stk_io_list_pop(&io->queue);
    pthread_mutex_unlock(&io->lock);
    return request;
}

static void drop_waiting(stk_io *io)
{
    for (stk_io_request *request; (request = take_any(io));) {
        request->status = stk_fail(request->err, STK_E_CANCELLED, "read",
                                   request->file ? request->file->path : NULL,
                                   "reading was stopped before its turn came");
        request->done(request);
    }
}

void stk_io_free(stk_io *io)
{
    if (!io) return;
    if (io->has_work) {
        pthread_mutex_lock(&io->lock);
        io->stopping = true;
        pthread_cond_broadcast(&io->work);
        stk_io_call_ring(io);
        pthread_mutex_unlock(&io->lock);
        drop_waiting(io);
    }
    stk_io_join_readers(io);
    stk_io_free_ring(io);
    if (io->has_work) {
        drop_waiting(io); /* submitted by the last to finish */
        pthread_cond_destroy(&io->work);
    }
    if (io->has_lock) pthread_mutex_destroy(&io->lock);
    free(io->readers);
    free(io);
}

/* Only the lock inside is changed by looking. */
static stk_io *unconst(const stk_io *io)
{
    return (stk_io *)(uintptr_t)io;
}

/* Under the lock. */
static uint64_t latency_at(const stk_io *io, double fraction)
{
    const uint64_t wanted = (uint64_t)(fraction * (double)io->requests);
    uint64_t       seen = 0;
    for (int i = 0; i < STK_IO_LATENCY_BUCKETS; i++) {
        seen += io->latencies[i];
        if (seen > wanted) return end_of_bucket(i);
    }
    return 0;
}

/* The lock is held. */
static uint64_t busy_until_now(const stk_io *io)
{
    return io->busy_ns + (io->in_flight ? stk_clock_ns() - io->busy_since : 0);
}

uint64_t stk_io_busy_ns(const stk_io *io)
{
    pthread_mutex_lock(&unconst(io)->lock);
    const uint64_t ns = busy_until_now(io);
    pthread_mutex_unlock(&unconst(io)->lock);
    return ns;
}

void stk_io_read_stats(const stk_io *io, stk_io_stats *stats)
{
    pthread_mutex_lock(&unconst(io)->lock);
    *stats = (stk_io_stats){
        .requests = io->requests,
        .bytes = io->bytes,
        .busy_ns = busy_until_now(io),
        .latency_ns_mean = io->requests ? io->latency_ns / io->requests : 0,
        .latency_ns_p95 = latency_at(io, 0.95),
        .in_flight = io->in_flight,
        .in_flight_peak = io->in_flight_peak,
        .limit = io->limit,
        .queued = io->queue.count,
        .threads = io->started,
        .backend = io->backend,
        .raises = io->tuner.raises,
        .lowers = io->tuner.lowers,
    };
    pthread_mutex_unlock(&unconst(io)->lock);
}

int stk_io_limit(const stk_io *io)
{
    return __atomic_load_n(&io->limit, __ATOMIC_RELAXED);
}

size_t stk_io_decisions(const stk_io *io, stk_io_decision *out, size_t capacity)
{
    pthread_mutex_lock(&unconst(io)->lock);
    const size_t count = stk_io_tuner_decisions(&io->tuner, out, capacity);
    pthread_mutex_unlock(&unconst(io)->lock);
    return count;
}
