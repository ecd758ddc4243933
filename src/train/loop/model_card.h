/* Metadata of a weights file, so that it can be used without its run folder. */
#ifndef STK_TRAIN_LOOP_MODEL_CARD_H
#define STK_TRAIN_LOOP_MODEL_CARD_H

#include "train/loop/trainer_internal.h"

#define STK_MODEL_STEP "stoker.step"

typedef struct stk_model_card {
    stk_blob    recipe, classes;
    char        accuracy[32], step[32];
    const char *texts[11]; /* pairs of key and text, NULL-terminated */
} stk_model_card;

/* For the weights after a step; accuracy below 0 or NAN: not evaluated. Must be released even on
 * failure. */
STK_NODISCARD stk_status stk_model_card_init(stk_model_card *card, const stk_trainer *trainer,
                                             int64_t step, double accuracy, stk_error *err);
void                     stk_model_card_release(stk_model_card *card);

#endif
