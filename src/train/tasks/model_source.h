/* Where a trained model comes from: a run folder, or a file of weights that says what it is. */
#ifndef STK_TRAIN_TASKS_MODEL_SOURCE_H
#define STK_TRAIN_TASKS_MODEL_SOURCE_H

#include "train/saved/class_list.h"
#include "train/saved/model_text.h"
#include "train/tasks/run_weights.h"
#include <stoker/model_file.h>

typedef struct stk_model_source {
    stk_train_recipe recipe; /* settled */
    stk_class_list   classes;
    char             weights[STK_TRAIN_PATH + 64];
    char             note[STK_WEIGHTS_NOTE]; /* what a person should know of them; "": nothing */
} stk_model_source;

/* What a file of weights does not say is taken from the run folder it lies in, else from options;
 * what is missing then is STK_E_INVALID with the names of the options. On failure *out is to be
 * released, too. */
STK_NODISCARD stk_status stk_model_source_find(stk_model_source *out, const char *path,
                                               const stk_predictor_options *options,
                                               stk_error                   *err);
void                     stk_model_source_release(stk_model_source *source);

#endif
