/* Stopwatch for the time before the first step. */
#ifndef STK_TRAIN_LOOP_STARTUP_H
#define STK_TRAIN_LOOP_STARTUP_H

#include <stoker/trainer.h>

typedef struct stk_startup {
    stk_train_startup times;
    uint64_t          begin_ns, since_ns;
} stk_startup;

void stk_startup_begin(stk_startup *startup);
/* Restarts the lap; the time since the last one is not attributed. */
void stk_startup_skip(stk_startup *startup);
/* Attributes the time since the last lap to name, a literal. Equal names are added up. */
void stk_startup_lap(stk_startup *startup, const char *name);
/* The first step has ended; later calls are no-ops. */
void stk_startup_end(stk_startup *startup);

#endif
