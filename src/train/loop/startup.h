/* A stopwatch for the time before the first step. */
#ifndef STK_TRAIN_LOOP_STARTUP_H
#define STK_TRAIN_LOOP_STARTUP_H

#include <stoker/trainer.h>

typedef struct stk_startup {
    stk_train_startup times;
    uint64_t          begin_ns, since_ns;
} stk_startup;

void stk_startup_begin(stk_startup *startup);
/* The time from here on is what counts next; what passed belongs to nothing. */
void stk_startup_skip(stk_startup *startup);
/* What passed since belongs to name, a literal. The same name again is added up. */
void stk_startup_lap(stk_startup *startup, const char *name);
/* The first step has ended. Later calls of all of these change nothing. */
void stk_startup_end(stk_startup *startup);

#endif
