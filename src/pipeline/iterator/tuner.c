/* Autotune, driven by the consumer's own calls: no thread, no timer. */
#include "pipeline/iterator/tuner.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>

enum {
    SAMPLE_NS = 1000000, /* results of this much time are one sample */
    RESULTS_MAX = 1024,  /* in a sample, before the clock is looked at all the same */
    WARM_UP_SAMPLES = 5, /* samples after a change before it counts */
    KNOBS = 4,           /* of each queue */
    TARGET_MIN = 12500,  /* of a piece of work, in ns */
    TARGET_MAX = 1600000,
    CAPACITY_MAX = 1 << 17
};

static const uint64_t warm_up_ns = 100000000; /* chunks find their size first */
static const uint64_t first_rest_ns = 2000000000, rest_ns_max = 60000000000;

void stk_tuner_init(stk_tuner *tuner, stk_run *run)
{
    *tuner = (stk_tuner){
        .run = run, .rest_ns = first_rest_ns, .rest_until_ns = stk_clock_ns() + warm_up_ns};
}

/* A queue twice as long may hold an eighth of the ceiling at most. */
static bool memory_allows_more(const stk_run *run, const stk_node_counters *counters,
                               uint64_t capacity)
{
    uint64_t held, ceiling;
    stk_ledger_total(stk_run_options_of(run)->ledger, &held, &ceiling);
    const uint64_t each = __atomic_load_n(&counters->item_bytes, __ATOMIC_RELAXED) + 1;
    return held < ceiling / 2 && capacity * 2 < ceiling / 8 / each;
}

/* The trial value of knob turn of a queue; 0: unchanged. */
static uint64_t propose(stk_run *run, stk_node_counters *counters, int knob, uint64_t **at,
                        uint64_t *now)
{
    const bool capacity = knob < 2;
    if (__atomic_load_n(capacity ? &counters->capacity_is_pinned : &counters->unit_size_is_pinned,
                        __ATOMIC_RELAXED))
        return 0;
    *at = capacity ? &counters->tuned_capacity : &counters->tuned_target_ns;
    *now = __atomic_load_n(*at, __ATOMIC_RELAXED);
    if (!*now)
        *now = __atomic_load_n(capacity ? &counters->queue_limit : &counters->target_ns,
                               __ATOMIC_RELAXED);
    if (!*now) return 0;
    switch (knob) {
    case 0:
        return *now < CAPACITY_MAX && memory_allows_more(run, counters, *now) ? *now * 2 : 0;
    case 1:
        return *now > 2 ? *now / 2 : 0;
    case 2:
        return *now <= TARGET_MAX / 4 ? *now * 4 : 0;
    default:
        return *now >= TARGET_MIN * 4 ? *now / 4 : 0;
    }
}

/* The turn-th pair of queue and knob; false when there are no more. */
static bool find_turn(stk_tuner *tuner, stk_node_counters **counters, int *knob)
{
    size_t turn = tuner->turn;
    for (stk_node_counters *one = stk_run_counters(tuner->run); one; one = one->next) {
        if (!one->runs_ahead) continue;
        if (turn < KNOBS) {
            *counters = one;
            *knob = (int)turn;
            return true;
        }
        turn -= KNOBS;
    }
    return false;
}

static void set(stk_tuner *tuner, uint64_t value)
{
    __atomic_store_n(tuner->knob, value, __ATOMIC_RELAXED);
    stk_run_wake(tuner->run);
}

/* All knobs had their turn: again at once when one helped, else after a rest that doubles. */
static void end_round(stk_tuner *tuner, uint64_t now)
{
    tuner->turn = 0;
    if (tuner->kept_one) {
        tuner->rest_ns = first_rest_ns;
    } else {
        tuner->rest_until_ns = now + tuner->rest_ns;
        tuner->rest_ns = tuner->rest_ns * 2 < rest_ns_max ? tuner->rest_ns * 2 : rest_ns_max;
    }
    tuner->kept_one = false;
}

