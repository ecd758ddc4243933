/* Batches of edits: which of the pictures on the device, and what is done with each. */
#ifndef STK_TRAIN_INPUT_EDIT_LOADER_H
#define STK_TRAIN_INPUT_EDIT_LOADER_H

#include "train/input/loader.h"

typedef struct stk_edits stk_edits;

/* Of options->resident. To train, all are drawn in an order of each epoch's own, as the recipe
 * says; to evaluate, all come once, in order and as they are. On failure *out is NULL. */
STK_NODISCARD stk_status stk_edits_new(stk_edits **out, const stk_feed_options *options,
                                       stk_error *err);
void                     stk_edits_free(stk_edits *edits); /* NULL is fine */

/* As stk_feed_next. */
STK_NODISCARD stk_status stk_edits_next(stk_edits *edits, stk_feed_batch *batch, stk_error *err);
/* Its place is the number of batches so far. */
STK_NODISCARD stk_status stk_edits_save(const stk_edits *edits, stk_blob *out, stk_error *err);
STK_NODISCARD stk_status stk_edits_restore(stk_edits *edits, stk_bytes saved, stk_error *err);
void                     stk_edits_skip(stk_edits *edits, int64_t batches);

#endif
