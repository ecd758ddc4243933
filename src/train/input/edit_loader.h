/* Batches of edits: indices of resident images, and the augmentation of each. */
#ifndef STK_TRAIN_INPUT_EDIT_LOADER_H
#define STK_TRAIN_INPUT_EDIT_LOADER_H

#include "train/input/loader.h"

typedef struct stk_edit_loader stk_edit_loader;

/* Over options->resident. Training draws the images of each epoch in a new order, as the recipe
 * says; evaluation yields each image once, in order and unchanged. On failure *out is NULL. */
STK_NODISCARD stk_status stk_edit_loader_new(stk_edit_loader         **out,
                                             const stk_loader_options *options, stk_error *err);
void                     stk_edit_loader_free(stk_edit_loader *edits); /* NULL is fine */

/* Like stk_loader_next. */
STK_NODISCARD stk_status stk_edit_loader_next(stk_edit_loader *edits, stk_loader_batch *batch,
                                              stk_error *err);
/* Saves the position: the number of batches so far. */
STK_NODISCARD stk_status stk_edit_loader_save(const stk_edit_loader *edits, stk_blob *out,
                                              stk_error *err);
STK_NODISCARD stk_status stk_edit_loader_restore(stk_edit_loader *edits, stk_bytes saved,
                                                 stk_error *err);
void                     stk_edit_loader_skip(stk_edit_loader *edits, int64_t batches);

#endif
