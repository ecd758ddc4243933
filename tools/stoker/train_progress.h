/* One line about training as it goes on, and one that stays for every evaluation. Always stderr. */
#ifndef CLI_TOOLS_TRAIN_PROGRESS_H
#define CLI_TOOLS_TRAIN_PROGRESS_H

#include "left_out.h"

#include <pthread.h>
#include <stoker/monitor.h>
#include <stoker/train.h>

typedef struct cli_train_watch {
    pthread_mutex_t    lock;  /* over all below: steps, reports and log lines are three threads' */
    bool               quiet; /* show nothing */
    bool               terminal; /* stderr is one */
    bool               drawn;    /* a line stands on the terminal */
    bool               reported; /* last is of this run */
    int64_t            batch;
    int64_t            first_step; /* of this run */
    stk_train_progress last;       /* the last report */
    uint64_t           begin_ns, shown_ns, reported_ns;
    stk_monitor       *monitor; /* is told of each step; NULL: none. Set before the first */
    cli_left_out       left_out;
} cli_train_watch;

void cli_train_watch_init(cli_train_watch *watch, int64_t batch, bool quiet);
void cli_train_watch_release(cli_train_watch *watch);

/* The callback of a trainer; watch must outlive it. */
stk_callback cli_train_watch_callback(cli_train_watch *watch);
/* A line of the trainer's own, for stk_trainer_options.log. */
void cli_train_watch_log(void *context, const char *line);
/* Takes the line off the terminal. */
void cli_train_watch_end(cli_train_watch *watch);

#endif
