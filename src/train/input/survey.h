/* Image properties, from the headers of some hundred images spread over the data. */
#ifndef STK_TRAIN_INPUT_SURVEY_H
#define STK_TRAIN_INPUT_SURVEY_H

#include <stoker/train_data.h>

/* Fills data's survey, width, height and channels from its training split; splits must be set, and
 * the source if there is one. bytes: of that split; of large records only the first are read. Fails
 * for data without labels, or if no image is readable. */
STK_NODISCARD stk_status stk_survey_take(const stk_train_recipe *recipe, uint64_t bytes,
                                         stk_train_data *data, stk_error *err);

#endif
