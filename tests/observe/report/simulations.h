/* Random models and random changes of them, with the library's results: the page must give the
 * same. */
#ifndef STK_TESTS_OBSERVE_REPORT_SIMULATIONS_H
#define STK_TESTS_OBSERVE_REPORT_SIMULATIONS_H

#include <stoker/diagnosis.h>
#include <stoker/json.h>

/* Appends one question as a JSON object: the changes, and the library's rate. */
void write_question(stk_json_writer *w, const stk_profile *profile, const stk_what_if *what);
/* Appends [{"model": ..., "questions": [...]}, ...]. */
STK_NODISCARD stk_status write_simulations(stk_blob *out, stk_error *err);

#endif
