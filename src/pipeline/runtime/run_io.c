/* The I/O engines and read-ahead file systems of a run. */
#include "pipeline/runtime/run_io.h"

#include "storage/file/readahead.h"

#include <stdlib.h>

/* A file system and what reads it ahead. */
typedef struct reading reading;
struct reading {
    const stk_filesystem *inner;
    stk_filesystem       *ahead;
    reading              *next;
};

struct stk_run_io {
    pthread_mutex_t lock; /* of all below: held while an engine starts, never while one works */
    stk_io         *engine, *pulls; /* NULL until asked for */
    int             pullers;        /* that were taken */
    reading        *readings;
    stk_read_watch  watch; /* of them; never changes */
};

static void note_wait(void *activity, bool begins)
{
    if (begins)
        stk_thread_activity_begin_wait(activity);
    else
        stk_thread_activity_end_wait(activity);
}

static void note_bytes(void *activity, size_t bytes)
{
    stk_count(&((stk_thread_activity *)activity)->bytes, bytes);
}

stk_status stk_run_io_new(stk_run_io **out, stk_thread_activity *activity, stk_error *err)
{
    stk_run_io *io = calloc(1, sizeof *io);
    *out = io;
    if (!io) return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory to run a pipeline");
    io->watch = (stk_read_watch){.wait = note_wait, .got = note_bytes, .context = activity};
    pthread_mutex_init(&io->lock, NULL);
    return STK_OK;
}

/* The file systems first: they wait for reads that the engine has. */
void stk_run_io_free(stk_run_io *io)
{
    if (!io) return;
    stk_io_free(io->pulls);
    for (reading *one = io->readings, *next; one; one = next) {
        next = one->next;
        stk_readahead_free(one->ahead);
        free(one);
    }
    stk_io_free(io->engine);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

/* The lock is held. */
static stk_status start_engine(stk_run *run, stk_run_io *io, stk_error *err)
{
    if (io->engine) return STK_OK;
    const stk_io_options options = {.in_flight = stk_run_options_of(run)->io_depth};
    return stk_io_start(&io->engine, &options, err);
}

stk_status stk_run_engine(stk_run *run, stk_io **out, stk_error *err)
{
    stk_run_io *io = stk_run_io_of(run);
    pthread_mutex_lock(&io->lock);
    stk_status st = start_engine(run, io, err);
    *out = io->engine;
    pthread_mutex_unlock(&io->lock);
    return st;
}

stk_status stk_run_acquire_puller(stk_run *run, stk_io **out, stk_error *err)
{
    static const stk_io_options options = {
        .threads_max = STK_RUN_PULLS_MAX, .in_flight = STK_RUN_PULLS_MAX, .no_uring = true};
    stk_run_io *io = stk_run_io_of(run);
    stk_status  st = STK_OK;
    *out = NULL;
    pthread_mutex_lock(&io->lock);
    const bool available = io->pullers < STK_RUN_PULLS_MAX;
    if (available && !io->pulls) st = stk_io_start(&io->pulls, &options, err);
    if (available && !st) {
        io->pullers++;
        *out = io->pulls;
    }
    pthread_mutex_unlock(&io->lock);
    return st;
}

void stk_run_return_puller(stk_run *run)
{
    stk_run_io *io = stk_run_io_of(run);
    pthread_mutex_lock(&io->lock);
    io->pullers--;
    pthread_mutex_unlock(&io->lock);
}

static const stk_filesystem *or_local(const stk_filesystem *inner)
{
    return inner ? inner : stk_filesystem_local();
}

/* The lock is held. */
static stk_filesystem *find_reading(const stk_run_io *io, const stk_filesystem *inner)
{
    const reading *one = io->readings;
    while (one && one->inner != inner)
        one = one->next;
    return one ? one->ahead : NULL;
}

/* The lock is held. */
static stk_status add_reading(stk_run *run, stk_run_io *io, const stk_filesystem *inner,
                              stk_filesystem **out, stk_error *err)
{
    *out = NULL;
    STK_TRY(start_engine(run, io, err));
    reading *one = calloc(1, sizeof *one);
    if (!one) return stk_fail(err, STK_E_NOMEM, "read", NULL, "no memory for a file system");
    const stk_readahead_options options = {.ledger = stk_run_options_of(run)->ledger,
                                           .watch = &io->watch};
    stk_status st = stk_readahead_new(&one->ahead, inner, io->engine, &options, err);
    if (st) {
        free(one);
        return st;
    }
    one->inner = inner;
    one->next = io->readings;
    io->readings = one;
    *out = one->ahead;
    return STK_OK;
}

const stk_filesystem *stk_run_filesystem(stk_run *run, const stk_filesystem *inner)
{
    stk_run_io *io = stk_run_io_of(run);
    stk_error   err;
    stk_status  st = STK_OK;
    inner = or_local(inner);
    pthread_mutex_lock(&io->lock);
    stk_filesystem *ahead = find_reading(io, inner);
    if (!ahead) st = add_reading(run, io, inner, &ahead, &err);
    pthread_mutex_unlock(&io->lock);
    if (!st) return ahead;
    stk_run_log(run, "files are not read ahead: %s", err.message);
    return inner;
}

void stk_run_hint(stk_run *run, const stk_filesystem *inner, const char *path)
{
    stk_run_io *io = stk_run_io_of(run);
    pthread_mutex_lock(&io->lock);
    stk_filesystem *ahead = find_reading(io, or_local(inner));
    pthread_mutex_unlock(&io->lock);
    if (ahead) stk_readahead_hint(ahead, path);
}

void stk_run_io_quiesce(stk_run *run)
{
    stk_run_io *io = stk_run_io_of(run);
    pthread_mutex_lock(&io->lock);
    const reading *first = io->readings;
    pthread_mutex_unlock(&io->lock);
    for (const reading *one = first; one; one = one->next)
        stk_readahead_wait(one->ahead);
}

static const stk_io *engine_of(stk_run *run)
{
    stk_run_io *io = stk_run_io_of(run);
    pthread_mutex_lock(&io->lock);
    const stk_io *engine = io->engine;
    pthread_mutex_unlock(&io->lock);
    return engine;
}

uint64_t stk_run_io_busy_ns(stk_run *run)
{
    const stk_io *engine = engine_of(run);
    return engine ? stk_io_busy_ns(engine) : 0;
}

void stk_run_io_stats(stk_run *run, stk_iterator_io_stats *counters)
{
    const stk_io *engine = engine_of(run);
    *counters = (stk_iterator_io_stats){.backend = "none"};
    if (!engine) return;
    stk_io_stats stats;
    stk_io_read_stats(engine, &stats);
    *counters = (stk_iterator_io_stats){
        .backend = strcmp(stats.backend, "io_uring") == 0 ? "io_uring" : "threads",
        .requests = stats.requests,
        .bytes = stats.bytes,
        .latency_ns = stats.latency_ns_mean,
        .in_flight_peak = stats.in_flight_peak,
        .limit = stats.limit,
    };
}
