/* Inspects portions in parallel. A bounded number is in flight; they are merged in order as they
 * complete, so memory holds only a few. */
#include "base/thread_pool.h"
#include "storage/inspect/inspect_part.h"

#include <stdlib.h>

typedef struct run run;

typedef struct slot {
    stk_task         task; /* first: the pool gives it back */
    run             *owner;
    uint64_t         portion;
    stk_inspect_part part;
    stk_status       status;
    stk_error        error;
} slot;

struct run {
    const stk_inspect_work *work;
    stk_thread_pool        *pool;
    slot                   *slots;
    uint64_t                window;
    uint64_t                submitted, merged; /* portions; touched by the calling thread only */
    int                     stopped;           /* atomic: what is queued need not be done */
};

static void scan_portion(stk_task *task, int worker)
{
    slot                   *s = (slot *)task;
    const stk_inspect_work *work = s->owner->work;
    s->status = STK_OK;
    if (__atomic_load_n(&s->owner->stopped, __ATOMIC_RELAXED)) return;
    s->status = work->scan(work->context, s->portion, worker, &s->part, &s->error);
    if (s->status) __atomic_store_n(&s->owner->stopped, 1, __ATOMIC_RELAXED);
}

static void submit(run *r)
{
    slot *s = &r->slots[r->submitted % r->window];
    stk_inspect_part_init(&s->part, r->work->options);
    s->task = (stk_task){.run = scan_portion};
    s->owner = r;
    s->portion = r->submitted++;
    stk_thread_pool_submit(r->pool, &s->task);
}

/* Waits for the oldest portion in flight and merges it unless the run has failed. */
static stk_status merge_oldest(run *r, stk_inspect_part *total, stk_error *err)
{
    slot                   *s = &r->slots[r->merged++ % r->window];
    const stk_inspect_work *work = r->work;
    stk_thread_pool_wait(r->pool, &s->task);
    stk_status st = s->status;
    if (st) {
        *err = s->error;
    } else if (!__atomic_load_n(&r->stopped, __ATOMIC_RELAXED)) {
        st = stk_inspect_part_merge(total, &s->part, work->options, err);
        if (!st && work->merged) work->merged(work->context, s->portion, &s->part);
    }
    stk_inspect_part_release(&s->part);
    return st;
}

/* After a failure portions in flight are still awaited: their memory is in use. The first failure
 * in order is the result. */
static stk_status run_all(run *r, stk_inspect_part *total, stk_error *err)
{
    stk_status result = STK_OK;
    while (r->merged < r->submitted || (!result && r->submitted < r->work->portions)) {
        while (!result && r->submitted < r->work->portions && r->submitted < r->merged + r->window)
            submit(r);
        stk_error        error;
        const stk_status st = merge_oldest(r, total, &error);
        if (!st || result) continue;
        result = st;
        *err = error;
        __atomic_store_n(&r->stopped, 1, __ATOMIC_RELAXED);
    }
    return result;
}

stk_status stk_inspect_run(const stk_inspect_work *work, stk_inspect_part *total, stk_error *err)
{
    run r = {.work = work, .window = 2 * (uint64_t)work->threads};
    if (r.window > work->portions) r.window = work->portions;
    if (!work->portions) return STK_OK;
    r.slots = calloc((size_t)r.window, sizeof *r.slots);
    if (!r.slots) return stk_fail(err, STK_E_NOMEM, "inspect", NULL, "no memory to begin");
    stk_status st = stk_thread_pool_start(&r.pool, work->threads - 1, "inspect", err);
    if (!st) st = run_all(&r, total, err);
    stk_thread_pool_free(r.pool);
    free(r.slots);
    return st;
}
