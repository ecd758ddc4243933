/* A few images of a run, for people: of a batch it trains on, and of those it is judged by, with
 * what it takes them for. Taken by the training thread, read by any. */
#ifndef STK_TRAIN_LOOP_SAMPLES_H
#define STK_TRAIN_LOOP_SAMPLES_H

#include "train/session/session.h"
#include <stoker/trainer.h>

typedef struct stk_samples stk_samples;

/* recipe and data must outlive it. */
STK_NODISCARD stk_status stk_samples_new(stk_samples **out, const stk_train_recipe *recipe,
                                         const stk_train_data *data, stk_error *err);
void                     stk_samples_free(stk_samples *samples); /* NULL is fine */

/* The first ones of a batch to train on, images of this size, before its step. */
STK_NODISCARD stk_status stk_samples_train(stk_samples *samples, stk_session *session,
                                           const stk_loader_batch *batch, int64_t size,
                                           int64_t step, stk_error *err);

/* Over the batches of an evaluation, in order: whether some of the next rows are wanted, so that
 * their logits are; then these, and at the end the images. Those wanted are spread evenly, so
 * that classes in a row do not hide each other. */
void stk_samples_begin(stk_samples *samples, const stk_session *session);
bool stk_samples_needed(const stk_samples *samples, int64_t rows);
void stk_samples_next(stk_samples *samples, const stk_loader_batch *batch, const float *logits);
/* What was seen is shown from now on, as of step. */
STK_NODISCARD stk_status stk_samples_end(stk_samples *samples, stk_session *session, int64_t step,
                                         stk_error *err);

/* A copy, to be released; count 0: there are none yet. */
STK_NODISCARD stk_status stk_samples_read(stk_samples *samples, bool validation,
                                          stk_train_samples *out, stk_error *err);
/* Of the newest: -1 before there are any. */
int64_t stk_samples_step(stk_samples *samples, bool validation);

#endif
