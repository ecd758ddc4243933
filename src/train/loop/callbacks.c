/* Callbacks of a run. */
#include "train/loop/callbacks.h"
#include "base/clock.h"
#include "base/ring.h"
#include "base/threads.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUEUE = 64, CALLS_TO_JUDGE = 5 };

typedef struct entry {
    stk_callback     callback;
    _Atomic uint64_t calls, ns, failures;
    _Atomic uint64_t behind_calls, behind_ns; /* of those, on the callbacks' thread */
    _Atomic bool     told;                    /* it was named as slow */
} entry;

struct stk_callbacks {
    stk_callbacks_options options;
    entry                *list;
    size_t                count;
    stk_ring             *queue; /* copies of progress, freed by the thread */
    stk_thread            thread;
    stk_gate              done;
    bool                  has_gate;
    _Atomic uint64_t      put, finished, dropped;
    uint64_t              steps, step_ns; /* of the training thread */
};

static void tell(const stk_callbacks *c, const char *line)
{
    if (c->options.log) c->options.log(c->options.log_context, line);
}

static void failed(stk_callbacks *c, entry *e, const stk_error *err)
{
    char text[768], line[900];
    if (atomic_fetch_add(&e->failures, 1) > 0) return;
    snprintf(line, sizeof line, "callback %s failed and is told once: %s", e->callback.name,
             stk_error_line(err, text, sizeof text));
    tell(c, line);
}

static void call(stk_callbacks *c, entry *e, const stk_train_progress *progress)
{
    stk_error         err = {0};
    stk_trace_thread *trace = stk_trace_here(c->options.trace, "callbacks", STK_TRACE_STAGES);
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

static void *run(void *context)
{
    stk_callbacks *c = context;
    void          *item;
    while (stk_ring_pop(c->queue, &item, NULL)) {
        for (size_t i = 0; i < c->count; i++)
            call(c, &c->list[i], item);
        free(item);
        atomic_fetch_add(&c->finished, 1);
        stk_gate_signal(&c->done);
    }
    return NULL;
}

static stk_status start(stk_callbacks *c, const stk_callback *list, size_t count, stk_error *err)
{
    c->list = calloc(count + 1, sizeof *c->list);
    if (!c->list) return stk_fail(err, STK_E_NOMEM, "callbacks", NULL, "no memory");
    for (size_t i = 0; i < count; i++)
        c->list[i].callback = list[i];
    c->count = count;
    STK_TRY(stk_gate_init(&c->done, err));
    c->has_gate = true;
    STK_TRY(stk_ring_new(&c->queue, QUEUE, err));
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
    if (callbacks->has_gate) stk_gate_release(&callbacks->done);
    free(callbacks->list);
    free(callbacks);
}

/* Keras' rule since TensorFlow 2.3: after five calls, a mean above the step's own mean. */
static void judge(stk_callbacks *c, entry *e)
{
    uint64_t calls = atomic_load(&e->calls), ns = atomic_load(&e->ns);
    if (e->told || calls < CALLS_TO_JUDGE || !c->steps) return;
    double mean = (double)ns / (double)calls, step = (double)c->step_ns / (double)c->steps;
    if (mean <= step) return;
    char line[256];
    snprintf(line, sizeof line,
             "callback %s is slow: %.2f ms a step beside %.2f ms of the step itself; let it use "
             "on_report, which does not delay training",
             e->callback.name, mean / 1e6, step / 1e6);
    e->told = true;
    tell(c, line);
}

void stk_callbacks_step(stk_callbacks *callbacks, const stk_train_progress *progress,
                        uint64_t step_ns)
{
    callbacks->steps++;
    callbacks->step_ns += step_ns;
    for (size_t i = 0; i < callbacks->count; i++) {
        entry *e = &callbacks->list[i];
        if (!e->callback.on_step) continue;
        stk_trace_thread *trace = stk_trace_here(callbacks->options.trace, "train", STK_TRACE_OPS);
        uint64_t          span = stk_span_begin(trace), begin = stk_clock_ns();
        e->callback.on_step(e->callback.context, progress);
        atomic_fetch_add(&e->ns, stk_clock_ns() - begin);
        atomic_fetch_add(&e->calls, 1);
        stk_span_end(trace, STK_STAGE_OUTPUT, e->callback.name, span, 0);
        judge(callbacks, e);
    }
}

void stk_callbacks_report(stk_callbacks *callbacks, const stk_train_progress *progress)
{
    stk_train_progress *copy = malloc(sizeof *copy);
    bool                in = false;
    if (copy) {
        *copy = *progress;
        atomic_fetch_add(&callbacks->put, 1);
        in = progress->epoch_end ? stk_ring_push(callbacks->queue, copy, NULL)
                                 : stk_ring_try_push(callbacks->queue, copy);
        if (!in) atomic_fetch_sub(&callbacks->put, 1);
    }
    if (in) return;
    free(copy);
    atomic_fetch_add(&callbacks->dropped, 1);
}

void stk_callbacks_flush(stk_callbacks *callbacks)
{
    for (;;) {
        uint32_t epoch = stk_gate_epoch(&callbacks->done);
        if (atomic_load(&callbacks->finished) >= atomic_load(&callbacks->put)) return;
        stk_gate_wait(&callbacks->done, epoch, 0);
    }
}

size_t stk_callbacks_count(const stk_callbacks *callbacks)
{
    return callbacks->count;
}

stk_callback_account stk_callbacks_account(const stk_callbacks *callbacks, size_t index)
{
    const entry *e = &callbacks->list[index];
    return (stk_callback_account){.name = e->callback.name,
                                  .calls = atomic_load(&e->calls),
                                  .nanoseconds = atomic_load(&e->ns),
                                  .failures = atomic_load(&e->failures),
                                  .on_training_thread = e->callback.on_step != NULL,
                                  .slow = e->told};
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

uint64_t stk_callbacks_dropped(const stk_callbacks *callbacks)
{
    return atomic_load(&callbacks->dropped);
}
