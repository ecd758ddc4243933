/* How events become a report, while they happen and from a file alike. */
#ifndef STK_TUNE_LEDGER_REPORT_EVENTS_H
#define STK_TUNE_LEDGER_REPORT_EVENTS_H

#include "tune/ledger/ledger.h"

/* As stk_tune_report_load, of a ledger's text; path is for messages. */
STK_NODISCARD stk_status stk_tune_report_read(stk_tune_report *out, stk_bytes text,
                                              const char *path, stk_error *err);
/* Takes an event into the report. */
STK_NODISCARD stk_status stk_tune_report_take(stk_tune_report *report, const stk_json_value *event,
                                              stk_error *err);
STK_NODISCARD stk_status stk_tune_report_add_trial(stk_tune_report      *report,
                                                   const stk_tune_trial *trial, stk_error *err);

#endif
