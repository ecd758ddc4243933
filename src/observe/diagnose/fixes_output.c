/* Fixes for copies, all-reduce, callbacks and files on the training thread. */
#include "observe/diagnose/fix.h"

enum { PIXELS_MIN = 16, PIXELS_MAX = 1 << 20, LESS_OFTEN = 10, WRITE_LESS_OFTEN = 4 };

/* A recipe key helps if flagged steps cause this fraction of a stage's time. */
static const double mostly = 0.5;

/* Frequency of flagged steps, and the fraction of a stage's time that they add. */
typedef struct flagged {
    double every, fraction;
} flagged;

static flagged compare_flagged(const stk_profile *p, unsigned flag, stk_stage stage)
{
    double with = 0, without = 0, with_ns = 0, without_ns = 0;
    for (size_t i = 0; i < p->step_count; i++) {
        const stk_step_record *s = &p->step_list[i];
        const bool             is = (s->marks & flag) != 0;
        *(is ? &with : &without) += 1;
        *(is ? &with_ns : &without_ns) += (double)s->exposed_ns[stage];
    }
    if (!(with > 0) || !(with_ns + without_ns > 0)) return (flagged){0, 0};
    const double without_mean = without > 0 ? without_ns / without : 0;
    return (flagged){(with + without) / with,
                     (with_ns - without_mean * with) / (with_ns + without_ns)};
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

static stk_fix *fix_scaled(stk_diagnosis_ctx *c, stk_stage stage, const char *name, double factor)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[stage] = factor;
    return stk_diagnosis_ctx_fix(c, stage, name, &what);
}

static void fix_bytes(stk_diagnosis_ctx *c)
{
    stk_fix *fix = fix_scaled(c, STK_STAGE_HOST_TO_DEVICE, "copy_less", 0.5);
    if (!fix) return;
    fix->supposed = true;
    stk_fix_describe(fix, "copy fewer bytes a step; predicted for half of them");
    stk_fix_because(fix, "compute waits while they are copied to the device");
}

/* Smaller images reduce the work of every stage that processes pixels. */
static void fix_copies(stk_diagnosis_ctx *c)
{
    static const stk_stage pixels[] = {STK_STAGE_PREPROCESS, STK_STAGE_COMPUTE};
    const stk_profile     *p = c->profile;
    const int64_t          size = p->run.size * 7 / 10;
    stk_what_if            weak, strong;
    stk_what_if_init(&weak);
    weak.factor[STK_STAGE_HOST_TO_DEVICE] = 0.5;
    strong = weak;
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++)
        strong.factor[pixels[i]] = 0.3; /* dense layers on flattened images gain most */
    if (size < PIXELS_MIN || p->run.size > PIXELS_MAX) {
        fix_bytes(c);
        return;
    }
    stk_fix *fix =
        stk_diagnosis_ctx_fix_between(c, STK_STAGE_HOST_TO_DEVICE, "size", &weak, &strong);
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "train on images of %lld instead of %lld: half the bytes to copy",
                     (long long)size, (long long)p->run.size);
    stk_fix_because(
        fix, "a step copies %.1f MB while compute waits; other stages get less to do as well",
        p->steps > 0 ? p->stages[STK_STAGE_HOST_TO_DEVICE].bytes / p->steps / 1e6 : 0);
    stk_fix_set(fix, "data.size=%lld", (long long)size);
    stk_fix_train(c, fix, "--size %lld", (long long)size);
    stk_fix_recipe(fix, "data: {size: %lld}", (long long)size);
}

static void fix_sharing(stk_diagnosis_ctx *c)
{
    stk_fix *fix = fix_scaled(c, STK_STAGE_ALLREDUCE, "accumulate", 0.25);
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "all-reduce every fourth step");
    stk_fix_because(fix, "compute waits for the other ranks in every step; an update then uses "
                         "four batches");
    stk_fix_set(fix, "train.accumulate=4");
    stk_fix_train(c, fix, "--accumulate 4");
    stk_fix_recipe(fix, "train: {accumulate: 4}");
}

