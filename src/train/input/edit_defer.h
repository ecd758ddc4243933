/* What a pipeline changes last in its images, left to a device. */
#ifndef STK_TRAIN_INPUT_EDIT_DEFER_H
#define STK_TRAIN_INPUT_EDIT_DEFER_H

#include <stoker/dataset.h>

/* The last stages of *data that change pixels of value "image", as many of them as an edit can say,
 * write into a value "edits" what they would do, with the same random numbers. Where there are none
 * *data stays. On failure, too. */
STK_NODISCARD stk_status stk_dataset_defer_edits(stk_dataset **data, stk_error *err);

#endif
