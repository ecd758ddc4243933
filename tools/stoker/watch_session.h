/* A watch session: the monitor, its target, and its outputs. */
#ifndef CLI_TOOLS_WATCH_SESSION_H
#define CLI_TOOLS_WATCH_SESSION_H

#include "command.h"
#include "watch_child.h"
#include "watch_csv.h"
#include "watch_metric.h"

#include <pthread.h>
#include <stoker/monitor.h>
#include <stoker/usage.h>

enum { CLI_WATCH_RECENT = 1024, CLI_WATCH_THREADS = 64 };

typedef struct cli_watch_values {
    bool        json, quiet, view, lines;
    double      interval_s, seconds, csv_interval_s, every_s;
    int64_t     pid;
    const char *csv, *summary, *color, *metric, *link;
} cli_watch_values;

typedef struct cli_watch {
    const cli_invocation   *call;
    const cli_watch_values *values;
    char                    title[256];
    stk_monitor            *monitor;
    stk_machine_info        machine; /* with the link speed given by the user */
    cli_metric_pattern      pattern;
    cli_metric_reader       reader; /* of the command's output */
    cli_child               child;  /* pid 0: none */
    double                  begin_s;
    bool                    on_view;
    double                  interval_s; /* as changed by keys */

    pthread_mutex_t     lock; /* protects the following fields from the monitor's thread */
    cli_csv             csv;
    stk_resource_sample recent[CLI_WATCH_RECENT]; /* a ring */
    size_t              recent_count;             /* samples added so far */
    cli_metric_values   metric;
} cli_watch;

/* Copies the last samples, oldest first; returns how many. */
size_t cli_watch_recent(cli_watch *watch, stk_resource_sample *out, size_t capacity);
/* Statistics of the metric so far. */
cli_metric_values cli_watch_metric(cli_watch *watch);
/* Cores used by this process since the watch began. */
double cli_watch_own(const cli_watch *watch);

/* Runs until the command ends, the time is over, or Ctrl-C: on the full screen, or in lines. */
void cli_watch_on_screen(cli_watch *watch);
void cli_watch_in_lines(cli_watch *watch);
/* Whether the session has ended. */
bool cli_watch_is_over(const cli_watch *watch);
/* Seconds until the next check, at most max. */
double cli_watch_left(const cli_watch *watch, double max);

#endif
