/* Image functions: a decode and operations on one value of the element. Adjacent ones on the same
 * value are joined into one that runs them as a chain (image/chain/chain.h). */
#ifndef STK_PIPELINE_FUNCTIONS_IMAGE_FUNCTION_H
#define STK_PIPELINE_FUNCTIONS_IMAGE_FUNCTION_H

#include <stoker/functions.h>

enum { STK_IMAGE_OPS_MAX = 32 }; /* of one joined function */

/* Whether after can be joined with before, which it follows. */
bool stk_image_functions_join(const stk_function *before, const stk_function *after);

/* Joins both functions and keeps their random numbers: calls have one seed per original operator in
 * call.seeds, before's first. */
STK_NODISCARD stk_status stk_image_function_joined(stk_function **out, stk_function *before,
                                                   stk_function *after, stk_error *err);

/* Whether after is an output op of before's result (type, scale or layout). It is merged when the
 * plan is made: alone it could not know its input. */
bool stk_image_function_finishes(const stk_function *before, const stk_function *after);

/* Merges the output op after into before; the number of seeds stays. */
STK_NODISCARD stk_status stk_image_function_finished(stk_function **out, stk_function *before,
                                                     stk_function *after, stk_error *err);

/* Appends the names of the operations without parameters: "decode_image, flip" for a joined
 * function, else the function's name. */
STK_NODISCARD stk_status stk_image_function_names(stk_blob *out, const stk_function *function,
                                                  stk_error *err);

/* The timed parts of an image function (image/chain/part.h), one entry of call.ticks each; none for
 * other functions. */
size_t stk_image_function_parts(const stk_function *function);
char  *stk_image_function_part(const stk_function *function, size_t part, char *text,
                               size_t capacity);

#endif
