/* Which candidate is tried next. */
#ifndef STK_TUNE_SEARCH_PICK_H
#define STK_TUNE_SEARCH_PICK_H

#include "tune/search/search.h"

/* One that was tried, and what limited then. */
typedef struct stk_tune_tried {
    char      action[STK_TUNE_NAME], change[2 * STK_TUNE_VALUE];
    stk_stage limit;
    int       times;
    bool      final; /* refused or failed: another limit changes nothing */
} stk_tune_tried;

typedef struct stk_tune_picker {
    size_t          count, capacity;
    stk_tune_tried *list;           /* owned */
    double          least, trial_s; /* smallest gain worth a trial; what a trial takes besides */
    const char     *only, *without, *pinned; /* lists with commas; NULL: none */
    bool            allow_learning;
} stk_tune_picker;

void stk_tune_picker_release(stk_tune_picker *picker);
/* The eligible candidate with the largest predicted gain for its time; NULL: none. *waiting is how
 * many others are eligible. */
const stk_tune_candidate *stk_tune_pick(const stk_tune_picker     *picker,
                                        const stk_tune_candidates *list,
                                        const stk_tune_setting *now, size_t *waiting);
/* Remembers a trial of candidate while limit was what limits. */
STK_NODISCARD stk_status stk_tune_picker_remember(stk_tune_picker          *picker,
                                                  const stk_tune_candidate *candidate,
                                                  stk_stage limit, stk_tune_decision decision,
                                                  stk_error *err);
/* The stage with the largest exposed share; NONE: not known. */
stk_stage stk_tune_limit_stage(const stk_tune_limit *limit);

#endif
