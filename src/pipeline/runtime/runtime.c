/* The threads of an iterator and their queues, most downstream first: work near the consumer frees
 * memory soonest. */
#include "pipeline/runtime/runtime.h"

#include "base/ledger_pressure.h"
#include "base/spin.h"
#include "pipeline/runtime/node_queue.h"
#include "pipeline/runtime/run_io.h"

#include <stdio.h>
#include <stdlib.h>

enum { DECISIONS = 64, FREE_PART = 8 };

/* One queue in the list. */
typedef struct entry entry;
struct entry {
    stk_node_queue *queue;
    int             visitors; /* threads inside */
    bool            leaving;
    pthread_cond_t  left; /* signalled when the last visitor of a leaving one is out */
    entry          *next;
};

typedef struct helper {
    stk_run   *run;
    stk_thread thread;
} helper;

struct stk_run {
    stk_run_options     options;  /* never changes */
    stk_run_io         *io;       /* has a lock of its own */
    stk_thread_activity activity; /* likewise */
    pthread_mutex_t     lock;     /* of queues, accounts, started and sleeping */
    pthread_cond_t      work;
    pthread_mutex_t     log_lock; /* one line at a time */
    entry              *queues;
    stk_node_counters  *counters_list; /* atomic: new ones are put in front */
    helper             *helpers;       /* options.threads of them */
    int                 started;
    uint32_t            sleeping; /* atomic; changed under lock */
    uint32_t            changes;  /* atomic: incremented by every wake, for spinning threads */
    bool                stopping; /* atomic */
    bool                serial;   /* atomic */
    int64_t             expected; /* atomic: estimated bytes of work in flight */
    uint64_t            free;     /* atomic: bytes kept free for the oldest work */
    uint64_t            started_ns;
    uint64_t            number;               /* of this run in this process, from 1 */
    stk_decision        decisions[DECISIONS]; /* a ring; under log_lock */
    size_t              decision_count;
    uint64_t            passed_errors; /* under log_lock, as the first of them */
    stk_error           passed_error;
};

stk_status stk_run_new(stk_run **out, const stk_run_options *options, stk_error *err)
{
    *out = NULL;
    stk_run *run = calloc(1, sizeof *run);
    if (run) run->helpers = calloc((size_t)options->threads + 1, sizeof *run->helpers);
    if (!run || !run->helpers) {
        free(run);
        return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory to run a pipeline");
    }
    stk_thread_activity_init(&run->activity, options->trace);
    stk_status st = stk_run_io_new(&run->io, &run->activity, err);
    if (st) {
        stk_thread_activity_release(&run->activity);
        free(run->helpers);
        free(run);
        return st;
    }
    run->options = *options;
    run->started_ns = stk_clock_ns();
    static uint64_t runs; /* atomic; a number only, no state */
    run->number = __atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED);
    stk_ledger_ref(options->ledger);
    stk_run_keep_free(run, 0);
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->work, NULL);
    pthread_mutex_init(&run->log_lock, NULL);
    *out = run;
    return STK_OK;
}

static void stop_helpers(stk_run *run)
{
    pthread_mutex_lock(&run->lock);
    __atomic_store_n(&run->stopping, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&run->work);
    pthread_mutex_unlock(&run->lock);
    for (int i = 0; i < run->started; i++)
        stk_thread_join(&run->helpers[i].thread);
}

void stk_run_free(stk_run *run)
{
    if (!run) return;
    stop_helpers(run);
    stk_run_io_free(run->io);
    stk_thread_activity_release(&run->activity);
    for (stk_node_counters *counters = run->counters_list, *next; counters; counters = next) {
        next = counters->next;
        stk_part_times_free(counters->parts);
        free(counters);
    }
    pthread_mutex_destroy(&run->log_lock);
    pthread_cond_destroy(&run->work);
    pthread_mutex_destroy(&run->lock);
    stk_run_set_serial(run, false);
    stk_ledger_unref(run->options.ledger);
    free(run->helpers);
    free(run);
}

