/* A token that is set at a time, or with another one: for calls that may wait for longer than they
 * should. */
#ifndef STK_TOOLS_DEADLINE_H
#define STK_TOOLS_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stoker/cancel.h>

typedef struct stk_deadline {
    stk_cancel        token;
    const stk_cancel *outer;   /* sets it too */
    double            end;     /* on the monotonic clock, in seconds */
    bool              passed;  /* atomic: the time set it */
    bool              started; /* the thread runs */
    bool              over;    /* under lock: nobody needs it any more */
    pthread_mutex_t   lock;
    pthread_cond_t    changed;
    pthread_t         thread;
} stk_deadline;

/* seconds from now. stk_deadline_release is needed after a failure too. */
STK_NODISCARD stk_status stk_deadline_start(stk_deadline *deadline, double seconds,
                                            const stk_cancel *outer, stk_error *err);
void                     stk_deadline_release(stk_deadline *deadline);
bool                     stk_deadline_passed(const stk_deadline *deadline);

#endif
