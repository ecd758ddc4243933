/* A run that never was: a profile, a diagnosis and a trace with something in every part of the
 * page, and texts that break careless writers. */
#ifndef STK_TESTS_OBSERVE_REPORT_SAMPLE_H
#define STK_TESTS_OBSERVE_REPORT_SAMPLE_H

#include <stoker/report.h>

/* What is in the name of an operation: the end of a script, a formula, U+2028, quotes. */
#define STK_SAMPLE_NASTY "=\"a,b\"</script><!--\xE2\x80\xA8"

enum { STK_SAMPLE_STEPS = 600, STK_SAMPLE_OPS = 39 };

/* Release it. */
STK_NODISCARD stk_status stk_sample_profile(stk_profile *out, stk_error *err);
void                     stk_sample_diagnosis(stk_diagnosis *out, const stk_profile *profile);
/* A trace of the profile's steps with about so many events; path: a file to write it to. */
STK_NODISCARD stk_status stk_sample_timeline(stk_timeline **out, const stk_profile *profile,
                                             size_t events, const char *path, stk_error *err);

#endif
