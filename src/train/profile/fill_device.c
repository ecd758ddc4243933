/* A device that computes behind the training thread's back. */
#include "train/profile/profile_parts.h"
#include <stdio.h>

void stk_profile_describe_device(stk_profile *out, const stk_device *device)
{
    stk_device_info     info;
    stk_profile_device *d = &out->device;
    stk_device_read_info(device, &info);
    snprintf(d->name, sizeof d->name, "%s", info.name);
    snprintf(d->driver, sizeof d->driver, "%s", info.driver);
    snprintf(d->runtime, sizeof d->runtime, "%s", info.runtime);
    snprintf(d->libraries, sizeof d->libraries, "%s", info.libraries);
    d->processors = info.processors;
    d->memory = (double)info.memory;
}

/* What it did is the work of these stages, whatever the training thread waited for. */
void stk_profile_fill_device(stk_profile *out, const stk_device_times *now,
                             const stk_device_times *before)
{
    stk_profile_device *d = &out->device;
    if (!now->known) return;
    d->work_ns = (double)(now->work_ns - before->work_ns);
    d->copy_ns = (double)(now->copy_ns - before->copy_ns);
    d->launch_ns = (double)(now->launch_ns - before->launch_ns);
    d->runs = (double)(now->runs - before->runs);
    out->stages[STK_STAGE_COMPUTE].busy_ns = d->work_ns;
    out->stages[STK_STAGE_HOST_TO_DEVICE].busy_ns = d->copy_ns;
}
