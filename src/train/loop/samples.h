/* Sample images of a run: from training batches, and from validation with predictions. Written by
 * the training thread, read by any. */
#ifndef STK_TRAIN_LOOP_SAMPLES_H
#define STK_TRAIN_LOOP_SAMPLES_H

#include "train/session/session.h"
#include <stoker/trainer.h>

typedef struct stk_samples stk_samples;

/* recipe and data must outlive *out. */
STK_NODISCARD stk_status stk_samples_new(stk_samples **out, const stk_train_recipe *recipe,
                                         const stk_train_data *data, stk_error *err);
void                     stk_samples_free(stk_samples *samples); /* NULL is fine */

/* Takes the first images of a training batch of this size, before its step. */
STK_NODISCARD stk_status stk_samples_train(stk_samples *samples, stk_session *session,
                                           const stk_loader_batch *batch, int64_t size,
                                           int64_t step, stk_error *err);

/* Over the batches of an evaluation, in order: stk_samples_needed says whether a batch has sampled
 * rows, whose logits are then needed. Samples are spread evenly, since neighbouring images often
 * share a class. */
void stk_samples_begin(stk_samples *samples, const stk_session *session);
bool stk_samples_needed(const stk_samples *samples, int64_t rows);
void stk_samples_next(stk_samples *samples, const stk_loader_batch *batch, const float *logits);
/* Publishes the images sampled since begin, as of step. */
STK_NODISCARD stk_status stk_samples_end(stk_samples *samples, stk_session *session, int64_t step,
                                         stk_error *err);

/* Copies to out, which the caller releases; count 0: none yet. */
STK_NODISCARD stk_status stk_samples_read(stk_samples *samples, bool validation,
                                          stk_train_samples *out, stk_error *err);
/* Step of the newest samples; -1: none yet. */
int64_t stk_samples_step(stk_samples *samples, bool validation);

#endif
