/* What a run used, as part of its profile. */
#ifndef CLI_TOOLS_PROFILE_RESOURCES_H
#define CLI_TOOLS_PROFILE_RESOURCES_H

#include <stoker/monitor.h>
#include <stoker/profile.h>

enum { CLI_PROFILE_SAMPLES = 2048 };

/* The machine, and all samples so far instead of those there were. A NULL monitor changes nothing.
 */
STK_NODISCARD stk_status cli_profile_take_resources(stk_profile *profile, stk_monitor *monitor,
                                                    stk_error *err);

#endif
