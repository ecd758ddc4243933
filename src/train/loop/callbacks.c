/* Callbacks of a run. The queue is a ring of slots allocated at the start, so no report is lost for
 * lack of memory. */
#include "train/loop/callbacks.h"
#include "base/clock.h"
#include "base/ring.h"
#include "base/threads.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS_TO_JUDGE = 5 };

typedef struct item {
    stk_train_progress progress;
    bool               checkpoint; /* calls on_checkpoint only */
} item;

typedef struct entry {
    stk_callback     callback;
    _Atomic uint64_t calls, ns, failures;
    _Atomic uint64_t behind_calls, behind_ns; /* of those, on the callbacks' thread */
    _Atomic bool     warned;                  /* its slowness was logged */
} entry;

struct stk_callbacks {
    stk_callbacks_options options;
    entry                *list;
    size_t                count;
    item                 *items; /* STK_CALLBACKS_QUEUE */
    stk_ring             *queue; /* of items, in order */
    stk_thread            thread;
    stk_eventcount        done;
    bool                  has_gate;
    _Atomic uint64_t      put, finished;
    bool                  wait_warned;    /* the wait of training was logged */
    stk_error             failed;         /* of the last on_checkpoint; STK_OK: none */
    uint64_t              steps, step_ns; /* of the training thread */
};

static void log_line(const stk_callbacks *c, const char *line)
{
    if (c->options.log) c->options.log(c->options.log_context, line);
}

static void failed(stk_callbacks *c, entry *e, const stk_error *err)
{
    char text[768], line[900];
    if (atomic_fetch_add(&e->failures, 1) > 0) return;
    snprintf(line, sizeof line, "callback %s failed and is told once: %s", e->callback.name,
             stk_error_line(err, text, sizeof text));
    log_line(c, line);
}

static void call(stk_callbacks *c, entry *e, const stk_train_progress *progress)
{
    stk_error         err = {0};
    stk_trace_thread *trace = stk_trace_current_at(c->options.trace, "callbacks", STK_TRACE_STAGES);
    uint64_t          span = stk_span_begin(trace), begin = stk_clock_ns();
    bool called = e->callback.on_report || (progress->epoch_end && e->callback.on_epoch);
    if (e->callback.on_report && e->callback.on_report(e->callback.context, progress, &err))
        failed(c, e, &err);
    if (progress->epoch_end && e->callback.on_epoch &&
        e->callback.on_epoch(e->callback.context, progress, &err))
        failed(c, e, &err);
    if (!called) return;
    const uint64_t ns = stk_clock_ns() - begin;
    atomic_fetch_add(&e->ns, ns);
    atomic_fetch_add(&e->calls, 1);
    atomic_fetch_add(&e->behind_ns, ns);
    atomic_fetch_add(&e->behind_calls, 1);
    stk_span_end(trace, STK_STAGE_OUTPUT, e->callback.name, span, 0);
}

/* Keeps the first failure for the waiter of this ticket, who reads it only after finished was
 * advanced. */
static void call_checkpoint(stk_callbacks *c)
{
    stk_error err;
    c->failed = (stk_error){0};
    for (size_t i = 0; i < c->count; i++) {
        entry         *e = &c->list[i];
        const uint64_t begin = stk_clock_ns();
        if (!e->callback.on_checkpoint) continue;
        if (e->callback.on_checkpoint(e->callback.context, &err) && !c->failed.status)
            c->failed = err;
        atomic_fetch_add(&e->behind_ns, stk_clock_ns() - begin);
    }
}

static void *run(void *context)
{
    stk_callbacks *c = context;
    void          *taken;
    while (stk_ring_pop(c->queue, &taken, NULL)) {
        const item *now = taken;
        if (now->checkpoint) call_checkpoint(c);
        for (size_t i = 0; i < c->count && !now->checkpoint; i++)
            call(c, &c->list[i], &now->progress);
        atomic_fetch_add(&c->finished, 1);
        stk_eventcount_signal(&c->done);
    }
    return NULL;
}

static stk_status start(stk_callbacks *c, const stk_callback *list, size_t count, stk_error *err)
{
    c->list = calloc(count + 1, sizeof *c->list);
    c->items = calloc(STK_CALLBACKS_QUEUE, sizeof *c->items);
    if (!c->list || !c->items) return stk_fail(err, STK_E_NOMEM, "callbacks", NULL, "no memory");
    for (size_t i = 0; i < count; i++)
        c->list[i].callback = list[i];
    c->count = count;
    STK_TRY(stk_eventcount_init(&c->done, err));
    c->has_gate = true;
    STK_TRY(stk_ring_new(&c->queue, STK_CALLBACKS_QUEUE, err));
    return stk_thread_start(&c->thread, "callbacks", run, c, err);
}

stk_status stk_callbacks_start(stk_callbacks **out, const stk_callback *list, size_t count,
                               const stk_callbacks_options *options, stk_error *err)
{
    *out = NULL;
    stk_callbacks *c = calloc(1, sizeof *c);
    if (!c) return stk_fail(err, STK_E_NOMEM, "callbacks", NULL, "no memory");
    if (options) c->options = *options;
    stk_status st = start(c, list, count, err);
    if (st) {
        stk_callbacks_free(c);
        return st;
    }
    *out = c;
    return STK_OK;
}

