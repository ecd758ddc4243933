/* The use of the machine during a run, as part of its profile. */
#include <stdlib.h>
#include <stoker/profile.h>

stk_status stk_profile_take_resources(stk_profile *profile, stk_monitor *monitor, stk_error *err)
{
    if (!monitor) return STK_OK;
    profile->machine = *stk_monitor_machine(monitor);
    free(profile->resources);
    profile->resource_count = 0;
    profile->resources = calloc(STK_PROFILE_SAMPLES, sizeof *profile->resources);
    if (!profile->resources)
        return stk_fail(err, STK_E_NOMEM, "profile", NULL, "no memory for %d samples",
                        STK_PROFILE_SAMPLES);
    profile->resource_count = stk_monitor_series(monitor, profile->resources, STK_PROFILE_SAMPLES);
    return STK_OK;
}
