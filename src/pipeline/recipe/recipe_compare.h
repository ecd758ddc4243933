/* The comparison of filter and take_while. */
#ifndef STK_PIPELINE_RECIPE_RECIPE_COMPARE_H
#define STK_PIPELINE_RECIPE_RECIPE_COMPARE_H

#include "pipeline/recipe/data_recipe.h"

/* In the order of stk_relation, from the third. */
#define STK_COMPARE_PARAMETERS                                                                     \
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value is compared"},          \
        {"modulo", STK_RECIPE_INTEGER, .default_value = "0",                                       \
         .help = "its remainder is compared; 0: it itself"},                                       \
        {"less_than", STK_RECIPE_NUMBER, .help = "holds when it is smaller"},                      \
        {"at_most", STK_RECIPE_NUMBER, .help = "holds when it is no larger"},                      \
        {"equals", STK_RECIPE_NUMBER, .help = "holds when it is this"},                            \
        {"differs_from", STK_RECIPE_NUMBER, .help = "holds when it is not this"},                  \
        {"at_least", STK_RECIPE_NUMBER, .help = "holds when it is no smaller"},                    \
    {                                                                                              \
        "more_than", STK_RECIPE_NUMBER, .help = "holds when it is larger"                          \
    }

/* Exactly one of the relations must be given. */
STK_NODISCARD stk_status stk_recipe_make_compare(stk_recipe *recipe, const stk_recipe_call *bound,
                                                 const stk_element_spec *input, stk_function **out,
                                                 stk_error *err);

#endif
