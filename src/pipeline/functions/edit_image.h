/* Image functions that leave their work to a device: each writes what it drew into the element's
 * edit. They have the names and details of those they stand for, and so their random numbers. */
#ifndef STK_PIPELINE_FUNCTIONS_EDIT_IMAGE_H
#define STK_PIPELINE_FUNCTIONS_EDIT_IMAGE_H

#include "image/chain/chain.h"

#include <stoker/functions.h>

/* The only step of an image function that changes pixels and that there is an edit for, and of
 * which value; false: function is none. step is lent by it. */
bool stk_image_function_step(const stk_function *function, int *value, stk_chain_op *step);

/* Stands for such a function. The edit is value edits, int32 [64]: the one after all others, if the
 * element has none yet. */
STK_NODISCARD stk_status stk_function_image_edit(stk_function **out, stk_function *function,
                                                 int edits, stk_error *err);
/* Of batches: each edit names its row. Where there are none yet they become value edits, and change
 * nothing. */
STK_NODISCARD stk_status stk_function_number_edits(stk_function **out, int image, int edits,
                                                   stk_error *err);

/* Adds a value of this shape, int32, behind those of *element. */
STK_NODISCARD stk_status stk_element_add_edits(stk_element **element, const stk_call *call,
                                               const stk_shape *shape, stk_error *err);
/* Of batches: the edits of *element, to be written, which are made where there are none. */
STK_NODISCARD stk_status stk_element_batch_edits(stk_element **element, const stk_call *call,
                                                 int edits, int64_t rows, stk_edit **out,
                                                 stk_error *err);

#endif
