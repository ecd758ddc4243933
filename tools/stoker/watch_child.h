/* The command that is watched: started, told of signals, waited for. */
#ifndef STK_TOOLS_WATCH_CHILD_H
#define STK_TOOLS_WATCH_CHILD_H

#include <stdbool.h>
#include <stoker/error.h>

typedef struct stk_child {
    int pid;
    int gate;    /* closing it lets the command begin */
    int failure; /* read end: why it could not begin */
} stk_child;

/* Makes the process, which waits until stk_child_begin: so it can be watched from its first
 * moment. Its standard input is ours; so are output and error, unless outputs (NULL: none) has
 * others for it. */
STK_NODISCARD stk_status stk_child_start(stk_child *child, char **argv, const int outputs[2],
                                         stk_error *err);
/* Lets it begin. Gives 0, or the errno that says why it cannot; then it has ended. */
int stk_child_begin(stk_child *child);
/* True when it has ended; it can still be watched until stk_child_reap. */
bool stk_child_ended(const stk_child *child);
/* Waits for its end; the exit code as a shell gives it: 128 and the signal when one killed it.
 * *signal_number is that, or 0. */
int stk_child_reap(stk_child *child, int *signal_number);

/* What woke the watcher. */
typedef struct stk_watch_events {
    bool stop;    /* Ctrl-C, SIGTERM or SIGHUP came */
    bool resized; /* the terminal */
} stk_watch_events;

/* From here on signals wake stk_watch_wait. Those that other processes send go on to the child
 * (0: none); what the terminal sends has reached it already, as one of its group. */
void stk_watch_signals(int child);
/* Waits for a signal, the end of the child, a key on fd (-1: none), or so many seconds. */
stk_watch_events stk_watch_wait(int fd, double seconds);

#endif
