/* Three cases: the consumer is slower than the data; all threads are busy, and the stage that takes
 * most of their time is the limit; threads are idle, and it is the stage that works alone or waits.
 */
#include "pipeline/iterator/bottleneck.h"

#include <stdio.h>

enum {
    CONSUMER_PERCENT = 5, /* less waiting than this is none */
    BUSY_PERCENT = 75,    /* of all threads' time: there are none to spare */
    ALONE_PERCENT = 60    /* of the time: a stage that only one thread runs is the limit */
};

static double own_seconds(const stk_operator_stats *stage)
{
    return (double)stage->busy_ns * 1e-9;
}

static size_t stages_of(const stk_iterator_report *report)
{
    const size_t room = sizeof report->stages / sizeof *report->stages;
    return report->stage_count < room ? report->stage_count : room;
}

/* The stage with the most time of its own, and the time of all. */
static const stk_operator_stats *busiest(const stk_iterator_report *report, double *all)
{
    const stk_operator_stats *most = NULL;
    *all = 0;
    for (size_t i = 0; i < stages_of(report); i++) {
        const stk_operator_stats *stage = &report->stages[i];
        *all += own_seconds(stage);
        if (!most || stage->busy_ns > most->busy_ns) most = stage;
    }
    return most;
}

static const char *label(const stk_operator_stats *stage)
{
    return stage->stage == STK_STAGE_READ ? "S1" : "S2";
}

static void say_threads_are_busy(const stk_operator_stats *stage, double all, double capacity,
                                 char *text, size_t room)
{
    const double own = own_seconds(stage);
    snprintf(text, room,
             "%s %s limits: %.0f %% of the threads' time; at half its cost the rate would rise by "
             "%.0f %%, or add threads",
             label(stage), stage->name, 100 * own / capacity, 100 * (all / (all - own / 2) - 1));
}

/* Without it the stages that run beside it would set the pace. */
static void say_it_works_alone(const stk_operator_stats *stage, double all, double seconds,
                               int threads, char *text, size_t room)
{
    const double own = own_seconds(stage), left = (all - own) / threads;
    const double after = left > own / 2 ? left : own / 2;
    snprintf(text, room,
             "%s %s limits: one thread runs it, %.0f %% of the time; at half its cost the rate "
             "would rise by up to %.0f %%",
             label(stage), stage->name, 100 * own / seconds, 100 * (own / after - 1));
}

void stk_bottleneck_find(const stk_iterator_report *report, char *text, size_t room)
{
    double                    all;
    const stk_operator_stats *most = busiest(report, &all);
    const double              seconds = report->seconds, capacity = seconds * report->threads;
    if (!report->elements || !most || seconds <= 0) {
        snprintf(text, room, "nothing was given yet");
        return;
    }
    const double waited = 100 * report->wait_seconds / seconds;
    if (waited < CONSUMER_PERCENT)
        snprintf(text, room, "the consumer limits: it waited %.1f %% of the time for data", waited);
    else if (100 * all > BUSY_PERCENT * capacity)
        say_threads_are_busy(most, all, capacity, text, room);
    else if (100 * own_seconds(most) > ALONE_PERCENT * seconds && own_seconds(most) <= seconds)
        say_it_works_alone(most, all, seconds, report->threads, text, room);
    else
        snprintf(text, room,
                 "%s %s limits: the threads work %.0f %% of the time; the rest they wait, for "
                 "storage or for each other",
                 label(most), most->name, 100 * all / capacity);
}
