/* Random runs and random changes of them, with what the library predicts: the page is asked the
 * same. */
#ifndef STK_TESTS_OBSERVE_REPORT_REPLAYS_H
#define STK_TESTS_OBSERVE_REPORT_REPLAYS_H

#include <stoker/diagnosis.h>
#include <stoker/json.h>

/* Appends one question as a JSON object: what is changed, and the library's rate of it. */
void write_question(stk_json_writer *w, const stk_profile *profile, const stk_what_if *what);
/* Appends [{"model": ..., "questions": [...]}, ...]. */
STK_NODISCARD stk_status write_replays(stk_blob *out, stk_error *err);

#endif
