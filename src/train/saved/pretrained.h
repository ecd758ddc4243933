/* Pretrained weights: a file or a run, its metadata, and loading them into a model with other
 * classes. */
#ifndef STK_TRAIN_SAVED_PRETRAINED_H
#define STK_TRAIN_SAVED_PRETRAINED_H

#include "train/saved/class_list.h"
#include <stoker/program.h>
#include <stoker/train_data.h>

typedef struct stk_pretrained {
    char             weights[STK_TRAIN_PATH]; /* the weights file */
    const char      *model; /* name of the tensors' model if there is no recipe; NULL: not known */
    bool             has_recipe;
    stk_train_recipe recipe;  /* of their training, if known */
    stk_class_list   classes; /* count 0: no names */
} stk_pretrained;

/* path is a weights file or a run folder: its best model, else its last, else its newest
 * checkpoint. Missing metadata comes from the run folder. On failure *out is empty. */
STK_NODISCARD stk_status stk_pretrained_find(stk_pretrained *out, const char *path, stk_error *err);
void                     stk_pretrained_release(stk_pretrained *pretrained);

/* Loads the recipe's model.weights into variables. Classes with the same name keep their rows of
 * the last layer; other rows keep their initial values. log (may be NULL) reports that. */
STK_NODISCARD stk_status stk_pretrained_load(const stk_train_recipe *recipe,
                                             const stk_train_data *data, stk_variables *variables,
                                             void (*log)(void *context, const char *line),
                                             void *log_context, stk_error *err);

#endif
