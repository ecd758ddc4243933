/* How the program that was recorded is written. */
#ifndef STK_OBSERVE_TIMELINE_TIMELINE_PROGRAM_H
#define STK_OBSERVE_TIMELINE_TIMELINE_PROGRAM_H

#include "observe/timeline/windows.h"

/* Fills run.batch, callbacks and program of a profile whose stages are filled. */
STK_NODISCARD stk_status stk_timeline_fill_program(stk_profile *out, const stk_timeline *t,
                                                   const stk_windows *w, stk_error *err);

/* calls.c: the functions of the program that take most of its pauses, of preparing and of writing,
 * where stacks were recorded. */
STK_NODISCARD stk_status stk_timeline_fill_calls(stk_profile *out, const stk_timeline *t,
                                                 const stk_windows *w, stk_error *err);

#endif
