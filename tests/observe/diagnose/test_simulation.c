/* The simulation predicts what a simulator that shares nothing with it really gives. */
#include "harness.h"
#include "simulator.h"

#include <math.h>
#include <stdio.h>

enum { WARM = 20 };

static const double variations[] = {0.1, 0.5, 1.0};
static const int    helper_counts[] = {0, 1, 3};

typedef struct fault {
    stk_stage stage;
    double    mean_ns;
    int64_t   every;
} fault;

static const fault faults[] = {
    {STK_STAGE_READ, 8e6, 0},           {STK_STAGE_PREPROCESS, 20e6, 0},
    {STK_STAGE_HOST_TO_DEVICE, 3e6, 0}, {STK_STAGE_ALLREDUCE, 2e6, 0},
    {STK_STAGE_DEVICE_TO_HOST, 2e6, 0}, {STK_STAGE_OUTPUT, 5e6, 0},
    {STK_STAGE_WRITE, 3e7, 10},         {STK_STAGE_COMPUTE, 4e6, 0},
};

static simulation with_fault(const fault *f, double cv, int helpers)
{
    simulation s = simulation_usual();
    s.helpers = helpers;
    s.mean_ns[f->stage] = f->mean_ns;
    s.every[f->stage] = f->every;
    for (int k = 0; k < STK_STAGE_COUNT; k++)
        s.cv[k] = cv;
    return s;
}

static double rate_of_list(const stk_profile *p)
{
    double ns = 0, samples = 0;
    for (size_t i = WARM; i < p->step_count; i++) {
        ns += (double)p->step_list[i].ns;
        samples += p->step_list[i].samples;
    }
    return samples / ns * 1e9;
}

static void expect_near(double expected, double actual, double share, const char *what)
{
    if (fabs(actual / expected - 1) <= share) return;
    fail_msg("%s: %.1f samples/s, predicted %.1f (%+.1f %%, at most %.0f %%)", what, expected,
             actual, 100 * (actual / expected - 1), 100 * share);
}

static void judge(const simulation *s, stk_stage stage, double factor, double share)
{
    stk_profile p;
    stk_what_if what;
    simulation  after = *s;
    char        name[128];
    stk_profile_init(&p);
    simulate(s, &p);
    stk_what_if_init(&what);
    snprintf(name, sizeof name, "%s, CV %.1f, %d helpers, as it was", stk_stage_name(stage),
             s->cv[stage], s->helpers);
    expect_near(rate_of_list(&p), stk_simulate(&p, &what).value, 0.01, name);
    what.factor[stage] = factor;
    after.mean_ns[stage] *= factor;
    snprintf(name, sizeof name, "%s x %g, CV %.1f, %d helpers", stk_stage_name(stage), factor,
             s->cv[stage], s->helpers);
    expect_near(simulated_rate(&after), stk_simulate(&p, &what).value, share, name);
    stk_profile_release(&p);
}

static void judge_all(double factor)
{
    for (size_t f = 0; f < COUNT_OF(faults); f++)
        for (size_t v = 0; v < COUNT_OF(variations); v++)
            for (size_t h = 0; h < COUNT_OF(helper_counts); h++) {
                if (faults[f].stage == STK_STAGE_COMPUTE && factor == 0) continue;
                const simulation s = with_fault(&faults[f], variations[v], helper_counts[h]);
                judge(&s, faults[f].stage, factor, variations[v] < 1 ? 0.02 : 0.05);
            }
}

STK_TEST(removing_a_stage_is_predicted)
{
    judge_all(0);
}

STK_TEST(halving_a_stage_is_predicted)
{
    judge_all(0.5);
}

/* A little of S1 on the training thread is no reader that keeps up just so. */
STK_TEST(reads_of_the_training_thread_stay_what_they_are)
{
    static const double reads[] = {1e4, 1e5, 5e6};
    for (size_t f = 0; f < COUNT_OF(faults); f++)
        for (size_t i = 0; i < COUNT_OF(reads); i++) {
            simulation s = with_fault(&faults[f], 0.3, 0);
            s.reads_inline = true;
            if (faults[f].stage != STK_STAGE_READ) s.mean_ns[STK_STAGE_READ] = reads[i];
            judge(&s, faults[f].stage, 0.5, 0.02);
        }
}

/* Reads that are waited for in few steps, and are under way seldom, do not hold the others up. */
STK_TEST(a_few_late_reads_are_no_limit)
{
    simulation  before = with_fault(&faults[5], 0.1, 0), after;
    stk_profile p;
    stk_what_if what;
    before.every[STK_STAGE_READ] = 100;
    before.mean_ns[STK_STAGE_READ] = 4e7;
    after = before;
    after.mean_ns[STK_STAGE_OUTPUT] = 0;
    stk_profile_init(&p);
    simulate(&before, &p);
    stk_what_if_init(&what);
    what.factor[STK_STAGE_OUTPUT] = 0;
    expect_near(simulated_rate(&after), stk_simulate(&p, &what).value, 0.08, "without S7");
    stk_profile_release(&p);
}

static void judge_change(const simulation *before, const simulation *after, const stk_what_if *what,
                         double share, const char *name)
{
    stk_profile p;
    stk_profile_init(&p);
    simulate(before, &p);
    expect_near(simulated_rate(after), stk_simulate(&p, what).value, share, name);
    stk_profile_release(&p);
}

