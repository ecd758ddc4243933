/* A run's output files, written by callbacks: the metrics table, event files, image sheets. */
#ifndef STK_TRAIN_LOOP_OUTPUTS_H
#define STK_TRAIN_LOOP_OUTPUTS_H

#include "train/loop/samples.h"
#include <stoker/events.h>
#include <stoker/metrics_csv.h>
#include <stoker/trainer.h>

typedef struct stk_outputs_options {
    const stk_train_recipe
        *recipe; /* its output keys give the folder, and whether to write event files */
    const stk_train_data *data;
    stk_samples          *samples;
    int64_t               resume_step; /* later lines and events are dropped; -1: a new run */
} stk_outputs_options;

typedef struct stk_outputs {
    stk_outputs_options options;
    stk_metrics_csv    *csv;
    stk_events         *events;       /* NULL: off */
    bool                hparams_done; /* the hyperparameters are written */
    int64_t             shown[2];     /* steps of the images written: training, validation */
    uint64_t            shown_ns[2];  /* time of that */
} stk_outputs;

/* options' pointers must outlive the outputs. */
STK_NODISCARD stk_status stk_outputs_open(stk_outputs *outputs, const stk_outputs_options *options,
                                          stk_error *err);
/* Ends the files after the last report; success: the run completed. */
STK_NODISCARD stk_status stk_outputs_end(stk_outputs *outputs, bool success, stk_error *err);
void                     stk_outputs_close(stk_outputs *outputs);
/* Fills list with the callbacks; returns how many (at most 2). */
size_t stk_outputs_callbacks(stk_outputs *outputs, stk_callback list[2]);

#endif
