/* Draws sample images on one sheet, each with label and prediction. */
#ifndef STK_TRAIN_LOOP_SAMPLE_SHEET_H
#define STK_TRAIN_LOOP_SAMPLE_SHEET_H

#include <stoker/trainer.h>

/* Appends the sheet as PNG; samples must not be empty. */
STK_NODISCARD stk_status stk_sample_sheet(const stk_train_samples *samples,
                                          const stk_train_data *data, stk_blob *out,
                                          stk_error *err);

#endif
