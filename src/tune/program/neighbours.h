/* What could be tried from a setting: the values of knobs next to the present ones. */
#ifndef STK_TUNE_PROGRAM_NEIGHBOURS_H
#define STK_TUNE_PROGRAM_NEIGHBOURS_H

#include "tune/program/records.h"

/* Whether a knob of this name is known to change what is learnt. */
bool stk_tune_knob_changes_learning(const char *name);

/* Settings of records are normal ones. Adds a candidate for each value: of numbers the next larger
 * and the next smaller, of few numbers and of words all. Those that ran before are left out: the
 * search has seen them. limit orders them, by what names tell. guarded: changes of learning are
 * checked. */
void stk_tune_neighbours_list(stk_tune_candidates *out, const stk_tune_knobs *knobs,
                              const stk_tune_setting *now, stk_tune_record *records,
                              stk_usage_bottleneck limit, bool guarded);

#endif
