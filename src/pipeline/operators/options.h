/* Settings inside a plan, for the iterator and the passes. */
#ifndef STK_PIPELINE_OPERATORS_OPTIONS_H
#define STK_PIPELINE_OPERATORS_OPTIONS_H

#include "pipeline/operators/operators.h"

#include <stoker/dataset_operators.h>

/* What the options stages of data say together: each setting as the outermost stage has it that
 * makes it. (No order, and no passes, is no setting.) */
stk_pipeline_options stk_options_of(const stk_dataset *data);

#endif
