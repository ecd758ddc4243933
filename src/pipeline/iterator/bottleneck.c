/* Three cases: the consumer is slower than the data; all threads are busy, and the operator with
 * most of their time is the bottleneck; threads are idle, and it is the operator that runs alone or
 * waits. */
#include "pipeline/iterator/bottleneck.h"

#include <stdio.h>

enum {
    CONSUMER_PERCENT = 5, /* less waiting than this is none */
    BUSY_PERCENT = 75,    /* of all threads' time: there are none to spare */
    ALONE_PERCENT = 60    /* of the time: a single-threaded operator is the bottleneck */
};

static double own_seconds(const stk_operator_stats *stage)
{
    return (double)stage->busy_ns * 1e-9;
}

static size_t stages_of(const stk_iterator_report *report)
{
    const size_t capacity = sizeof report->stages / sizeof *report->stages;
    return report->stage_count < capacity ? report->stage_count : capacity;
}

/* The operator with the most own time, and the time of all. */
static const stk_operator_stats *busiest(const stk_iterator_report *report, double *all)
{
    const stk_operator_stats *slowest = NULL;
    *all = 0;
    for (size_t i = 0; i < stages_of(report); i++) {
        const stk_operator_stats *stage = &report->stages[i];
        *all += own_seconds(stage);
        if (!slowest || stage->busy_ns > slowest->busy_ns) slowest = stage;
    }
    return slowest;
}

static const char *label(const stk_operator_stats *stage)
{
    return stage->stage == STK_STAGE_READ ? "S1" : "S2";
}

static void say_threads_are_busy(const stk_operator_stats *stage, double all, double thread_seconds,
                                 char *text, size_t capacity)
{
    const double own = own_seconds(stage);
    snprintf(text, capacity,
             "%s %s limits: %.0f %% of the threads' time; at half its cost the rate would rise by "
             "%.0f %%, or add threads",
             label(stage), stage->name, 100 * own / thread_seconds,
             100 * (all / (all - own / 2) - 1));
}

/* Without it the operators that run concurrently would set the pace. */
static void say_it_works_alone(const stk_operator_stats *stage, double all, double seconds,
                               int threads, char *text, size_t capacity)
{
    const double own = own_seconds(stage), left = (all - own) / threads;
    const double after = left > own / 2 ? left : own / 2;
    snprintf(text, capacity,
             "%s %s limits: one thread runs it, %.0f %% of the time; at half its cost the rate "
             "would rise by up to %.0f %%",
             label(stage), stage->name, 100 * own / seconds, 100 * (own / after - 1));
}

void stk_bottleneck_find(const stk_iterator_report *report, char *text, size_t capacity)
{
    double                    all;
    const stk_operator_stats *slowest = busiest(report, &all);
    const double              seconds = report->seconds, thread_seconds = seconds * report->threads;
    if (!report->elements || !slowest || seconds <= 0) {
        snprintf(text, capacity, "nothing was given yet");
        return;
    }
    const double waited = 100 * report->wait_seconds / seconds;
    if (waited < CONSUMER_PERCENT)
        snprintf(text, capacity, "the consumer limits: it waited %.1f %% of the time for data",
                 waited);
    else if (100 * all > BUSY_PERCENT * thread_seconds)
        say_threads_are_busy(slowest, all, thread_seconds, text, capacity);
    else if (100 * own_seconds(slowest) > ALONE_PERCENT * seconds &&
             own_seconds(slowest) <= seconds)
        say_it_works_alone(slowest, all, seconds, report->threads, text, capacity);
    else
        snprintf(text, capacity,
                 "%s %s limits: the threads work %.0f %% of the time; the rest they wait, for "
                 "storage or for each other",
                 label(slowest), slowest->name, 100 * all / thread_seconds);
}
