/* What evaluate.c needs of a predictor. */
#ifndef STK_TRAIN_USE_PREDICTOR_H
#define STK_TRAIN_USE_PREDICTOR_H

#include "train/session/session.h"
#include <stoker/model_file.h>

stk_session *stk_predictor_session(stk_predictor *predictor);
/* Room for a batch of logits. */
float *stk_predictor_logits(stk_predictor *predictor);

#endif
