/* Selects the steps of a recording that are compared. */
#ifndef STK_OBSERVE_DIAGNOSE_COMPARABLE_STEPS_H
#define STK_OBSERVE_DIAGNOSE_COMPARABLE_STEPS_H

#include <stoker/profile.h>

/* Writes the last comparable steps, oldest first; returns how many. Excluded are all phases but the
 * longest, its first steps, and traced steps if enough others exist. Steps with a checkpoint or a
 * report are included: they are part of training's cost. */
size_t stk_comparable_steps(const stk_profile *profile, const stk_step_record **out,
                            size_t capacity);

#endif
