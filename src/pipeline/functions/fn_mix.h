/* Shared by mixup, cutmix and their deferred forms. */
#ifndef STK_PIPELINE_FUNCTIONS_FN_MIX_H
#define STK_PIPELINE_FUNCTIONS_FN_MIX_H

#include "pipeline/functions/builtin.h"

/* As stk_function_mixup or stk_function_cutmix, with the same random numbers, but images stay
 * unchanged and value edits (int32 [rows,64]) stores the mix: appended after all others if the
 * element has none yet. */
STK_NODISCARD stk_status stk_function_mix_edits(stk_function **out, int image, int label, int edits,
                                                double alpha, bool cut, stk_error *err);

enum { STK_MIX_DETAILS = 96 };
/* The details of a mixing function, which seed its random numbers: equal for both forms. Returns
 * text. */
char *stk_mix_details(double alpha, int image, int label, bool planar, char text[STK_MIX_DETAILS]);

#endif
