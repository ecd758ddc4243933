/* Rewinding: positions are saved now and then, for at most a hundredth of the time; far below the
 * ceiling they cost nothing. */
#include "pipeline/iterator/rewind.h"

#include "base/clock.h"
#include "base/large.h"
#include "base/ledger_pressure.h"
#include "pipeline/iterator/iterator_checkpoint.h"
#include "pipeline/iterator/iterator_internal.h"
#include "pipeline/runtime/run_io.h"

#include <inttypes.h>

enum {
    NEAR_PART = 8, /* fraction of the ceiling: above it positions are saved more often */
    WORTH_OF_ITS_COST = 100,
    SMALL_POSITION = 1 << 20, /* smaller positions are not accounted for */
    MARGIN_PART = 4           /* reserve relative to the memory of the oldest work */
};

static const uint64_t near_ns = 250000000, far_ns = 4000000000, ease_ns = 30000000000;

static stk_ledger *ledger_of(const stk_iterator *it)
{
    return stk_run_options_of(it->run)->ledger;
}

void stk_rewind_init(stk_rewind *rewind, const stk_iterator *it)
{
    *rewind = (stk_rewind){.relaxed = stk_node_is_relaxed(it->run, it->plan)};
    stk_blob_init(&rewind->position, NULL, STK_MEMORY_INDEX);
}

static void drop_position(stk_rewind *rewind, const stk_iterator *it)
{
    stk_ledger_release(ledger_of(it), STK_MEMORY_INDEX, rewind->reserved);
    rewind->reserved = 0;
    stk_blob_release(&rewind->position);
}

void stk_rewind_release(stk_rewind *rewind, const stk_iterator *it)
{
    if (it->run) drop_position(rewind, it);
}

/* Takes over the blob's bytes, also on failure. */
static bool put_position(stk_iterator *it, stk_blob *position)
{
    stk_rewind    *r = &it->rewind;
    const uint64_t bytes = position->size > SMALL_POSITION ? position->capacity : 0;
    if (bytes && stk_ledger_reserve(ledger_of(it), STK_MEMORY_INDEX, bytes, NULL)) {
        stk_blob_release(position);
        return false;
    }
    drop_position(r, it);
    r->position = *position;
    stk_blob_init(position, NULL, STK_MEMORY_INDEX);
    r->reserved = bytes;
    r->since = 0;
    r->stale = false;
    return true;
}

/* If saving fails, the former position stays; but without memory for the first one, a few bytes,
 * nothing can work. */
static stk_status keep_position(stk_iterator *it, uint64_t now, stk_error *err)
{
    stk_rewind *r = &it->rewind;
    stk_blob    position;
    stk_blob_init(&position, NULL, STK_MEMORY_INDEX);
    r->torn = false;
    const stk_status st = stk_iterator_save(it, &position, err);
    if (st) stk_blob_release(&position);
    if (st == STK_E_NOMEM && !r->kept_ns) return st;
    r->kept_ns = now;
    r->cost_ns = stk_clock_ns() - now;
    if ((st || !put_position(it, &position)) && r->stale) drop_position(r, it);
    return STK_OK;
}

static bool holds_much(const stk_iterator *it)
{
    uint64_t held, ceiling;
    stk_ledger_total(ledger_of(it), &held, &ceiling);
    return held > ceiling / NEAR_PART;
}

static bool is_due(const stk_iterator *it, bool looked, uint64_t *now)
{
    const stk_rewind *r = &it->rewind;
    *now = 0;
    if (!r->kept_ns || r->stale || (r->relaxed && holds_much(it))) {
        *now = stk_clock_ns();
        return true;
    }
    if (!looked) return false;
    *now = stk_clock_ns();
    const uint64_t since = *now - r->kept_ns;
    return since > (holds_much(it) ? near_ns : far_ns) && since > r->cost_ns * WORTH_OF_ITS_COST;
}

/* After a while without meeting the ceiling, more may run ahead again. A mistake costs another way
 * back. */
static void ease(stk_iterator *it, uint64_t now)
{
    stk_rewind *r = &it->rewind;
    if (!r->eased_ns || now - r->eased_ns < ease_ns) return;
    r->eased_ns = now;
    stk_run_keep_free(it->run, stk_run_kept_free(it->run) / 2);
    stk_run_set_serial(it->run, false);
}

stk_status stk_rewind_prepare(stk_iterator *it, bool looked, stk_error *err)
{
    uint64_t now;
    if (is_due(it, looked, &now)) STK_TRY(keep_position(it, now, err));
    if (looked && now) ease(it, now);
    return STK_OK;
}

