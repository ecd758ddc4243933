/* Initialises and releases profiles. */
#include <stdlib.h>
#include <stoker/profile.h>

void stk_profile_init(stk_profile *profile)
{
    *profile = (stk_profile){.largest_batch = -1};
    profile->limits = (stk_machine_peaks){-1, -1, -1, -1, -1, -1};
    profile->machine.link_bytes = -1;
    profile->device = (stk_profile_device){
        .memory = -1, .work_ns = -1, .copy_ns = -1, .launch_ns = -1, .runs = -1};
    profile->program = (stk_profile_program){.workers = -1,
                                             .prefetches = -1,
                                             .parallel_maps = -1,
                                             .caches = -1,
                                             .float64 = -1,
                                             .float16 = -1,
                                             .channels_first = -1,
                                             .fixed_ns = -1,
                                             .operations = -1,
                                             .pageable_ns = -1,
                                             .scalar_ns = -1,
                                             .pause_ns = -1};
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
