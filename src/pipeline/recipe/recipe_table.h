/* The parts of the tables, each in a file of its own. */
#ifndef STK_PIPELINE_RECIPE_RECIPE_TABLE_H
#define STK_PIPELINE_RECIPE_RECIPE_TABLE_H

#include "pipeline/recipe/data_recipe.h"

extern const stk_entries stk_recipe_sources, stk_recipe_file_sources, stk_recipe_element_stages,
    stk_recipe_batch_stages, stk_recipe_group_stages, stk_recipe_order_stages,
    stk_recipe_join_stages, stk_recipe_keep_stages;
extern const stk_entries stk_recipe_number_functions, stk_recipe_value_functions,
    stk_recipe_expand_functions;

extern const stk_entries stk_recipe_image_stages, stk_recipe_image_functions;
/* Made of the list of image operations; the same at every call. */
stk_entries stk_recipe_image_operations(void);

#endif
