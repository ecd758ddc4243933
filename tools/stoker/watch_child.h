/* The command that is watched: started, told of signals, waited for. */
#ifndef CLI_TOOLS_WATCH_CHILD_H
#define CLI_TOOLS_WATCH_CHILD_H

#include <stdbool.h>
#include <stoker/error.h>

typedef struct cli_child {
    int pid;
    int gate;    /* closing it lets the command begin */
    int failure; /* read end: why it could not begin */
} cli_child;

/* Makes the process, which waits until cli_child_begin: so it can be watched from its first
 * moment. Its standard input is ours; so are output and error, unless outputs (NULL: none) has
 * others for it. */
STK_NODISCARD stk_status cli_child_start(cli_child *child, char **argv, const int outputs[2],
                                         stk_error *err);
/* Lets it begin. Gives 0, or the errno that says why it cannot; then it has ended. */
int cli_child_begin(cli_child *child);
/* True when it has ended; it can still be watched until cli_child_reap. */
bool cli_child_ended(const cli_child *child);
/* Waits for its end; the exit code as a shell gives it: 128 and the signal when one killed it.
 * *signal_number is that, or 0. */
int cli_child_reap(cli_child *child, int *signal_number);

/* What woke the watcher. */
typedef struct cli_watch_events {
    bool stop;    /* Ctrl-C, SIGTERM or SIGHUP came */
    bool resized; /* the terminal */
} cli_watch_events;

/* From here on signals wake cli_watch_wait. Those that other processes send go on to the child
 * (0: none); what the terminal sends has reached it already, as one of its group. */
void cli_watch_signals(int child);
/* Waits for a signal, the end of the child, a key on fd (-1: none), or so many seconds. */
cli_watch_events cli_watch_wait(int fd, double seconds);

#endif
