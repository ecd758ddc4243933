/* The graphs of a session. */
#ifndef STK_TRAIN_SESSION_GRAPHS_H
#define STK_TRAIN_SESSION_GRAPHS_H

#include "train/faults/faults.h"
#include "train/input/resident.h"
#include "train/optimizer/freeze.h"
#include <stoker/models.h>
#include <stoker/optimizer.h>
#include <stoker/train_recipe.h>

typedef struct stk_graphs {
    const stk_train_recipe *recipe;
    const stk_model        *model;
    int                     channels;
    stk_optimizer_options   optimizer;
    stk_freeze              freeze;        /* of training steps */
    const float            *class_weights; /* of training steps; NULL: all 1 */
    const stk_faults       *faults;        /* of training steps; NULL: none */
    stk_resident           *resident[2];   /* resident training and evaluation data; NULL: none */
} stk_graphs;

/* Checks model, preset and optimiser of a resolved recipe. */
STK_NODISCARD stk_status stk_graphs_init(stk_graphs *graphs, const stk_train_recipe *recipe,
                                         stk_error *err);

/* The training step. Inputs "image" (uint8; "edits" instead for resident images, or in addition if
 * the device mixes images), "label", "step", "hyper". Outputs "loss" and "guard"; metric variables.
 * With accumulation it only adds gradients to the sums. frozen: parameters past their freeze_after
 * get no gradients. */
STK_NODISCARD stk_status stk_graphs_train(const stk_graphs *graphs, int64_t size, bool frozen,
                                          stk_graph **out, stk_error *err);
/* The fraction of training after which every parameter with freeze_after is frozen; 0: none has
 * one. */
double stk_graphs_frozen_from(const stk_graph *graph);
/* The update by accumulated gradients. */
STK_NODISCARD stk_status stk_graphs_update(const stk_graphs *graphs, stk_graph **out,
                                           stk_error *err);
/* Lookahead: mixes every parameter and statistic with its slow copy. */
STK_NODISCARD stk_status stk_graphs_lookahead(const stk_graphs *graphs, stk_graph **out,
                                              stk_error *err);
/* The training step without update and metrics: forward and backward, to find values that are not
 * finite. */
STK_NODISCARD stk_status stk_graphs_search(const stk_graphs *graphs, int64_t size, stk_graph **out,
                                           stk_error *err);
/* The evaluation step. Inputs "image" (or "edits") and "label"; output "logits"; metric variables.
 * prefix: of the names of the model's variables. */
STK_NODISCARD stk_status stk_graphs_evaluate(const stk_graphs *graphs, int64_t size,
                                             const char *prefix, stk_graph **out, stk_error *err);

/* Batch images as the network takes them. The inputs are those of training or evaluation. Output
 * "images" has the first *rows rows of the batch. */
STK_NODISCARD stk_status stk_graphs_show(const stk_graphs *graphs, int64_t batch, int64_t size,
                                         bool evaluate, int64_t *rows, stk_graph **out,
                                         stk_error *err);

extern const char *const stk_metric_names[2][4]; /* of training and of evaluation */
extern const char *const stk_resident_names[2];  /* names of their variables, likewise */

/* Normalised images of a batch, from the graph's inputs (tta_views.c). */
stk_symbol stk_graphs_images(const stk_graphs *graphs, stk_graph *g, int64_t batch, int64_t size,
                             bool evaluate);
/* Averages the logits of the test-time-augmentation views of a batch. */
stk_symbol stk_graphs_average(const stk_graphs *graphs, stk_graph *g, stk_symbol logits);

#endif
