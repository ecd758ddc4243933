/* Options inside a plan, for the iterator and the passes. */
#ifndef STK_PIPELINE_OPERATORS_OPTIONS_H
#define STK_PIPELINE_OPERATORS_OPTIONS_H

#include "pipeline/operators/operators.h"

#include <stoker/dataset_operators.h>

/* The combined options of data: each as set by the outermost options operator that sets it. Default
 * order and no disabled passes set nothing. */
stk_pipeline_options stk_options_of(const stk_dataset *data);

#endif