void stk_callbacks_free(stk_callbacks *callbacks)
{
    if (!callbacks) return;
    if (callbacks->queue) stk_ring_close(callbacks->queue);
    stk_thread_join(&callbacks->thread);
    stk_ring_free(callbacks->queue);
    if (callbacks->has_gate) stk_eventcount_release(&callbacks->done);
    free(callbacks->items);
    free(callbacks->list);
    free(callbacks);
}

/* Keras' rule since TensorFlow 2.3: after five calls, a mean above the step's own mean. */
static void judge(stk_callbacks *c, entry *e)
{
    uint64_t calls = atomic_load(&e->calls), ns = atomic_load(&e->ns);
    if (e->warned || calls < CALLS_TO_JUDGE || !c->steps) return;
    double mean = (double)ns / (double)calls, step = (double)c->step_ns / (double)c->steps;
    if (mean <= step) return;
    char line[256];
    snprintf(line, sizeof line,
             "callback %s is slow: %.2f ms a step beside %.2f ms of the step itself; let it use "
             "on_report, which does not delay training",
             e->callback.name, mean / 1e6, step / 1e6);
    e->warned = true;
    log_line(c, line);
}

void stk_callbacks_step(stk_callbacks *callbacks, const stk_train_progress *progress,
                        uint64_t step_ns)
{
    callbacks->steps++;
    callbacks->step_ns += step_ns;
    for (size_t i = 0; i < callbacks->count; i++) {
        entry *e = &callbacks->list[i];
        if (!e->callback.on_step) continue;
        stk_trace_thread *trace =
            stk_trace_current_at(callbacks->options.trace, "train", STK_TRACE_OPS);
        uint64_t span = stk_span_begin(trace), begin = stk_clock_ns();
        e->callback.on_step(e->callback.context, progress);
        atomic_fetch_add(&e->ns, stk_clock_ns() - begin);
        atomic_fetch_add(&e->calls, 1);
        stk_span_end(trace, STK_STAGE_OUTPUT, e->callback.name, span, 0);
        judge(callbacks, e);
    }
}

/* Waits until the thread has finished count items. */
static void wait_for(stk_callbacks *c, uint64_t count)
{
    for (;;) {
        uint32_t epoch = stk_eventcount_epoch(&c->done);
        if (atomic_load(&c->finished) >= count) return;
        stk_eventcount_wait(&c->done, epoch, 0);
    }
}

static void warn_wait(stk_callbacks *c)
{
    char         line[256];
    const entry *slowest = c->list;
    for (size_t i = 1; i < c->count; i++)
        if (atomic_load(&c->list[i].behind_ns) > atomic_load(&slowest->behind_ns))
            slowest = &c->list[i];
    if (c->wait_warned) return;
    c->wait_warned = true;
    snprintf(
        line, sizeof line,
        "WARNING: training waits for its callbacks, which are %d reports behind; %s takes most "
        "of the time: a larger output.log_every asks for fewer",
        STK_CALLBACKS_QUEUE, slowest->callback.name);
    log_line(c, line);
}

/* The next slot, once the thread has finished its previous item. */
static item *next_item(stk_callbacks *c)
{
    const uint64_t put = atomic_load(&c->put);
    if (put >= STK_CALLBACKS_QUEUE + atomic_load(&c->finished)) {
        warn_wait(c);
        wait_for(c, put - STK_CALLBACKS_QUEUE + 1);
    }
    return &c->items[put % STK_CALLBACKS_QUEUE];
}

static uint64_t hand_over(stk_callbacks *c, item *next)
{
    (void)stk_ring_push(c->queue, next, NULL);
    return atomic_fetch_add(&c->put, 1) + 1;
}

void stk_callbacks_report(stk_callbacks *callbacks, const stk_train_progress *progress)
{
    item *next = next_item(callbacks);
    *next = (item){.progress = *progress};
    hand_over(callbacks, next);
}

uint64_t stk_callbacks_ticket(stk_callbacks *callbacks)
{
    item *next = next_item(callbacks);
    *next = (item){.checkpoint = true};
    return hand_over(callbacks, next);
}

stk_status stk_callbacks_wait(stk_callbacks *callbacks, uint64_t ticket, stk_error *err)
{
    wait_for(callbacks, ticket);
    if (callbacks->failed.status && err) *err = callbacks->failed;
    return callbacks->failed.status;
}

void stk_callbacks_flush(stk_callbacks *callbacks)
{
    wait_for(callbacks, atomic_load(&callbacks->put));
}

size_t stk_callbacks_count(const stk_callbacks *callbacks)
{
    return callbacks->count;
}

stk_callback_stats stk_callbacks_stats(const stk_callbacks *callbacks, size_t index)
{
    const entry *e = &callbacks->list[index];
    return (stk_callback_stats){.name = e->callback.name,
                                .calls = atomic_load(&e->calls),
                                .nanoseconds = atomic_load(&e->ns),
                                .failures = atomic_load(&e->failures),
                                .on_training_thread = e->callback.on_step != NULL,
                                .slow = e->warned};
}

stk_callbacks_work stk_callbacks_read_work(const stk_callbacks *callbacks, size_t first, size_t end)
{
    stk_callbacks_work work = {0};
    for (size_t i = first; i < end && i < callbacks->count; i++) {
        work.calls += atomic_load(&callbacks->list[i].behind_calls);
        work.ns += atomic_load(&callbacks->list[i].behind_ns);
    }
    return work;
}
