/* Defers a pipeline's last pixel operations to a device, as edits. */
#ifndef STK_TRAIN_INPUT_EDIT_DEFER_H
#define STK_TRAIN_INPUT_EDIT_DEFER_H

#include <stoker/dataset.h>

/* Replaces the trailing pixel ops of *data by functions that store their parameters in value
 * "edits", with the same random numbers. *data is unchanged on failure, or if no op can be
 * expressed as an edit. */
STK_NODISCARD stk_status stk_dataset_defer_edits(stk_dataset **data, stk_error *err);

#endif