/* A key makes reports rarer; work in every step is the program's own. */
static bool fix_reports(stk_diagnosis_ctx *c, stk_stage stage, const char *why)
{
    const flagged m = compare_flagged(c->profile, STK_STEP_REPORT, stage);
    if (m.fraction < mostly) return false;
    stk_fix *fix = fix_scaled(c, stage, "log_every", 1 - m.fraction * (1 - 1.0 / LESS_OFTEN));
    if (!fix) return true;
    const double every = LESS_OFTEN * m.every;
    stk_fix_describe(fix, "report ten times less often: every %.0f steps", every);
    stk_fix_because(fix, "%s", why);
    stk_fix_set(fix, "output.log_every=%.0f", every);
    stk_fix_train(c, fix, "--log-every %.0f", every);
    stk_fix_recipe(fix, "output: {log_every: %.0f}", every);
    return true;
}

static void fix_fetching(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    if (fix_reports(c, STK_STAGE_DEVICE_TO_HOST, "compute waits while metrics are read back"))
        return;
    stk_fix *fix = fix_scaled(c, STK_STAGE_DEVICE_TO_HOST, "fetch_less", 1.0 / LESS_OFTEN);
    if (!fix) return;
    stk_fix_describe(fix, "read results back in every tenth step only");
    stk_fix_because(fix, "each step reads %.2f MB back from the device, and compute waits",
                    p->steps > 0 ? p->stages[STK_STAGE_DEVICE_TO_HOST].bytes / p->steps / 1e6 : 0);
}

static void fix_callbacks(stk_diagnosis_ctx *c)
{
    const stk_profile_callback *slow = slowest_callback(c->profile);
    const char                 *name = slow ? slow->name : "on_step";
    stk_what_if                 apart;
    if (!slow && fix_reports(c, STK_STAGE_OUTPUT, "training waits while metrics are written"))
        return;
    stk_fix *fix = fix_scaled(c, STK_STAGE_OUTPUT, "call_less", 1.0 / LESS_OFTEN);
    if (fix) {
        stk_fix_describe(fix, "do the work of callback '%.60s' in every tenth step only", name);
        stk_fix_because(fix, "what is shown or logged does not need every step");
    }
    stk_what_if_init(&apart);
    apart.apart[STK_STAGE_OUTPUT] = true;
    fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_OUTPUT, "call_apart", &apart);
    if (!fix) return;
    stk_fix_describe(fix, "take callback '%.60s' off the training thread", name);
    stk_fix_because(fix, "on_report and on_epoch run on a thread of their own, on_step delays "
                         "every step");
}

static void fix_writing(stk_diagnosis_ctx *c)
{
    const flagged m = compare_flagged(c->profile, STK_STEP_CHECKPOINT, STK_STAGE_WRITE);
    const bool    by_key = m.fraction >= mostly;
    const double  less = 1 - (by_key ? m.fraction : 1) * (1 - 1.0 / WRITE_LESS_OFTEN);
    stk_fix *fix = fix_scaled(c, STK_STAGE_WRITE, by_key ? "checkpoint_every" : "write_less", less);
    if (!fix) return;
    stk_fix_describe(fix, "write %s four times less often", by_key ? "checkpoints" : "files");
    stk_fix_because(fix, "training waits for storage each time");
    if (!by_key) return;
    const double every = WRITE_LESS_OFTEN * m.every;
    stk_fix_set(fix, "output.checkpoint_every=%.0f", every);
    stk_fix_train(c, fix, "--checkpoint-every %.0f", every);
    stk_fix_recipe(fix, "output: {checkpoint_every: %.0f}", every);
}

void stk_fixes_output(stk_diagnosis_ctx *c)
{
    static const struct {
        stk_stage stage;
        void (*add)(stk_diagnosis_ctx *c);
    } fixes[] = {{STK_STAGE_HOST_TO_DEVICE, fix_copies},
                 {STK_STAGE_ALLREDUCE, fix_sharing},
                 {STK_STAGE_DEVICE_TO_HOST, fix_fetching},
                 {STK_STAGE_OUTPUT, fix_callbacks},
                 {STK_STAGE_WRITE, fix_writing}};
    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++)
        if (c->fraction[fixes[i].stage].value >= STK_FRACTION_WORTH) fixes[i].add(c);
}