STK_TEST(more_threads_are_predicted)
{
    simulation  before = with_fault(&faults[1], 0.5, 1), after = before;
    stk_what_if what;
    stk_what_if_init(&what);
    what.servers = after.helpers = 3;
    judge_change(&before, &after, &what, 0.03, "three helpers instead of one");
}

STK_TEST(a_deeper_queue_is_predicted)
{
    const fault even = {STK_STAGE_PREPROCESS, 8e6, 0};
    simulation  before = with_fault(&even, 1.0, 2);
    before.buffer = 1;
    simulation  after = before;
    stk_what_if what;
    stk_what_if_init(&what);
    what.buffer = after.buffer = 16;
    judge_change(&before, &after, &what, 0.05, "16 batches ahead instead of one");
}

STK_TEST(a_stage_on_a_thread_of_its_own_is_predicted)
{
    const fault callback = {STK_STAGE_OUTPUT, 2e6, 0};
    simulation  before = with_fault(&callback, 0.1, 2), after = before;
    stk_what_if what;
    stk_what_if_init(&what);
    what.apart[STK_STAGE_OUTPUT] = true;
    after.mean_ns[STK_STAGE_OUTPUT] = 0;
    judge_change(&before, &after, &what, 0.02, "callbacks that fit beside the steps");
    before.mean_ns[STK_STAGE_OUTPUT] = 8e6;
    after.mean_ns[STK_STAGE_OUTPUT] = 8e6 - 4.06e6;
    judge_change(&before, &after, &what, 0.03, "callbacks that are slower than the steps");
}

/* {cores, threads of compute, helpers} */
static const int crowds[][3] = {{2, 2, 1}, {2, 2, 2}, {4, 4, 1}, {4, 3, 3}, {4, 2, 1}};

static simulation crowded(const int *crowd, double prepare_ns)
{
    simulation s = simulation_usual();
    s.cores = crowd[0];
    s.threads = crowd[1];
    s.helpers = crowd[2];
    s.mean_ns[STK_STAGE_PREPROCESS] = prepare_ns;
    return s;
}

static void judge_stage_of_crowd(const int *crowd, double prepare_ns, stk_stage stage, double by)
{
    const simulation before = crowded(crowd, prepare_ns);
    simulation       after = before;
    stk_what_if      what;
    char             name[128];
    stk_what_if_init(&what);
    what.factor[stage] = by;
    after.mean_ns[stage] *= by;
    snprintf(name, sizeof name, "%d cores, %d threads, %d helpers, S2 %.0f us, %s x %g", crowd[0],
             crowd[1], crowd[2], prepare_ns / 1e3, stk_stage_name(stage), by);
    judge_change(&before, &after, &what, 0.02, name);
}

STK_TEST(threads_that_share_cores_are_predicted)
{
    static const double work[] = {5e5, 2e6, 8e6}, by[] = {0.5, 1.5, 2, 4};
    for (size_t c = 0; c < COUNT_OF(crowds); c++)
        for (size_t w = 0; w < COUNT_OF(work); w++) {
            for (size_t f = 0; f < COUNT_OF(by); f++)
                judge_stage_of_crowd(crowds[c], work[w], STK_STAGE_PREPROCESS, by[f]);
            judge_stage_of_crowd(crowds[c], work[w], STK_STAGE_COMPUTE, 2);
        }
}

STK_TEST(compute_on_fewer_threads_is_predicted)
{
    simulation  before = crowded(crowds[0], 2e6), after = before;
    stk_what_if what;
    stk_what_if_init(&what);
    what.threads = after.threads = 1;
    after.mean_ns[STK_STAGE_COMPUTE] *= 2;
    judge_change(&before, &after, &what, 0.02, "one thread of compute instead of two");
}

STK_TEST(more_helpers_on_shared_cores_are_predicted)
{
    simulation  before = crowded(crowds[0], 4e6), after = before;
    stk_what_if what;
    stk_what_if_init(&what);
    what.servers = after.helpers = 3;
    what.factor[STK_STAGE_COMPUTE] = 2;
    after.mean_ns[STK_STAGE_COMPUTE] *= 2;
    judge_change(&before, &after, &what, 0.02, "compute twice as slow, three helpers");
}

STK_TEST(more_threads_than_cores_help_nobody)
{
    simulation  s = with_fault(&faults[1], 0.1, 0);
    stk_profile p;
    stk_what_if what;
    stk_profile_init(&p);
    simulate(&s, &p);
    p.machine.cores = p.run.threads = 2;
    stk_what_if_init(&what);
    const double before = stk_simulate(&p, &what).value;
    what.servers = 1;
    expect_near(before, stk_simulate(&p, &what).value, 0.02, "a helper without a core of its own");
    stk_profile_release(&p);
}

STK_TEST(an_interval_holds_its_value_and_is_wider_with_fewer_steps)
{
    simulation   s = with_fault(&faults[5], 0.5, 0);
    stk_profile  p;
    stk_what_if  what;
    stk_estimate many, few;
    stk_profile_init(&p);
    simulate(&s, &p);
    stk_what_if_init(&what);
    many = stk_simulate(&p, &what);
    p.step_count = 100;
    few = stk_simulate(&p, &what);
    EXPECT(many.low < many.value && many.value < many.high);
    EXPECT(few.high - few.low > 2 * (many.high - many.low));
    stk_profile_release(&p);
}

STK_TEST(a_recording_without_steps_predicts_nothing)
{
    stk_profile p;
    stk_what_if what;
    stk_profile_init(&p);
    stk_what_if_init(&what);
    EXPECT(stk_simulate(&p, &what).value == -1);
}
