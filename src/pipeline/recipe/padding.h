/* Shapes and padding of batches, as padded_batch and bucket_by_length take them. */
#ifndef STK_PIPELINE_RECIPE_PADDING_H
#define STK_PIPELINE_RECIPE_PADDING_H

#include "pipeline/recipe/data_recipe.h"

typedef struct stk_padding {
    const stk_shape *shapes;  /* NULL: not given */
    stk_element     *values;  /* holds the padding; NULL: not given */
    stk_value       *padding; /* a copy of its values, for arrays; NULL: not given */
    size_t           count;
} stk_padding;

/* Of the arguments for shapes and padding, for elements of input. On failure nothing is held. */
STK_NODISCARD stk_status stk_padding_init(stk_padding *out, const stk_recipe *recipe,
                                          const stk_recipe_call *bound, const stk_argument *shapes,
                                          const stk_argument     *padding,
                                          const stk_element_spec *input, stk_error *err);
void                     stk_padding_release(stk_padding *padding);

#endif
