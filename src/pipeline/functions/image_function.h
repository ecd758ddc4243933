/* Image functions: a decode and operations on one value of the element. Neighbours on the same
 * value can be joined into one function that runs them as one chain (image/chain/chain.h). */
#ifndef STK_PIPELINE_FUNCTIONS_IMAGE_FUNCTION_H
#define STK_PIPELINE_FUNCTIONS_IMAGE_FUNCTION_H

#include <stoker/functions.h>

enum { STK_IMAGE_OPS_MAX = 32 }; /* of one joined function */

/* Whether after can be run in one with before, which it follows. */
bool stk_image_functions_join(const stk_function *before, const stk_function *after);

/* One function that does what both do, with the random numbers each would have: its calls have one
 * seed per step in call.seeds, before's first. */
STK_NODISCARD stk_status stk_image_function_joined(stk_function **out, stk_function *before,
                                                   stk_function *after, stk_error *err);

/* Whether after says how before's result is written (its type, scale or layout). That is part of
 * writing it, and said of before when the plan is made: by itself, what it is applied to would not
 * be known any more. */
bool stk_image_function_finishes(const stk_function *before, const stk_function *after);

/* before with after's say; takes as many seeds as before. */
STK_NODISCARD stk_status stk_image_function_finished(stk_function **out, stk_function *before,
                                                     stk_function *after, stk_error *err);

/* Appends the names of what function does, without parameters: "decode_image, flip" of a joined
 * one, its own name of any other function. */
STK_NODISCARD stk_status stk_image_function_names(stk_blob *out, const stk_function *function,
                                                  stk_error *err);

/* What the time of an image function is told by (image/chain/part.h), one in call.ticks each; none
 * of any other function. */
size_t stk_image_function_parts(const stk_function *function);
char  *stk_image_function_part(const stk_function *function, size_t part, char *text,
                               size_t capacity);

#endif
