/* One watch: the monitor, what it watches, and where its samples go. */
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
    stk_machine_info        machine; /* with the link that was said */
    cli_metric_pattern      pattern;
    cli_metric_reader       reader; /* of what the command writes */
    cli_child               child;  /* pid 0: none */
    double                  begin_s;
    bool                    on_view;
    double                  interval_s; /* as the keys changed it */

    pthread_mutex_t     lock; /* of what follows: the monitor's thread adds */
    cli_csv             csv;
    stk_resource_sample recent[CLI_WATCH_RECENT]; /* a ring */
    size_t              recent_count;             /* ever added */
    cli_metric_values   metric;
} cli_watch;

/* Copies the last samples, oldest first; returns how many. */
size_t cli_watch_recent(cli_watch *watch, stk_resource_sample *out, size_t capacity);
/* What was found of the metric so far. */
cli_metric_values cli_watch_metric(cli_watch *watch);
/* Cores that this process itself has used since the watch began. */
double cli_watch_own(const cli_watch *watch);

/* Until the command ends, the time is over, or Ctrl-C: on the whole screen, or in lines. */
void cli_watch_on_screen(cli_watch *watch);
void cli_watch_in_lines(cli_watch *watch);
/* Whether there is nothing more to watch. */
bool cli_watch_is_over(const cli_watch *watch);
/* Seconds that may pass until it must be looked at again. */
double cli_watch_left(const cli_watch *watch, double max);

#endif
