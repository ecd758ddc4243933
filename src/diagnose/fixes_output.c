/* What helps against the rest of the training thread's work: copies, sharing, callbacks, files. */
#include "diagnose/case.h"

#include <stdio.h>

enum { LEAST_PIXELS = 8, MOST_PIXELS = 1 << 20 };

static double steps_between(const stk_profile *p, unsigned mark)
{
    size_t marked = 0;
    for (size_t i = 0; i < p->step_count; i++)
        marked += (p->step_list[i].marks & mark) != 0;
    return marked ? (double)p->step_count / (double)marked : 0;
}

static const stk_profile_callback *slowest_callback(const stk_profile *p)
{
    const stk_profile_callback *found = NULL;
    for (size_t i = 0; i < p->callback_count; i++) {
        const stk_profile_callback *b = &p->callbacks[i];
        if (b->on_training_thread && (!found || b->ns > found->ns)) found = b;
    }
    return found;
}

static stk_fix *fix_scaled(stk_case *c, stk_stage stage, double factor)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[stage] = factor;
    return stk_case_fix(c, stage, &what);
}

static stk_fix *fix_apart(stk_case *c, stk_stage stage)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.apart[stage] = true;
    return stk_case_fix(c, stage, &what);
}

static void fix_copies(stk_case *c)
{
    stk_fix *fix = fix_scaled(c, STK_STAGE_HOST_TO_DEVICE, 0.5);
    if (!fix) return;
    fix->changes_training = true;
    snprintf(fix->title, sizeof fix->title, "copy less: foretold for half the bytes of a batch");
    snprintf(
        fix->why, sizeof fix->why,
        "a step copies %.1f MB while compute waits; pictures of 70 %% of the size are half the "
        "bytes",
        c->profile->steps > 0
            ? c->profile->stages[STK_STAGE_HOST_TO_DEVICE].bytes / c->profile->steps / 1e6
            : -1);
    if (c->profile->run.size < LEAST_PIXELS || c->profile->run.size > MOST_PIXELS) return;
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --size %lld",
             c->profile->run.data, (long long)(c->profile->run.size * 7 / 10));
    snprintf(fix->recipe, sizeof fix->recipe, "data: {size: %lld}",
             (long long)(c->profile->run.size * 7 / 10));
}

static void fix_sharing(stk_case *c)
{
    stk_fix *fix = fix_scaled(c, STK_STAGE_SHARE, 0.25);
    if (!fix) return;
    fix->changes_training = true;
    snprintf(fix->title, sizeof fix->title, "share gradients every fourth step");
    snprintf(fix->why, sizeof fix->why,
             "compute waits for the other ranks in every step; an update then uses four batches");
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --accumulate 4",
             c->profile->run.data);
    snprintf(fix->recipe, sizeof fix->recipe, "train: {accumulate: 4}");
}

static void fix_fetching(stk_case *c)
{
    const double every = steps_between(c->profile, STK_STEP_REPORT);
    stk_fix     *fix = fix_scaled(c, STK_STAGE_DEVICE_TO_HOST, 0.1);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "read results back ten times less often");
    snprintf(fix->why, sizeof fix->why, "compute waits while metrics and weights are read back");
    if (!(every > 0)) return;
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --log-every %.0f",
             c->profile->run.data, 10 * every);
    snprintf(fix->recipe, sizeof fix->recipe, "output: {log_every: %.0f}", 10 * every);
}

static void fix_callbacks(stk_case *c)
{
    const stk_profile          *p = c->profile;
    const stk_profile_callback *slow = slowest_callback(p);
    const bool   every_step = slow && (double)slow->ns > p->stages[STK_STAGE_OUTPUT].exposed_ns / 2;
    const double every = every_step ? 0 : steps_between(p, STK_STEP_REPORT);
    stk_fix     *fix = fix_apart(c, STK_STAGE_OUTPUT);
    if (fix) {
        snprintf(fix->title, sizeof fix->title, "take callback '%.60s' off the training thread",
                 slow ? slow->name : "on_step");
        snprintf(fix->why, sizeof fix->why,
                 "on_report and on_epoch run on a thread of their own, on_step delays every step");
    }
    fix = fix_scaled(c, STK_STAGE_OUTPUT, 0.1);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "call it in every tenth step only");
    snprintf(fix->why, sizeof fix->why, "what is shown or logged does not need every step");
    if (!(every > 0)) return;
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --log-every %.0f",
             c->profile->run.data, 10 * every);
    snprintf(fix->recipe, sizeof fix->recipe, "output: {log_every: %.0f}", 10 * every);
}

static void fix_writing(stk_case *c)
{
    const double every = steps_between(c->profile, STK_STEP_CHECKPOINT);
    stk_fix     *fix = fix_scaled(c, STK_STAGE_WRITE, 0.25);
    if (fix) {
        snprintf(fix->title, sizeof fix->title, "write checkpoints four times less often");
        snprintf(fix->why, sizeof fix->why, "training waits for storage each time");
        if (every > 0) {
            snprintf(fix->command, sizeof fix->command,
                     "stoker train %.150s --checkpoint-every %.0f", c->profile->run.data,
                     4 * every);
            snprintf(fix->recipe, sizeof fix->recipe, "output: {checkpoint_every: %.0f}",
                     4 * every);
        }
    }
    fix = fix_apart(c, STK_STAGE_WRITE);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "write on a thread of its own");
    snprintf(fix->why, sizeof fix->why, "the next steps go on while bytes go to the disk");
}

void stk_fixes_output(stk_case *c)
{
    static const struct {
        stk_stage stage;
        void (*add)(stk_case *c);
    } fixes[] = {{STK_STAGE_HOST_TO_DEVICE, fix_copies},
                 {STK_STAGE_SHARE, fix_sharing},
                 {STK_STAGE_DEVICE_TO_HOST, fix_fetching},
                 {STK_STAGE_OUTPUT, fix_callbacks},
                 {STK_STAGE_WRITE, fix_writing}};
    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++)
        if (c->share[fixes[i].stage].value >= STK_SHARE_WORTH) fixes[i].add(c);
}
