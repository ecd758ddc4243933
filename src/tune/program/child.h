/* A command as a process: in a session of its own, without input, its output through pipes. */
#ifndef STK_TUNE_PROGRAM_CHILD_H
#define STK_TUNE_PROGRAM_CHILD_H

#include <stdbool.h>
#include <stoker/error.h>

typedef struct stk_tune_child {
    int id;
    int outputs[2]; /* read ends of its standard output and error, which do not block; the caller's
                     */
} stk_tune_child;

/* On failure, also of exec, nothing runs and nothing is open. */
STK_NODISCARD stk_status stk_tune_child_start(stk_tune_child *out, char *const *argv,
                                              char *const *environment, stk_error *err);
/* Whether it has ended. Until it is reaped its number belongs to no other process. */
bool stk_tune_child_ended(const stk_tune_child *child);
/* Takes what is left of a child that has ended. Returns its exit code, or minus the signal that
 * ended it. */
int stk_tune_child_reap(const stk_tune_child *child);

#endif
