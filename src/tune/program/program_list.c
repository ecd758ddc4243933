/* What could be tried next with a program, and what limits it now. */
#include "tune/program/neighbours.h"
#include "tune/program/program_subject.h"

#include <string.h>

/* Settings that the search asks about have just been measured, unless it goes on from earlier. */
static stk_status find_record(stk_tune_program_subject *subject, const stk_tune_setting *now,
                              const stk_tune_record **out, stk_error *err)
{
    const stk_tune_setting normal = stk_tune_knobs_normalize(&subject->knobs, now);
    stk_tune_block         ignored;
    *out = stk_tune_records_find(subject->records, &normal);
    if (*out) return STK_OK;
    STK_TRY(stk_tune_program_subject_measure(subject, now, &ignored, err));
    *out = stk_tune_records_find(subject->records, &normal);
    return STK_OK;
}

stk_status stk_tune_program_list(stk_tune_program_subject *subject, const stk_tune_setting *now,
                                 stk_tune_candidates *out, stk_error *err)
{
    const stk_tune_record *record;
    STK_TRY(find_record(subject, now, &record, err));
    out->count = 0;
    out->limit = record->described;
    out->advice_count = record->advice_count;
    memcpy(out->advice, record->advice, sizeof out->advice);
    stk_tune_neighbours_list(out, &subject->knobs, now, subject->records, record->limit,
                             subject->run.guard != NULL);
    return STK_OK;
}
