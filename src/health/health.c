/* A check: which images are looked at, by several threads, and what is made of it. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/thread_pool.h"
#include "health/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLE = 2000, AT_ONCE = 16 };
static const uint64_t tell_every_ns = 50000000;

typedef struct check check;

typedef struct worker {
    stk_task           task; /* first: the pool gives it back */
    check             *owner;
    stk_health_looker *looker;
    stk_status         status;
    stk_error          error;
} worker;

struct check {
    stk_health_options options;
    stk_health_facts   facts;
    uint64_t           bytes_total;
    uint64_t           next, done, bytes_done; /* atomic */
    int                stopped, telling;       /* atomic */
    uint64_t           told_ns;                /* of the reporting thread */
};

/* Inspection does not wait for the progress callback. */
static void tell(check *c, uint64_t bytes)
{
    const uint64_t done = __atomic_add_fetch(&c->done, 1, __ATOMIC_RELAXED);
    const uint64_t all = __atomic_add_fetch(&c->bytes_done, bytes, __ATOMIC_RELAXED);
    if (!c->options.progress || __atomic_exchange_n(&c->telling, 1, __ATOMIC_ACQUIRE)) return;
    const uint64_t now = stk_clock_ns();
    if (now - c->told_ns >= tell_every_ns) {
        c->told_ns = now;
        c->options.progress(c->options.progress_context, all, c->bytes_total, done, c->facts.count);
    }
    __atomic_store_n(&c->telling, 0, __ATOMIC_RELEASE);
}

static stk_status look_at_some(worker *w, uint64_t begin, stk_error *err)
{
    check *c = w->owner;
    for (uint64_t i = begin; i < begin + AT_ONCE && i < c->facts.count; i++) {
        stk_error       reason;
        stk_source_item item;
        STK_TRY(stk_cancel_check(c->options.cancel, "health", err));
        STK_TRY(stk_health_look(w->looker, &c->facts.all[i], &reason, err));
        stk_source_item_at(c->facts.source, c->facts.all[i].item, &item);
        tell(c, item.bytes);
    }
    return STK_OK;
}

static void work(stk_task *task, int number)
{
    worker *w = (worker *)task;
    check  *c = w->owner;
    (void)number;
    w->status = stk_health_looker_new(&w->looker, c->facts.source, c->facts.ledger, &w->error);
    while (!w->status && !__atomic_load_n(&c->stopped, __ATOMIC_RELAXED)) {
        const uint64_t begin = __atomic_fetch_add(&c->next, AT_ONCE, __ATOMIC_RELAXED);
        if (begin >= c->facts.count) break;
        w->status = look_at_some(w, begin, &w->error);
    }
    if (w->status) __atomic_store_n(&c->stopped, 1, __ATOMIC_RELAXED);
    stk_health_looker_free(w->looker);
    w->looker = NULL;
}

static stk_status look_at_all(check *c, stk_error *err)
{
    const int        threads = c->options.threads > 0 ? c->options.threads : stk_limits_cores();
    stk_thread_pool *pool = NULL;
    worker          *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers) return stk_fail(err, STK_E_NOMEM, "health", NULL, "no memory for threads");
    stk_status st = stk_thread_pool_start(&pool, threads - 1, "health", err);
    for (int i = 0; !st && i < threads; i++) {
        workers[i] = (worker){.task = {.run = work}, .owner = c};
        stk_thread_pool_submit(pool, &workers[i].task);
    }
    const bool began = !st;
    for (int i = 0; began && i < threads; i++) {
        stk_thread_pool_wait(pool, &workers[i].task);
        if (st || !workers[i].status) continue;
        st = workers[i].status;
        *err = workers[i].error;
    }
    stk_thread_pool_free(pool);
    free(workers);
    return st;
}

/* All items, or as many as are asked for, evenly spread: listings are sorted by split and class. */
static stk_status choose(check *c, stk_blob *memory, stk_error *err)
{
    const uint64_t items = stk_source_count(c->facts.source);
    const uint64_t wanted = c->options.sample ? c->options.sample : SAMPLE;
    const uint64_t count = c->options.all || wanted >= items ? items : wanted;
    STK_TRY(stk_blob_reserve_exact(memory, (size_t)count * sizeof(stk_health_fact), err));
    c->facts.all = (stk_health_fact *)(void *)memory->data;
    c->facts.count = (size_t)count;
    memset(c->facts.all, 0, (size_t)count * sizeof *c->facts.all);
    for (uint64_t i = 0; i < count; i++) {
        stk_source_item item;
        c->facts.all[i].item = (uint64_t)((double)i * (double)items / (double)count);
        stk_source_item_at(c->facts.source, c->facts.all[i].item, &item);
        c->bytes_total += item.bytes;
    }
    return STK_OK;
}

