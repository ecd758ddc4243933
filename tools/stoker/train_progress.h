/* A progress line of training, and a permanent line per evaluation. Always stderr. */
#ifndef CLI_TOOLS_TRAIN_PROGRESS_H
#define CLI_TOOLS_TRAIN_PROGRESS_H

#include "left_out.h"

#include <pthread.h>
#include <stoker/monitor.h>
#include <stoker/train.h>

typedef struct cli_train_watch {
    pthread_mutex_t lock; /* protects the following fields: steps, reports and log lines come from
                             three threads */
    bool               quiet;    /* show nothing */
    bool               terminal; /* stderr is a terminal */
    bool               drawn;    /* a line is on the terminal */
    bool               reported; /* last is of this run */
    int64_t            batch;
    int64_t            first_step; /* of this run */
    stk_train_progress last;       /* the last report */
    uint64_t           begin_ns, shown_ns, reported_ns;
    stk_monitor       *monitor; /* counts each step; NULL: none. Set before the first */
    cli_left_out       left_out;
} cli_train_watch;

void cli_train_watch_init(cli_train_watch *watch, int64_t batch, bool quiet);
void cli_train_watch_release(cli_train_watch *watch);

/* A trainer's callback; watch must outlive the trainer. */
stk_callback cli_train_watch_callback(cli_train_watch *watch);
/* Prints a line of the trainer, for stk_trainer_options.log. */
void cli_train_watch_log(void *context, const char *line);
/* Clears the line. */
void cli_train_watch_end(cli_train_watch *watch);

#endif
