/* Properties of the recorded program. */
#ifndef STK_OBSERVE_TIMELINE_TIMELINE_PROGRAM_H
#define STK_OBSERVE_TIMELINE_TIMELINE_PROGRAM_H

#include "observe/timeline/windows.h"

/* Fills run.batch, callbacks and program of a profile whose stages are filled. */
STK_NODISCARD stk_status stk_timeline_fill_program(stk_profile *out, const stk_timeline *t,
                                                   const stk_windows *w, stk_error *err);

/* calls.c: names the functions with most of the pauses, of preparation and of writing, if stacks
 * were recorded. */
STK_NODISCARD stk_status stk_timeline_fill_calls(stk_profile *out, const stk_timeline *t,
                                                 const stk_windows *w, stk_error *err);

#endif