/* The first bad ones are looked at once more, for the reason. */
static stk_status list_bad(const check *c, stk_health_report *report, stk_error *err)
{
    stk_health_looker *looker = NULL;
    for (size_t i = 0; i < c->facts.count; i++)
        report->bad += c->facts.all[i].bad != STK_OK;
    if (!report->bad) return STK_OK;
    const size_t listed = report->bad < STK_HEALTH_BAD ? (size_t)report->bad : STK_HEALTH_BAD;
    report->bad_list = calloc(listed, sizeof *report->bad_list);
    if (!report->bad_list)
        return stk_fail(err, STK_E_NOMEM, "health", NULL, "no memory for a list");
    stk_status st = stk_health_looker_new(&looker, c->facts.source, c->facts.ledger, err);
    for (size_t i = 0; !st && i < c->facts.count && report->bad_listed < listed; i++) {
        stk_health_fact again = {.item = c->facts.all[i].item};
        stk_error       reason = {0};
        if (!c->facts.all[i].bad) continue;
        stk_health_bad *bad = &report->bad_list[report->bad_listed++];
        st = stk_health_look(looker, &again, &reason, err);
        stk_health_name(c->facts.source, again.item, bad->name, sizeof bad->name);
        snprintf(bad->reason, sizeof bad->reason, "%s",
                 again.bad ? reason.message
                           : "it could not be read at first, and a moment later it could: look for "
                             "a failing disk or too many open files");
    }
    stk_health_looker_free(looker);
    return st;
}

static void judge_bad(stk_health_report *report)
{
    stk_health_finding *f = stk_health_add(report, "bad_images", STK_HEALTH_PROBLEM, report->bad);
    if (!f) return;
    stk_health_say(f,
                   "images that cannot be decoded: %" PRIu64 "; mend or remove them, or leave "
                   "them out: --on-bad skip of pack and train",
                   report->bad);
    for (size_t i = 0; i < report->bad_listed && i < STK_HEALTH_EXAMPLES; i++)
        stk_health_example(f, "%.90s: %.100s", report->bad_list[i].name,
                           report->bad_list[i].reason);
}

static void judge_left_out(const stk_source *source, stk_health_report *report)
{
    size_t                     count;
    const stk_source_left_out *all = stk_source_left_outs(source, &count);
    stk_health_level           level = STK_HEALTH_NOTE;
    uint64_t                   total = 0;
    char                       text[300];
    for (size_t i = 0; i < count; i++) {
        total += all[i].count;
        if (all[i].reason == STK_LEFT_OUT_FORMAT || all[i].reason == STK_LEFT_OUT_EMPTY ||
            stk_left_out_is_bad(all[i].reason))
            level = STK_HEALTH_WARNING;
    }
    stk_health_finding *f = stk_health_add(report, "left_out", level, total);
    if (f) stk_health_say(f, "%s", stk_source_left_out_text(source, text, sizeof text));
}

static stk_status judge(const check *c, stk_health_report *report, stk_error *err)
{
    STK_TRY(list_bad(c, report, err));
    judge_bad(report);
    STK_TRY(stk_health_copies(&c->facts, report, err));
    STK_TRY(stk_health_near(&c->facts, report, err));
    STK_TRY(stk_health_classes(c->facts.source, report, err));
    STK_TRY(stk_health_class_names(c->facts.source, report, err));
    STK_TRY(stk_health_sizes(&c->facts, report, err));
    stk_health_kinds(&c->facts, report);
    judge_left_out(c->facts.source, report);
    return STK_OK;
}

stk_status stk_health_check(stk_health_report *out, const stk_source *source,
                            const stk_health_options *options, stk_error *err)
{
    check    c = {.facts = {.source = source}};
    stk_blob memory;
    *out = (stk_health_report){.items = stk_source_count(source)};
    if (options) c.options = *options;
    c.facts.ledger = c.options.ledger;
    stk_blob_init(&memory, c.facts.ledger, STK_MEMORY_INDEX);
    stk_status st = choose(&c, &memory, err);
    if (!st) st = look_at_all(&c, err);
    if (!st) st = judge(&c, out, err);
    if (!st) stk_health_sort(out);
    out->looked_at = c.facts.count;
    stk_blob_release(&memory);
    if (st) stk_health_report_release(out);
    return st;
}

void stk_health_report_release(stk_health_report *report)
{
    free(report->bad_list);
    *report = (stk_health_report){0};
}