const stk_run_options *stk_run_options_of(const stk_run *run)
{
    return &run->options;
}

stk_run_io *stk_run_io_of(const stk_run *run)
{
    return run->io;
}

stk_thread_activity *stk_run_activity(stk_run *run)
{
    return &run->activity;
}

void stk_run_log(stk_run *run, const char *format, ...)
{
    if (!run->options.log) return;
    char    line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&run->log_lock);
    run->options.log(run->options.log_context, line);
    pthread_mutex_unlock(&run->log_lock);
}

void stk_run_decide(stk_run *run, const char *knob, double from, double to, const char *evidence,
                    bool kept)
{
    pthread_mutex_lock(&run->log_lock);
    stk_decision *one = &run->decisions[run->decision_count++ % DECISIONS];
    *one = (stk_decision){.time_s = (double)(stk_clock_ns() - run->started_ns) * 1e-9,
                          .from = from,
                          .to = to,
                          .kept = kept};
    snprintf(one->knob, sizeof one->knob, "%s", knob);
    snprintf(one->evidence, sizeof one->evidence, "%s", evidence);
    pthread_mutex_unlock(&run->log_lock);
    stk_run_log(run, "autotune: %s %g -> %g %s: %s", knob, from, to, kept ? "kept" : "taken back",
                evidence);
}

void stk_run_pass_error(stk_run *run, const stk_error *passed)
{
    pthread_mutex_lock(&run->log_lock);
    if (!run->passed_errors++) run->passed_error = *passed;
    pthread_mutex_unlock(&run->log_lock);
}

uint64_t stk_run_passed_errors(stk_run *run, stk_error *first)
{
    pthread_mutex_lock(&run->log_lock);
    const uint64_t count = run->passed_errors;
    *first = run->passed_error;
    pthread_mutex_unlock(&run->log_lock);
    return count;
}

size_t stk_run_decisions(stk_run *run, stk_decision *out, size_t capacity, size_t *count)
{
    pthread_mutex_lock(&run->log_lock);
    *count = run->decision_count;
    size_t held = *count < DECISIONS ? *count : DECISIONS;
    if (held > capacity) held = capacity;
    for (size_t i = 0; i < held; i++)
        out[i] = run->decisions[(*count - held + i) % DECISIONS];
    pthread_mutex_unlock(&run->log_lock);
    return held;
}

stk_trace_thread *stk_run_trace(stk_run *run, stk_trace_level level)
{
    return stk_trace_current_at(run->options.trace, "pipeline", level);
}

stk_node_counters *stk_run_counters(stk_run *run)
{
    return __atomic_load_n(&run->counters_list, __ATOMIC_ACQUIRE);
}

