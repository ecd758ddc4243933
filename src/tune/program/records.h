/* What runs of each setting have told so far. Settings are normal ones
 * (stk_tune_knobs_normalize). */
#ifndef STK_TUNE_PROGRAM_RECORDS_H
#define STK_TUNE_PROGRAM_RECORDS_H

#include "tune/program/run.h"
#include "tune/search/search.h"

enum { STK_TUNE_RECORD_GUARDS = 32 };

typedef struct stk_tune_record {
    stk_tune_setting        setting;
    size_t                  guard_count;
    double                  guards[STK_TUNE_RECORD_GUARDS]; /* of the last runs, in their order */
    stk_usage_bottleneck    limit;                          /* of the last run */
    stk_tune_limit          described;
    size_t                  advice_count;
    stk_tune_advice         advice[STK_TUNE_ADVICE];
    struct stk_tune_record *next;
} stk_tune_record;

/* NULL: this setting never ran. Borrowed. */
stk_tune_record *stk_tune_records_find(stk_tune_record *records, const stk_tune_setting *setting);
/* Adds a run. */
STK_NODISCARD stk_status stk_tune_records_add(stk_tune_record       **records,
                                              const stk_tune_setting *setting,
                                              const stk_tune_run *run, stk_error *err);
void                     stk_tune_records_free(stk_tune_record *records);

#endif
