/* What starting an operation costs. */
#ifndef CLI_TOOLS_PROFILE_LAUNCH_H
#define CLI_TOOLS_PROFILE_LAUNCH_H

/* Nanoseconds of one operation that does nothing, on a backend by name; -1: not known. */
double cli_profile_launch_ns(const char *backend);

#endif
