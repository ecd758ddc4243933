/* Data for an evaluation: the run's or other data, one split of it, with matched classes. */
#ifndef STK_TRAIN_TASKS_EVAL_DATA_H
#define STK_TRAIN_TASKS_EVAL_DATA_H

#include "train/input/loader.h"
#include "train/tasks/class_match.h"

typedef struct stk_eval_data {
    stk_train_recipe recipe; /* the run's, with this data */
    stk_train_data   data;
    stk_class_match  match;
    const char      *split;   /* NULL: the run's validation split */
    size_t           splits;  /* splits of the data; 0: not known */
    int64_t          listed;  /* images of the split; -1: not known */
    int64_t          outside; /* names skipped because they lead out of the data's folder */
} stk_eval_data;

/* Reads the data and matches its classes. *out must be released even on failure. */
STK_NODISCARD stk_status stk_eval_data_open(stk_eval_data *out, const stk_predictor *predictor,
                                            const stk_evaluate_options *options, stk_error *err);
void                     stk_eval_data_release(stk_eval_data *data);

/* Loads its images with the data's own labels; stk_class_match_label maps them. data must outlive
 * the loader. */
STK_NODISCARD stk_status stk_eval_data_loader(const stk_eval_data        *data,
                                              const stk_evaluate_options *options, stk_loader **out,
                                              stk_error *err);

#endif
