/* The watched command: started, sent signals, waited for. */
#ifndef CLI_TOOLS_WATCH_CHILD_H
#define CLI_TOOLS_WATCH_CHILD_H

#include <stdbool.h>
#include <stoker/error.h>

typedef struct cli_child {
    int pid;
    int gate;    /* closing it lets the command start */
    int failure; /* read end: why exec failed */
} cli_child;

/* Forks a process that waits for cli_child_begin, so that it can be watched from the start. It
 * inherits standard input, and output and error unless outputs (may be NULL) replaces them. */
STK_NODISCARD stk_status cli_child_start(cli_child *child, char **argv, const int outputs[2],
                                         stk_error *err);
/* Lets it exec. Returns 0, or the errno of a failed exec; then it has ended. */
int cli_child_begin(cli_child *child);
/* Whether it has ended; it can be watched until cli_child_reap. */
bool cli_child_ended(const cli_child *child);
/* Waits for its end; returns the exit code as a shell would: 128 + signal if one killed it.
 * *signal_number is that signal, or 0. */
int cli_child_reap(cli_child *child, int *signal_number);

/* Events that woke the watcher. */
typedef struct cli_watch_events {
    bool stop;    /* Ctrl-C, SIGTERM or SIGHUP */
    bool resized; /* the terminal */
} cli_watch_events;

/* From now on signals wake cli_watch_wait. Signals from other processes are forwarded to child (0:
 * none); those from the terminal reach the whole group anyway. */
void cli_watch_signals(int child);
/* Waits for a signal, the child's end, a key on fd (-1: none), or so many seconds. */
cli_watch_events cli_watch_wait(int fd, double seconds);

#endif
