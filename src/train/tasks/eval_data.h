/* What a model is evaluated on: other data or the run's own, one split of it, its classes matched.
 */
#ifndef STK_TRAIN_TASKS_EVAL_DATA_H
#define STK_TRAIN_TASKS_EVAL_DATA_H

#include "train/input/loader.h"
#include "train/tasks/class_match.h"

typedef struct stk_eval_data {
    stk_train_recipe recipe; /* the run's, with this data */
    stk_train_data   data;
    stk_class_match  match;
    const char      *split;   /* NULL: what the run was validated on */
    size_t           splits;  /* that the data has; 0: not known */
    int64_t          listed;  /* images of the split; -1: not known */
    int64_t          outside; /* names that lead out of the data's folder and were left out */
} stk_eval_data;

/* Looks at the data and matches its classes. On failure *out is to be released, too. */
STK_NODISCARD stk_status stk_eval_data_open(stk_eval_data *out, const stk_predictor *predictor,
                                            const stk_evaluate_options *options, stk_error *err);
void                     stk_eval_data_release(stk_eval_data *data);

/* Its images, whose labels are the data's own: stk_class_match_label says the run's. data must
 * outlive the feed. */
STK_NODISCARD stk_status stk_eval_data_loader(const stk_eval_data        *data,
                                              const stk_evaluate_options *options, stk_loader **out,
                                              stk_error *err);

#endif
