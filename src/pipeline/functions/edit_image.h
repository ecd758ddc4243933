/* Deferred image functions: each stores its random parameters in the element's edit for a device to
 * apply. They keep name and details of the function they replace, and so its random numbers. */
#ifndef STK_PIPELINE_FUNCTIONS_EDIT_IMAGE_H
#define STK_PIPELINE_FUNCTIONS_EDIT_IMAGE_H

#include "image/chain/chain.h"

#include <stoker/functions.h>

/* The single pixel op of an image function that can be an edit, and its value; false: function is
 * none. step borrows from it. */
bool stk_image_function_step(const stk_function *function, int *value, stk_chain_op *step);

/* Makes the deferred form of function. The edit is value edits, int32 [64]: appended after all
 * others if the element has none yet. */
STK_NODISCARD stk_status stk_function_image_edit(stk_function **out, stk_function *function,
                                                 int edits, stk_error *err);
/* For batches: stores its row in each edit. Adds edits that change nothing as value edits if there
 * are none. */
STK_NODISCARD stk_status stk_function_number_edits(stk_function **out, int image, int edits,
                                                   stk_error *err);

/* Appends an int32 value of this shape to *element. */
STK_NODISCARD stk_status stk_element_add_edits(stk_element **element, const stk_call *call,
                                               const stk_shape *shape, stk_error *err);
/* For batches: the writable edits of *element, added if there are none. */
STK_NODISCARD stk_status stk_element_batch_edits(stk_element **element, const stk_call *call,
                                                 int edits, int64_t rows, stk_edit **out,
                                                 stk_error *err);

#endif