void stk_rewind_returned(stk_iterator *it, uint64_t count, stk_status status)
{
    stk_rewind *r = &it->rewind;
    r->since += count;
    if (!stk_status_is_environment(status)) return;
    /* The result cannot be replayed: an earlier position leads elsewhere. */
    r->torn =
        status == STK_E_CANCELLED && r->position.size && !r->stale && !(r->relaxed && r->since);
    r->stale = true;
}

stk_status stk_rewind_save(stk_iterator *it, stk_blob *out, stk_error *err)
{
    const stk_rewind *r = &it->rewind;
    stk_checkpoint    head;
    stk_state_in      in;
    STK_TRY(stk_checkpoint_read(stk_blob_bytes(&r->position), &head, &in, it->plan, err));
    head.elements = it->elements;
    head.after += r->since;
    return stk_checkpoint_write_state(out, &head, in.left, err);
}

void stk_rewind_restored(stk_iterator *it, stk_blob *saved)
{
    stk_rewind *r = &it->rewind;
    if (!put_position(it, saved)) drop_position(r, it);
    r->failure.status = STK_OK;
    r->torn = false;
    r->kept_ns = stk_clock_ns();
}

/* Makes a fresh tree at the saved position and skips the results returned since. */
static stk_status go_to_position(stk_iterator *it, stk_error *err)
{
    stk_rewind    *r = &it->rewind;
    stk_checkpoint head;
    stk_state_in   in;
    uint64_t       passed;
    STK_TRY(stk_checkpoint_read(stk_blob_bytes(&r->position), &head, &in, it->plan, err));
    in.ledger = ledger_of(it);
    STK_TRY(stk_node_open(&it->root, it->run, it->plan, (stk_node_context){.seed = it->seed}, err));
    STK_TRY(stk_node_restore(it->root, &in, err));
    STK_TRY(stk_node_discard(it->root, head.after + r->since, &passed, err));
    if (passed == head.after + r->since) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "pipeline", NULL,
                    "the data gave %" PRIu64 " results when it was read again at the memory "
                    "ceiling, and %" PRIu64 " before: it was changed meanwhile",
                    passed, head.after + r->since);
}

static bool can_go_back(const stk_iterator *it)
{
    const stk_rewind *r = &it->rewind;
    return r->position.size && !r->stale && !stk_run_is_serial(it->run) &&
           !(r->relaxed && r->since);
}

void stk_rewind_drop_tree(stk_iterator *it)
{
    stk_node_free(it->root);
    it->root = NULL;
    stk_run_io_quiesce(it->run);
    /* Small elements were of other threads' heaps, which the next ones are not taken from. */
    stk_large_trim();
    stk_run_set_serial(it->run, true);
    stk_ledger_watch_peak(ledger_of(it));
}

/* All that ran ahead is dropped before anything is made again. */
static stk_status go_back(stk_iterator *it, stk_error *err)
{
    stk_rewind_drop_tree(it);
    stk_status st = go_to_position(it, err);
    if (!st) return STK_OK;
    stk_node_free(it->root);
    it->root = NULL;
    it->rewind.failure = *err;
    return st;
}

/* So much is kept free from now on as the result took beyond what stays; each time at least twice
 * as much as before. Where that is all there is, the run stays serial for a while. */
static void learn(stk_iterator *it, uint64_t given_bytes)
{
    uint64_t held, ceiling;
    stk_ledger_total(ledger_of(it), &held, &ceiling);
    const uint64_t peak = stk_ledger_watched_peak(ledger_of(it));
    const uint64_t took = (peak > held ? peak - held : 0) + given_bytes;
    const uint64_t before = stk_run_kept_free(it->run);
    uint64_t       keep = took + took / MARGIN_PART;
    if (keep < 2 * before) keep = 2 * before;
    stk_run_keep_free(it->run, keep);
    stk_run_set_serial(it->run, keep >= ceiling);
    it->rewind.eased_ns = stk_clock_ns();
    stk_run_log(it->run,
                "memory: the ceiling of %" PRIu64 " MB was met; what ran ahead was dropped and %s",
                ceiling / 1000000,
                keep >= ceiling ? "results are made one at a time" : "less runs ahead from now on");
}

stk_status stk_rewind_next(stk_iterator *it, stk_element **out, stk_error *err)
{
    if (!can_go_back(it)) return STK_E_CEILING;
    STK_TRY(go_back(it, err));
    const stk_status st = stk_node_next(it->root, out, err);
    learn(it, !st && *out ? stk_element_bytes(*out) : 0);
    return st;
}

stk_status stk_rewind_skip(stk_iterator *it, uint64_t count, uint64_t *skipped, stk_error *err)
{
    *skipped = 0;
    if (!can_go_back(it)) return STK_E_CEILING;
    STK_TRY(go_back(it, err));
    const stk_status st = stk_node_discard(it->root, count, skipped, err);
    learn(it, 0);
    return st;
}