static void begin_trial(stk_tuner *tuner, uint64_t now)
{
    stk_node_counters *counters;
    int                knob;
    while (find_turn(tuner, &counters, &knob)) {
        tuner->turn++;
        const uint64_t after = propose(tuner->run, counters, knob, &tuner->knob, &tuner->before);
        if (!after) continue;
        tuner->counters = counters;
        tuner->put_back = __atomic_load_n(tuner->knob, __ATOMIC_RELAXED);
        tuner->after = after;
        tuner->trying = true;
        tuner->warm_up_left = WARM_UP_SAMPLES;
        tuner->challenger = (stk_running_stats){0};
        set(tuner, after);
        return;
    }
    end_round(tuner, now);
    tuner->incumbent = (stk_running_stats){0};
}

static void tell(stk_tuner *tuner, bool kept)
{
    char name[48], evidence[160];
    snprintf(name, sizeof name, "%s.%s", tuner->counters->op->name,
             tuner->knob == &tuner->counters->tuned_capacity ? "capacity" : "chunk_ns");
    snprintf(evidence, sizeof evidence,
             "%.4g -> %.4g us an element (2 standard errors: %.3g), waited %.1f %% of the time",
             tuner->incumbent.mean / 1e3, tuner->challenger.mean / 1e3,
             2e-3 * hypot(stk_running_stats_error(&tuner->challenger),
                          stk_running_stats_error(&tuner->incumbent)),
             100 * tuner->wait_fraction);
    stk_run_decide(tuner->run, name, (double)tuner->before, (double)tuner->after, evidence, kept);
}

static void end_trial(stk_tuner *tuner)
{
    const bool kept = stk_running_stats_is_better(&tuner->challenger, &tuner->incumbent);
    tell(tuner, kept);
    tuner->trying = false;
    if (kept) {
        tuner->incumbent = tuner->challenger;
        tuner->kept_one = true;
        tuner->turn--; /* the same again: it may help further */
        return;
    }
    set(tuner, tuner->put_back);
    tuner->warm_up_left = WARM_UP_SAMPLES;
    tuner->incumbent = (stk_running_stats){0};
}

/* One sample is complete. */
static void take_sample(stk_tuner *tuner, double ns_per_result, uint64_t now, uint64_t wait_ns)
{
    if (tuner->warm_up_left) {
        tuner->warm_up_left--;
        return;
    }
    stk_running_stats *trial = tuner->trying ? &tuner->challenger : &tuner->incumbent;
    if (!trial->count) {
        tuner->round_begin_ns = now;
        tuner->round_wait_ns = wait_ns;
    }
    stk_running_stats_add(trial, ns_per_result);
    if (!stk_running_stats_is_full(trial)) return;
    tuner->wait_fraction = fmin(1, (double)(wait_ns - tuner->round_wait_ns) /
                                       (double)(now - tuner->round_begin_ns + 1));
    if (tuner->trying)
        end_trial(tuner);
    else if (now >= tuner->rest_until_ns && tuner->wait_fraction > 0.01)
        begin_trial(tuner, now);
    else
        tuner->incumbent =
            (stk_running_stats){0}; /* the consumer does not wait, or a rest is due */
}

void stk_tuner_note(stk_tuner *tuner, uint64_t wait_ns)
{
    const uint64_t results = ++tuner->results;
    /* Powers of two and then every RESULTS_MAX: few looks at the clock for cheap results. */
    if ((results & (results - 1)) != 0 && results % RESULTS_MAX != 0) return;
    const uint64_t now = stk_clock_ns();
    if (tuner->begin_ns && now - tuner->begin_ns < SAMPLE_NS) return;
    if (tuner->begin_ns)
        take_sample(tuner, (double)(now - tuner->begin_ns) / (double)results, now, wait_ns);
    tuner->begin_ns = now;
    tuner->results = 0;
}
