/* What a device gives: arithmetic, memory, copies from the host. */
#ifndef STK_TOOLS_PROFILE_DEVICE_H
#define STK_TOOLS_PROFILE_DEVICE_H

#include <stoker/profile.h>

/* Measures a device that computes beside the host, in float32, or in 16 bits where precision says
 * so; limits of other backends stay as they are, as does what cannot be measured. */
void stk_profile_probe_device(stk_profile_limits *limits, const char *backend,
                              const char *precision);

#endif
