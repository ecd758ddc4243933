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
    stk_freeze              freeze;        /* of steps of training */
    const float            *class_weights; /* of steps of training; NULL: all count alike */
    const stk_faults       *faults;        /* of steps of training; NULL: none */
    stk_resident *resident[2]; /* what is on the device to train and to evaluate on; NULL: none */
} stk_graphs;

/* Checks model, preset and optimiser of a settled recipe. */
STK_NODISCARD stk_status stk_graphs_init(stk_graphs *graphs, const stk_train_recipe *recipe,
                                         stk_error *err);

/* Inputs "image" (uint8; "edits" instead where images are resident, or beside where they are
 * mixed on the device), "label", "step", "hyper"; outputs "loss", "guard"; metric variables. With
 * accumulation it only adds gradients up. late: what stops to learn has stopped, so no gradients
 * are computed for it. */
STK_NODISCARD stk_status stk_graphs_train(const stk_graphs *graphs, int64_t size, bool frozen,
                                          stk_graph **out, stk_error *err);
/* The share of training after which all that stops to learn has stopped; 0: nothing does. */
double stk_graphs_frozen_from(const stk_graph *graph);
/* The update of accumulated gradients. */
STK_NODISCARD stk_status stk_graphs_update(const stk_graphs *graphs, stk_graph **out,
                                           stk_error *err);
/* Lookahead: every parameter and statistic goes back to a slow copy. */
STK_NODISCARD stk_status stk_graphs_lookahead(const stk_graphs *graphs, stk_graph **out,
                                              stk_error *err);
/* The same without update and metrics: forward and backward, to look for what is not finite. */
STK_NODISCARD stk_status stk_graphs_search(const stk_graphs *graphs, int64_t size, stk_graph **out,
                                           stk_error *err);
/* Inputs "image" (or "edits"), "label"; outputs "logits"; metric variables. prefix: of the model's
 * variables. */
STK_NODISCARD stk_status stk_graphs_evaluate(const stk_graphs *graphs, int64_t size,
                                             const char *prefix, stk_graph **out, stk_error *err);

/* Images of a batch (to train or evaluate on) as the network takes them: inputs as those have,
 * output "images" with *rows rows, the batch's first. */
STK_NODISCARD stk_status stk_graphs_show(const stk_graphs *graphs, int64_t batch, int64_t size,
                                         bool evaluate, int64_t *rows, stk_graph **out,
                                         stk_error *err);

extern const char *const stk_metric_names[2][4]; /* of training, of evaluation */
extern const char *const stk_resident_names[2];  /* of their variables, likewise */

/* Images of a batch, normalised, from the graph's inputs (tta_views.c). */
stk_symbol stk_graphs_images(const stk_graphs *graphs, stk_graph *g, int64_t batch, int64_t size,
                             bool evaluate);
/* The logits of a batch from those of its views. */
stk_symbol stk_graphs_average(const stk_graphs *graphs, stk_graph *g, stk_symbol logits);

#endif
