/* Parts of a predictor for evaluate.c. */
#ifndef STK_TRAIN_TASKS_PREDICTOR_H
#define STK_TRAIN_TASKS_PREDICTOR_H

#include "train/session/session.h"
#include <stoker/model_file.h>

/* Class names; *count may be less than the number of classes. */
char *const *stk_predictor_names(const stk_predictor *predictor, int64_t *count);
stk_session *stk_predictor_session(stk_predictor *predictor);
/* Buffer for a batch of logits. */
float *stk_predictor_logits(stk_predictor *predictor);
/* Probabilities of count logits. */
void stk_predictor_softmax(const float *logits, int64_t count, float *out);

#endif
