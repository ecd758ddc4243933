/* Reports of searches that never were: one with something in every part of the page, one without
 * anything, and texts that break careless writers. */
#ifndef STK_TESTS_TUNE_SAMPLE_REPORT_H
#define STK_TESTS_TUNE_SAMPLE_REPORT_H

#include <stoker/tune.h>

/* The end of a script, quotes, U+2028, a terminal's sequence, a byte that is not UTF-8. */
#define STK_SAMPLE_TUNE_NASTY "=\"a,b\"'</script><!--<b>&amp;\xE2\x80\xA8\033[2J\xFF"

enum { STK_SAMPLE_TUNE_KEPT = 10, STK_SAMPLE_TUNE_DROPPED = 20 };

/* A search of a recipe: some kept, some dropped for each reason. Release it, even on failure. */
STK_NODISCARD stk_status stk_sample_tune(stk_tune_report *out, stk_error *err);
/* A search of a program in which nothing was kept; of stages nothing is known. */
STK_NODISCARD stk_status stk_sample_tune_none(stk_tune_report *out, stk_error *err);
/* A search that has only begun: nothing was measured. */
void stk_sample_tune_empty(stk_tune_report *out);
/* A search that goes on, of so many trials, with texts as long as they can be, nasty ones, unknown
 * predictions and open intervals. */
STK_NODISCARD stk_status stk_sample_tune_nasty(stk_tune_report *out, size_t trials, stk_error *err);

#endif
