/* What a device gives: arithmetic, memory, copies from the host. */
#ifndef CLI_TOOLS_PROFILE_DEVICE_H
#define CLI_TOOLS_PROFILE_DEVICE_H

#include <stdbool.h>
#include <stoker/profile.h>

/* Measures a device that computes beside the host, in float32, or in tf32 or 16 bits where
 * precision says so; what cannot be measured is -1. False: the backend is none, and limits are as
 * they were.
 */
bool cli_profile_probe_device(stk_profile_limits *limits, const char *backend,
                              const char *precision);

#endif
