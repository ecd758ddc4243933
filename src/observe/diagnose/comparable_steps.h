/* Which steps of a recording count. */
#ifndef STK_OBSERVE_DIAGNOSE_COMPARABLE_STEPS_H
#define STK_OBSERVE_DIAGNOSE_COMPARABLE_STEPS_H

#include <stoker/profile.h>

/* The last steps that are like each other, oldest first; returns how many. Left out: all but the
 * longest phase, its first steps, and those whose operations were recorded when enough others are
 * there. Steps with a checkpoint or a report belong: they are part of what training costs. */
size_t stk_comparable_steps(const stk_profile *profile, const stk_step_record **out,
                            size_t capacity);

#endif
