/* A cancel token that is set at a deadline or with another token, for calls that may block. */
#ifndef CLI_TOOLS_DEADLINE_H
#define CLI_TOOLS_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stoker/cancel.h>

typedef struct cli_deadline {
    stk_cancel        token;
    const stk_cancel *outer;   /* also sets the token */
    double            end;     /* monotonic, in seconds */
    bool              passed;  /* atomic: the deadline has passed */
    bool              started; /* the thread runs */
    bool              over;    /* under lock: released */
    pthread_mutex_t   lock;
    pthread_cond_t    changed;
    pthread_t         thread;
} cli_deadline;

/* Begins a deadline in so many seconds. cli_deadline_release is required even after a failure. */
STK_NODISCARD stk_status cli_deadline_start(cli_deadline *deadline, double seconds,
                                            const stk_cancel *outer, stk_error *err);
void                     cli_deadline_release(cli_deadline *deadline);
bool                     cli_deadline_passed(const cli_deadline *deadline);

#endif
