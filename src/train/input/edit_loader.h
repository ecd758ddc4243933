/* Batches of edits: which of the images on the device, and what is done with each. */
#ifndef STK_TRAIN_INPUT_EDIT_LOADER_H
#define STK_TRAIN_INPUT_EDIT_LOADER_H

#include "train/input/loader.h"

typedef struct stk_edit_loader stk_edit_loader;

/* Of options->resident. To train, all are drawn in an order of each epoch's own, as the recipe
 * says; to evaluate, all come once, in order and as they are. On failure *out is NULL. */
STK_NODISCARD stk_status stk_edit_loader_new(stk_edit_loader         **out,
                                             const stk_loader_options *options, stk_error *err);
void                     stk_edit_loader_free(stk_edit_loader *edits); /* NULL is fine */

/* As stk_loader_next. */
STK_NODISCARD stk_status stk_edit_loader_next(stk_edit_loader *edits, stk_loader_batch *batch,
                                              stk_error *err);
/* Its place is the number of batches so far. */
STK_NODISCARD stk_status stk_edit_loader_save(const stk_edit_loader *edits, stk_blob *out,
                                              stk_error *err);
STK_NODISCARD stk_status stk_edit_loader_restore(stk_edit_loader *edits, stk_bytes saved,
                                                 stk_error *err);
void                     stk_edit_loader_skip(stk_edit_loader *edits, int64_t batches);

#endif
