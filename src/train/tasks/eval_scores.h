/* Counts over evaluated images, and scores from them. */
#ifndef STK_TRAIN_TASKS_EVAL_SCORES_H
#define STK_TRAIN_TASKS_EVAL_SCORES_H

#include <stoker/model_file.h>

enum { STK_EVAL_CONFUSION_MAX = 1000, STK_EVAL_BINS = 10, STK_EVAL_BINS_MAX = 1000 };

/* Allocates counts; bins 0: the default. *out must be released even on failure. */
STK_NODISCARD stk_status stk_eval_scores_init(stk_evaluation *out, int64_t classes, int bins,
                                              stk_error *err);
/* Adds one image; confidence: the highest probability, above 0 and at most 1. */
void stk_eval_scores_add(stk_evaluation *e, int64_t truth, int64_t predicted, double confidence);
/* Computes scores from counts; nothing may be added afterwards. */
void stk_eval_scores_finish(stk_evaluation *e);

#endif
