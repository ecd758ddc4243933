/* What the images are like: the headers of some hundred, spread over the data. */
#ifndef STK_TRAIN_INPUT_SURVEY_H
#define STK_TRAIN_INPUT_SURVEY_H

#include <stoker/train_data.h>

/* Fills in data's survey, width, height and channels from its training split, of which the splits
 * are chosen and the source is set where there is one. bytes: of that split; of large records only
 * the first are looked at. Data without labels, and data of which no image can be read, is
 * refused. */
STK_NODISCARD stk_status stk_survey_take(const stk_train_recipe *recipe, uint64_t bytes,
                                         stk_train_data *data, stk_error *err);

#endif