stk_part_times *stk_node_counters_keep_parts(stk_node_counters *counters, stk_part_times *parts)
{
    stk_part_times *before = NULL;
    if (__atomic_compare_exchange_n(&counters->parts, &before, parts, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return parts;
    stk_part_times_free(parts);
    return before;
}

bool stk_node_counters_path(const stk_node_counters *counters, char path[STK_TUNED_PATH])
{
    size_t length = 0;
    if (counters->parent) {
        if (!stk_node_counters_path(counters->parent, path)) return false;
        length = strlen(path);
    }
    const size_t capacity = STK_TUNED_PATH - length;
    const int    more =
        snprintf(path + length, capacity, counters->slot ? "%s%s.%zu" : "%s%s",
                 counters->parent ? "/" : "", stk_operator_identity(counters->op), counters->slot);
    return more > 0 && (size_t)more < capacity;
}

static void start_tuned(const stk_run *run, stk_node_counters *counters)
{
    char path[STK_TUNED_PATH];
    if (!run->options.tuned_count || !stk_node_counters_path(counters, path)) return;
    for (size_t i = 0; i < run->options.tuned_count; i++) {
        const stk_tuned *one = &run->options.tuned[i];
        if (strcmp(one->path, path) != 0) continue;
        counters->tuned_capacity = one->capacity;
        counters->tuned_target_ns = one->target_ns;
    }
}

stk_status stk_run_add_counters(stk_run *run, const stk_operator *op, stk_node_counters *parent,
                                size_t slot, int depth, stk_node_counters **out, stk_error *err)
{
    stk_status st = STK_OK;
    pthread_mutex_lock(&run->lock);
    stk_node_counters *counters = run->counters_list;
    while (counters && (counters->op != op || counters->parent != parent || counters->slot != slot))
        counters = counters->next;
    if (!counters) {
        counters = calloc(1, sizeof *counters);
        if (counters) {
            *counters = (stk_node_counters){.op = op,
                                            .parent = parent,
                                            .slot = slot,
                                            .depth = depth,
                                            .runs_ahead = op->traits & STK_OPERATOR_RUNS_AHEAD,
                                            .next = run->counters_list};
            start_tuned(run, counters);
            __atomic_store_n(&run->counters_list, counters, __ATOMIC_RELEASE);
        } else {
            st = stk_fail(err, STK_E_NOMEM, op->name, NULL, "no memory for a stage's counters");
        }
    }
    pthread_mutex_unlock(&run->lock);
    *out = counters;
    return st;
}

stk_operator_progress stk_run_progress(stk_run *run, const stk_node_counters *counters)
{
    pthread_mutex_lock(&run->lock);
    const stk_operator_progress told = counters->told;
    pthread_mutex_unlock(&run->lock);
    return told;
}

void stk_run_note_progress(stk_run *run, stk_node_counters *counters, stk_operator_progress told)
{
    pthread_mutex_lock(&run->lock);
    counters->told = told;
    pthread_mutex_unlock(&run->lock);
}

static bool may_pull(const stk_node_queue *queue, int pull_depth)
{
    return stk_node_queue_depth(queue) >= pull_depth;
}

/* The first queue that wants work, with one visitor more, so that it stays; NULL when none does.
 * The lock is held. */
static entry *pick(stk_run *run, int pull_depth)
{
    for (entry *one = run->queues; one; one = one->next) {
        const unsigned wants = stk_node_queue_wants(one->queue);
        if (!(wants & STK_NODE_QUEUE_COMPUTE) &&
            !(wants & STK_NODE_QUEUE_PULL && may_pull(one->queue, pull_depth)))
            continue;
        one->visitors++;
        return one;
    }
    return NULL;
}

static void leave(stk_run *run, entry *one)
{
    pthread_mutex_lock(&run->lock);
    if (--one->visitors == 0 && one->leaving) pthread_cond_broadcast(&one->left);
    pthread_mutex_unlock(&run->lock);
}

bool stk_run_work(stk_run *run, int pull_depth)
{
    pthread_mutex_lock(&run->lock);
    entry *one = pick(run, pull_depth);
    pthread_mutex_unlock(&run->lock);
    if (!one) return false;
    const bool worked = stk_node_queue_work(one->queue, may_pull(one->queue, pull_depth));
    leave(run, one);
    return worked;
}

void stk_run_wake(stk_run *run)
{
    /* A thread counts itself as sleeping before its last look at the queues; here the queue was
     * changed before this look at the sleepers. One of the two sees the other. */
    __atomic_fetch_add(&run->changes, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&run->sleeping, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&run->lock);
    pthread_cond_signal(&run->work);
    pthread_mutex_unlock(&run->lock);
}

static bool is_stopping(const stk_run *run)
{
    return __atomic_load_n(&run->stopping, __ATOMIC_ACQUIRE);
}

/* Spins first: work that comes within 50 us is cheaper met awake. */
static void wait_for_work(stk_run *run, uint32_t seen)
{
    stk_spin spin = {0};
    do {
        if (__atomic_load_n(&run->changes, __ATOMIC_ACQUIRE) != seen || is_stopping(run)) return;
    } while (stk_spin_more(&spin));
    pthread_mutex_lock(&run->lock);
    __atomic_fetch_add(&run->sleeping, 1, __ATOMIC_SEQ_CST);
    if (!is_stopping(run) && __atomic_load_n(&run->changes, __ATOMIC_SEQ_CST) == seen)
        pthread_cond_wait(&run->work, &run->lock);
    __atomic_fetch_sub(&run->sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&run->lock);
}

static void *help(void *context)
{
    stk_run *run = ((helper *)context)->run;
    while (!is_stopping(run)) {
        const uint32_t seen = __atomic_load_n(&run->changes, __ATOMIC_ACQUIRE);
        if (!stk_run_work(run, 0)) wait_for_work(run, seen);
    }
    stk_trace_leave(run->options.trace);
    return NULL;
}

/* The lock is held. */
static stk_status start_helpers(stk_run *run, stk_error *err)
{
    while (run->started < run->options.threads) {
        helper *next = &run->helpers[run->started];
        next->run = run;
        STK_TRY(stk_thread_start(&next->thread, "stk-pipeline", help, next, err));
        run->started++;
    }
    return STK_OK;
}

static void insert(stk_run *run, entry *one)
{
    entry **at = &run->queues;
    while (*at && stk_node_queue_depth((*at)->queue) <= stk_node_queue_depth(one->queue))
        at = &(*at)->next;
    one->next = *at;
    *at = one;
}

stk_status stk_run_register(stk_run *run, stk_node_queue *queue, stk_error *err)
{
    entry *one = calloc(1, sizeof *one);
    if (!one) return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for a queue");
    one->queue = queue;
    pthread_cond_init(&one->left, NULL);
    pthread_mutex_lock(&run->lock);
    stk_status st = start_helpers(run, err);
    if (!st) insert(run, one);
    pthread_mutex_unlock(&run->lock);
    if (st) {
        pthread_cond_destroy(&one->left);
        free(one);
        return st;
    }
    stk_run_wake(run);
    return STK_OK;
}

void stk_run_unregister(stk_run *run, stk_node_queue *queue)
{
    pthread_mutex_lock(&run->lock);
    entry **at = &run->queues;
    while (*at && (*at)->queue != queue)
        at = &(*at)->next;
    entry *one = *at;
    if (one) {
        *at = one->next;
        one->leaving = true;
        while (one->visitors)
            pthread_cond_wait(&one->left, &run->lock);
    }
    pthread_mutex_unlock(&run->lock);
    if (!one) return;
    pthread_cond_destroy(&one->left);
    free(one);
}

void stk_run_expect(stk_run *run, int64_t bytes)
{
    __atomic_fetch_add(&run->expected, bytes, __ATOMIC_RELAXED);
}

/* With less than this free only the oldest unit of a queue proceeds, so work in flight can finish
 * and free memory. Its estimated memory counts: several threads starting at once would pass the
 * ceiling together. */
bool stk_run_memory_is_tight(const stk_run *run, uint64_t bytes)
{
    uint64_t held, ceiling;
    if (!run->options.ledger) return false;
    stk_ledger_total(run->options.ledger, &held, &ceiling);
    const int64_t expected = __atomic_load_n(&run->expected, __ATOMIC_RELAXED);
    return held + bytes + (expected > 0 ? (uint64_t)expected : 0) >
           ceiling - stk_run_kept_free(run);
}

uint64_t stk_run_kept_free(const stk_run *run)
{
    return __atomic_load_n(&run->free, __ATOMIC_RELAXED);
}

void stk_run_keep_free(stk_run *run, uint64_t bytes)
{
    uint64_t held, ceiling;
    stk_ledger_total(run->options.ledger, &held, &ceiling);
    if (bytes < ceiling / FREE_PART) bytes = ceiling / FREE_PART;
    if (bytes > ceiling) bytes = ceiling;
    __atomic_store_n(&run->free, bytes, __ATOMIC_RELAXED);
}

void stk_run_set_serial(stk_run *run, bool serial)
{
    if (stk_run_is_serial(run) == serial) return;
    stk_ledger_press(run->options.ledger, serial);
    __atomic_store_n(&run->serial, serial, __ATOMIC_RELEASE);
}

bool stk_run_is_serial(const stk_run *run)
{
    return __atomic_load_n(&run->serial, __ATOMIC_ACQUIRE);
}
