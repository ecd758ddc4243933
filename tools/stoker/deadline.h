/* A token that is set at a time, or with another one: for calls that may wait for longer than they
 * should. */
#ifndef CLI_TOOLS_DEADLINE_H
#define CLI_TOOLS_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stoker/cancel.h>

typedef struct cli_deadline {
    stk_cancel        token;
    const stk_cancel *outer;   /* sets it too */
    double            end;     /* on the monotonic clock, in seconds */
    bool              passed;  /* atomic: the time set it */
    bool              started; /* the thread runs */
    bool              over;    /* under lock: nobody needs it any more */
    pthread_mutex_t   lock;
    pthread_cond_t    changed;
    pthread_t         thread;
} cli_deadline;

/* seconds from now. cli_deadline_release is needed after a failure too. */
STK_NODISCARD stk_status cli_deadline_start(cli_deadline *deadline, double seconds,
                                            const stk_cancel *outer, stk_error *err);
void                     cli_deadline_release(cli_deadline *deadline);
bool                     cli_deadline_passed(const cli_deadline *deadline);

#endif
