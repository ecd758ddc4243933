/* What all searches do alike at their begin and end. */
#ifndef STK_TUNE_REPORT_REPORT_FILES_H
#define STK_TUNE_REPORT_REPORT_FILES_H

#include <stoker/tune.h>

/* Fills what the machine, the program and the time are. */
STK_NODISCARD stk_status stk_tune_report_identify(stk_tune_report *report, stk_error *err);
/* Writes folder/report.html. */
STK_NODISCARD stk_status stk_tune_save_page(const stk_tune_report *report, const char *folder,
                                            stk_error *err);

#endif
