/* Serves a run in the browser during training. */
#ifndef CLI_TOOLS_TRAIN_LIVE_H
#define CLI_TOOLS_TRAIN_LIVE_H

#include "options.h"
#include "train_learning.h"

#include <stoker/monitor.h>
#include <stoker/tracer.h>
#include <stoker/train.h>

/* Values of --serve, --serve-address and --serve-token-file. */
typedef struct cli_serve_values {
    int64_t     port; /* SERVE_OFF: no server; SERVE_USUAL: 8090 or the next free one */
    const char *address, *token_file; /* NULL: not given */
} cli_serve_values;

enum { CLI_SERVE_OFF = -2, CLI_SERVE_USUAL = -1 };

#define CLI_SERVE_OPTIONS(type, member)                                                            \
    {CLI_OPTION(type, member.port, "serve", INTEGER, "PORT"),                                      \
     .usual = "-1",                                                                                \
     .least = -1,                                                                                  \
     .most = 65535,                                                                                \
     .group = "Output",                                                                            \
     .help = "show the run in a browser while it goes on (default: port 8090 or the next free "    \
             "one; 0: any)"},                                                                      \
        {CLI_OPTION(type, member.address, "serve-address", TEXT, "A"), .group = "Output",          \
         .help = "listen here instead of on this machine only: 0.0.0.0 for all who reach it and "  \
                 "know the token that is printed"},                                                \
    {                                                                                              \
        CLI_OPTION(type, member.token_file, "serve-token-file", TEXT, "FILE"),                     \
            .group = "Output",                                                                     \
            .help = "ask browsers for the token in FILE (or in STOKER_SERVE_TOKEN), wherever it "  \
                    "listens; it is not printed"                                                   \
    }

typedef struct cli_train_live cli_train_live;

/* Opens the port and prints the address to stderr, so that a used port is reported before the run
 * begins. *out is NULL without --serve and on failure. tracer handles the page's trace button;
 * NULL: no button. */
STK_NODISCARD stk_status cli_train_live_open(cli_train_live **out, const cli_serve_values *values,
                                             stk_tracer *tracer, stk_error *err);
/* Data of the live page. */
typedef struct cli_train_shown {
    stk_trainer        *trainer;
    stk_monitor        *monitor;  /* NULL: none */
    cli_train_learning *learning; /* NULL: none */
} cli_train_shown;

/* Serves this data from now on: updated once a second on a thread of its own while a browser
 * watches. A NULL live is a no-op. */
STK_NODISCARD stk_status cli_train_live_follow(cli_train_live *live, const cli_train_shown *shown,
                                               stk_error *err);
/* Call it before the trainer is freed. Waits up to two seconds for an active browser to see the
 * end. NULL is fine. */
void cli_train_live_stop(cli_train_live *live);

#endif
