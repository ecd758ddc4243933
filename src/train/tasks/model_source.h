/* A trained model on disk: a run folder, or a weights file with metadata. */
#ifndef STK_TRAIN_TASKS_MODEL_SOURCE_H
#define STK_TRAIN_TASKS_MODEL_SOURCE_H

#include "train/saved/class_list.h"
#include "train/saved/model_text.h"
#include "train/tasks/run_weights.h"
#include <stoker/model_file.h>

typedef struct stk_model_source {
    stk_train_recipe recipe; /* resolved */
    stk_class_list   classes;
    char             weights[STK_TRAIN_PATH + 64];
    char             note[STK_WEIGHTS_NOTE]; /* note about the weights for the user; "": none */
} stk_model_source;

/* Metadata that a weights file lacks comes from its run folder, else from options. STK_E_INVALID if
 * it is still missing; the message names the options. *out must be released even on failure. */
STK_NODISCARD stk_status stk_model_source_find(stk_model_source *out, const char *path,
                                               const stk_predictor_options *options,
                                               stk_error                   *err);
void                     stk_model_source_release(stk_model_source *source);

#endif
