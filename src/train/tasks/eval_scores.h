/* What is counted over the images of an evaluation, and what is made of it. */
#ifndef STK_TRAIN_TASKS_EVAL_SCORES_H
#define STK_TRAIN_TASKS_EVAL_SCORES_H

#include <stoker/model_file.h>

enum { STK_EVAL_CONFUSION_MAX = 1000, STK_EVAL_BINS = 10, STK_EVAL_BINS_MAX = 1000 };

/* Memory for counts; bins 0: the usual number. On failure *out is to be released, too. */
STK_NODISCARD stk_status stk_eval_scores_init(stk_evaluation *out, int64_t classes, int bins,
                                              stk_error *err);
/* One image; confidence is the highest probability, above 0 and up to 1. */
void stk_eval_scores_add(stk_evaluation *e, int64_t truth, int64_t predicted, double confidence);
/* Makes shares of counts; nothing may be added after. */
void stk_eval_scores_finish(stk_evaluation *e);

#endif
