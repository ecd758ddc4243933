/* What a run writes while it goes on, as callbacks: the table of metrics, event files. */
#ifndef STK_TRAIN_LOOP_OUTPUTS_H
#define STK_TRAIN_LOOP_OUTPUTS_H

#include "train/loop/samples.h"
#include <stoker/events.h>
#include <stoker/metrics_csv.h>
#include <stoker/trainer.h>

typedef struct stk_outputs_options {
    const stk_train_recipe *recipe; /* its output says where, and whether there are event files */
    const stk_train_data   *data;
    stk_samples            *samples;
    int64_t                 resume_step; /* lines and events past it are dropped; -1: a new run */
} stk_outputs_options;

typedef struct stk_outputs {
    stk_outputs_options options;
    stk_metrics_csv    *csv;
    stk_events         *events;       /* NULL: not wanted */
    bool                hparams_done; /* the settings are in the events */
    int64_t             shown[2];     /* steps of the images that are: to train, to validate on */
    uint64_t            shown_ns[2];  /* when */
} stk_outputs;

/* What options has must outlive the outputs. */
STK_NODISCARD stk_status stk_outputs_open(stk_outputs *outputs, const stk_outputs_options *options,
                                          stk_error *err);
/* The run has ended, well or by an error; after the last report. */
STK_NODISCARD stk_status stk_outputs_end(stk_outputs *outputs, bool success, stk_error *err);
void                     stk_outputs_close(stk_outputs *outputs);
/* The callbacks; returns how many (at most 2). */
size_t stk_outputs_callbacks(stk_outputs *outputs, stk_callback list[2]);

#endif
