/* What a comparison means for a trial. */
#ifndef STK_TUNE_SEARCH_VERDICT_H
#define STK_TUNE_SEARCH_VERDICT_H

#include "tune/search/search.h"

stk_estimate stk_tune_gain_of(const stk_tune_comparison *pair);
/* Fills what was measured, decision and reason. KEPT is what a guard has not seen yet. */
void stk_tune_judge(stk_tune_trial *trial, const stk_tune_comparison *pair, double least);

#endif
