/* The weights that training begins with: a file or a run, what is known of them, and how they go
 * into a model of other classes. */
#ifndef STK_TRAIN_SAVED_PRETRAINED_H
#define STK_TRAIN_SAVED_PRETRAINED_H

#include "train/saved/class_list.h"
#include <stoker/program.h>
#include <stoker/train_data.h>

typedef struct stk_pretrained {
    char             weights[STK_TRAIN_PATH]; /* the file */
    const char      *model; /* that the tensors are of, where no recipe says; NULL: not known */
    bool             has_recipe;
    stk_train_recipe recipe;  /* what they were trained with, where that is known */
    stk_class_list   classes; /* count 0: the file names none */
} stk_pretrained;

/* path is a file of weights, or the folder of a run: its best model, else its last, else its newest
 * checkpoint. What the file does not say of itself is taken from the run it lies in. On failure
 * *out is empty. */
STK_NODISCARD stk_status stk_pretrained_find(stk_pretrained *out, const char *path, stk_error *err);
void                     stk_pretrained_release(stk_pretrained *pretrained);

/* Puts the recipe's model.weights into variables. Classes of data keep their rows of the last layer
 * where the file has one of the same name; other rows stay as they begin. log (NULL is fine) is
 * told what became of that layer. */
STK_NODISCARD stk_status stk_pretrained_load(const stk_train_recipe *recipe,
                                             const stk_train_data *data, stk_variables *variables,
                                             void (*log)(void *context, const char *line),
                                             void *log_context, stk_error *err);

#endif
