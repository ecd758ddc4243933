/* What starting an operation costs. */
#ifndef STK_TOOLS_PROFILE_LAUNCH_H
#define STK_TOOLS_PROFILE_LAUNCH_H

/* Nanoseconds of one operation that does nothing, on a backend by name; -1: not known. */
double stk_profile_launch_ns(const char *backend);

#endif
