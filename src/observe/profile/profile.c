/* The record of a run: beginning and end. */
#include <stdlib.h>
#include <stoker/profile.h>

void stk_profile_init(stk_profile *profile)
{
    *profile = (stk_profile){.largest_batch = -1};
    profile->limits = (stk_profile_limits){-1, -1, -1, -1, -1, -1};
    profile->machine.link_bytes = -1;
    profile->device = (stk_profile_device){
        .memory = -1, .work_ns = -1, .copy_ns = -1, .launch_ns = -1, .runs = -1};
}

void stk_profile_release(stk_profile *profile)
{
    free(profile->step_list);
    free(profile->windows);
    free(profile->ops);
    free(profile->resources);
    free(profile->batches);
    stk_profile_init(profile);
}
