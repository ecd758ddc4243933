/* What a run writes while it goes on, as callbacks: the table of metrics, event files. */
#ifndef STK_TRAIN_LOOP_OUTPUTS_H
#define STK_TRAIN_LOOP_OUTPUTS_H

#include <stoker/events.h>
#include <stoker/metrics_csv.h>
#include <stoker/train.h>

typedef struct stk_outputs {
    stk_metrics_csv *csv;
    stk_events      *events; /* NULL: not wanted */
} stk_outputs;

/* resume_step: lines and events past it are dropped; -1: a new run. */
STK_NODISCARD stk_status stk_outputs_open(stk_outputs *outputs, const char *folder,
                                          bool tensorboard, int64_t resume_step, stk_error *err);
void                     stk_outputs_close(stk_outputs *outputs);
/* The callbacks; returns how many (at most 2). */
size_t stk_outputs_callbacks(stk_outputs *outputs, stk_callback list[2]);

#endif
