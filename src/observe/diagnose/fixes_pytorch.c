/* Fixes for PyTorch programs, in PyTorch's terms. A trace has times but no what-if measurements.
 * Each gain is therefore an interval between a safe and an optimistic estimate; without a safe one
 * there is no number. */
#include "observe/diagnose/fix.h"

#include <math.h>
#include <string.h>

enum { LESS_OFTEN = 10, USUAL_WORKERS = 4, WORKERS_MAX = 16, LARGEST_FACTOR = 32 };

/* Nanoseconds to launch one operation from Python, whatever its size. */
static const double start_least_ns = 4e3, start_most_ns = 25e3;
/* A larger batch is advised if this fraction of a step is independent of the batch. */
static const double fixed_worth = 0.25, fixed_left = 0.1;
/* Fractions of compute's operations. */
static const double float64_worth = 0.05, convolutions_worth = 0.3;
/* Time of a float32 operation relative to float64: half the bytes, or another kernel. */
static const double float32_weak = 0.6, float32_strong = 0.05;

static bool on_cpu(const stk_diagnosis_ctx *c)
{
    return c->profile->device.work_ns < 0;
}

static double rate_of(const stk_diagnosis_ctx *c, double step_ns)
{
    return c->samples_a_step / step_ns * 1e9;
}

/* Between two lengths of a step, widened by the error of predictions. */
static stk_estimate between(const stk_diagnosis_ctx *c, double slow_ns, double fast_ns)
{
    const double       s = rate_of(c, slow_ns), f = rate_of(c, fast_ns);
    const stk_estimate low = stk_diagnosis_ctx_widen(c, (stk_estimate){s, s, s});
    const stk_estimate high = stk_diagnosis_ctx_widen(c, (stk_estimate){f, f, f});
    return (stk_estimate){sqrt(s * f), low.low, high.high};
}

static int workers_for(const stk_diagnosis_ctx *c)
{
    const int cores = c->profile->machine.cores;
    if (cores < 1) return USUAL_WORKERS;
    if (cores < 2) return 2;
    return cores < WORKERS_MAX ? cores : WORKERS_MAX;
}

static void name_slow_input(const stk_diagnosis_ctx *c, stk_fix *fix)
{
    const char  *slow = c->profile->program.slow_input;
    const double percent = 100 * c->fraction[STK_STAGE_PREPROCESS].value;
    if (*slow)
        stk_fix_because(fix,
                        "the training thread waits %.0f %% of a step for the DataLoader; most "
                        "of it is in %.80s",
                        percent, slow);
    else
        stk_fix_because(fix, "the training thread waits %.0f %% of a step for the DataLoader",
                        percent);
}

/* With workers, samples are prepared in parallel and share the cores with compute on a CPU. */
static void fix_by_first_workers(stk_diagnosis_ctx *c)
{
    const int    cores = c->profile->machine.cores, workers = workers_for(c);
    const double wait = c->fraction[STK_STAGE_PREPROCESS].value * c->step_ns;
    const double rest = c->step_ns - wait;
    const double fast = fmax(rest, wait / workers);
    const double slow = on_cpu(c) ? rest + wait / fmax(1, cores) : fast;
    stk_fix     *fix = stk_diagnosis_ctx_fix_rate(c, STK_STAGE_PREPROCESS, "num_workers",
                                                  between(c, fmin(slow, c->step_ns * 0.999), fast));
    if (!fix) return;
    if (cores < 2) {
        fix->at_most = true;
        fix->gain_low = 0;
        fix->samples_per_s.low = c->rate;
    }
    stk_fix_describe(fix, "load batches in %d worker processes beside training", workers);
    name_slow_input(c, fix);
    stk_fix_set(fix, "num_workers=%d", workers);
    stk_fix_set(fix, "persistent_workers=True");
    stk_fix_code(fix,
                 "DataLoader(..., num_workers=%d, persistent_workers=True)  # with a GPU also "
                 "pin_memory=True",
                 workers);
}

/* The number of workers is unknown: doubling it at most doubles the rate. */
static void fix_by_more_workers(stk_diagnosis_ctx *c)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_PREPROCESS] = 0;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_PREPROCESS, "more_workers", &what);
    if (!fix) return;
    stk_fix_describe(fix, "give the DataLoader more workers, and let them run further ahead");
    name_slow_input(c, fix);
    stk_fix_set(fix, "num_workers*=2");
    stk_fix_set(fix, "prefetch_factor=4");
    stk_fix_set(fix, "persistent_workers=True");
    stk_fix_code(fix, "DataLoader(..., num_workers=twice as many, while there are cores, "
                      "prefetch_factor=4, persistent_workers=True)");
}

/* Which part is the same in every epoch is unknown. */
static void fix_by_preparing_once(stk_diagnosis_ctx *c)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_PREPROCESS] = 0;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_PREPROCESS, "cache", &what);
    if (!fix) return;
    stk_fix_describe(fix,
                     "do what is the same in every epoch once: keep decoded or resized samples");
    name_slow_input(c, fix);
    stk_fix_set(fix, "cache=True");
    stk_fix_code(fix, "a Dataset whose __getitem__ keeps what it made, or files written once");
}

static void fix_input(stk_diagnosis_ctx *c)
{
    if (c->fraction[STK_STAGE_PREPROCESS].value < STK_FRACTION_WORTH) return;
    if (c->profile->program.workers > 0)
        fix_by_more_workers(c);
    else
        fix_by_first_workers(c);
    fix_by_preparing_once(c);
}

/* Pinned memory copies at least twice as fast, and at best overlaps compute. */
static void fix_copies(stk_diagnosis_ctx *c)
{
    const bool  pageable = c->profile->program.pageable_ns > 0;
    stk_what_if weak, strong;
    if (on_cpu(c) || c->fraction[STK_STAGE_HOST_TO_DEVICE].value < STK_FRACTION_WORTH) return;
    stk_what_if_init(&weak);
    stk_what_if_init(&strong);
    weak.factor[STK_STAGE_HOST_TO_DEVICE] = pageable ? 0.7 : 1;
    strong.apart[STK_STAGE_HOST_TO_DEVICE] = true;
    stk_fix *fix =
        stk_diagnosis_ctx_fix_between(c, STK_STAGE_HOST_TO_DEVICE, "pin_memory", &weak, &strong);
    if (!fix) return;
    stk_fix_describe(fix, "copy batches from pinned memory while the GPU computes");
    stk_fix_because(fix, pageable ? "batches are copied from pageable memory, and the GPU waits"
                                  : "the GPU waits for each batch to be copied");
    stk_fix_set(fix, "pin_memory=True");
    stk_fix_set(fix, "non_blocking=True");
    stk_fix_code(fix, "DataLoader(..., pin_memory=True); x = x.to(device, non_blocking=True)");
}

static void fix_float64(stk_diagnosis_ctx *c)
{
    const double fraction = c->profile->program.float64;
    stk_what_if  weak, strong;
    if (fraction < float64_worth) return;
    stk_what_if_init(&weak);
    stk_what_if_init(&strong);
    weak.factor[STK_STAGE_COMPUTE] = 1 - fraction * (1 - float32_weak);
    strong.factor[STK_STAGE_COMPUTE] = 1 - fraction * (1 - float32_strong);
    stk_fix *fix = stk_diagnosis_ctx_fix_between(c, STK_STAGE_COMPUTE, "dtype", &weak, &strong);
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "compute in float32: %.0f %% of compute's time goes to float64",
                     100 * fraction);
    stk_fix_because(fix, "half the bytes, twice the numbers in a vector, and faster kernels");
    stk_fix_set(fix, "dtype=float32");
    stk_fix_code(fix, "model.float(), x.float(); look for .double(), numpy arrays and Python "
                      "numbers that became float64");
}

static const stk_profile_callback *slowest_call(const stk_profile *p)
{
    const stk_profile_callback *found = NULL;
    for (size_t i = 0; i < p->callback_count; i++)
        if (!found || p->callbacks[i].ns > found->ns) found = &p->callbacks[i];
    return found;
}

/* Code of the loop without any operation. */
static double pauses_ns(const stk_profile *p)
{
    const stk_profile_callback *slow = slowest_call(p);
    return fmax(fmax(0, p->program.pause_ns), slow ? (double)slow->ns : 0);
}

/* Time of a step that is independent of the batch: optimiser, loop, launches. */
static void estimate_fixed(const stk_diagnosis_ctx *c, double *weak, double *strong)
{
    const stk_profile *p = c->profile;
    const double       steps = fmax(1, p->steps);
    const double       loop = c->fraction[STK_STAGE_NONE].value * c->step_ns;
    const double       starts = fmax(0, p->program.operations) / steps;
    const double       always = fmax(0, p->program.fixed_ns) / steps;
    const double       compute = c->fraction[STK_STAGE_COMPUTE].value * c->step_ns;
    const double       pauses = fmin(loop, pauses_ns(p) / steps);
    *weak = always + (loop - pauses) / 2 + fmin(starts * start_least_ns, compute - always);
    *strong = always + loop - pauses + fmin(starts * start_most_ns, 0.97 * (compute - always));
}

static int batch_factor(double fixed, double step)
{
    int factor = 2;
    while (factor < LARGEST_FACTOR && fixed > fixed_left * (fixed + factor * (step - fixed)))
        factor *= 2;
    return factor;
}

static void fix_by_batch(stk_diagnosis_ctx *c)
{
    const int64_t batch = c->profile->run.batch;
    double        weak, strong;
    if (c->profile->program.operations < 0) return;
    estimate_fixed(c, &weak, &strong);
    const double middle = (weak + strong) / 2, t = c->step_ns;
    const double left = t - pauses_ns(c->profile) / fmax(1, c->profile->steps);
    if (middle < fixed_worth * t || strong < fixed_worth * left) return;
    if (pauses_ns(c->profile) > fixed_worth * c->profile->measured_ns)
        return; /* fix pauses first */
    const int    factor = batch_factor(middle, t);
    const double slow = (weak + factor * (t - weak)) / factor;
    const double fast = (strong + factor * (t - strong)) / factor;
    stk_fix     *fix =
        stk_diagnosis_ctx_fix_rate(c, STK_STAGE_COMPUTE, "batch_size", between(c, slow, fast));
    if (!fix) return;
    fix->changes_training = true;
    if (batch > 0)
        stk_fix_describe(fix, "use a batch of %lld instead of %lld", (long long)(batch * factor),
                         (long long)batch);
    else
        stk_fix_describe(fix, "use a batch %d times as large", factor);
    stk_fix_because(fix,
                    "%.0f operations of a step are small: %.0f to %.0f %% of it goes to starting "
                    "them, the optimizer and Python, whatever the batch; samples a second grow",
                    c->profile->program.operations / fmax(1, c->profile->steps), 100 * weak / t,
                    100 * strong / t);
    if (batch > 0)
        stk_fix_set(fix, "batch_size=%lld", (long long)(batch * factor));
    else
        stk_fix_set(fix, "batch_size*=%d", factor);
    stk_fix_code(fix, "DataLoader(..., batch_size=%s%lld)", batch > 0 ? "" : "the present one x ",
                 batch > 0 ? (long long)(batch * factor) : (long long)factor);
}

/* For a launch-bound GPU. */
static void fix_by_graphs(stk_diagnosis_ctx *c)
{
    const stk_profile   *p = c->profile;
    const stk_device_use u = stk_diagnosis_ctx_device_use(c);
    const double         exposed = p->stages[STK_STAGE_COMPUTE].exposed_ns;
    stk_what_if          what;
    if (!stk_device_is_launch_bound(&u) || !(exposed > 0)) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = fmin(1, p->device.work_ns / exposed);
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_COMPUTE, "compile", &what);
    if (!fix) return;
    stk_fix_describe(fix, "record steps as CUDA graphs: one launch instead of hundreds");
    stk_fix_because(
        fix,
        "starting operations one by one takes %.1f ms a step, and the GPU does them in %.1f ms",
        p->device.launch_ns / fmax(1, p->steps) / 1e6, p->device.work_ns / fmax(1, p->steps) / 1e6);
    stk_fix_set(fix, "compile=reduce-overhead");
    stk_fix_code(fix, "model = torch.compile(model, mode=\"reduce-overhead\")");
}

/* The gain of tensor cores depends on the kernels. */
static void fix_by_precision(stk_diagnosis_ctx *c)
{
    const stk_profile_program *g = &c->profile->program;
    if (on_cpu(c) || g->float16 < 0 || g->float16 > 0.1) return;
    if (c->fraction[STK_STAGE_COMPUTE].value < 0.5) return;
    stk_fix *fix = stk_diagnosis_ctx_fix_unpredicted(c, STK_STAGE_COMPUTE, "autocast");
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "compute in 16 bits (AMP)%s",
                     g->channels_first > 0 ? ", with channels last" : "");
    stk_fix_because(fix, "none of the operations that were recorded are in 16 bits");
    stk_fix_set(fix, "autocast=bfloat16");
    if (g->channels_first > 0) stk_fix_set(fix, "memory_format=channels_last");
    stk_fix_code(fix, "with torch.autocast(\"cuda\", dtype=torch.bfloat16): ...%s",
                 g->channels_first > 0 ? "; model.to(memory_format=torch.channels_last)" : "");
}

/* On the CPU every convolution of NCHW images reorders them twice. */
static void fix_by_channels_last(stk_diagnosis_ctx *c)
{
    const double fraction = c->profile->program.channels_first;
    if (!on_cpu(c) || fraction < convolutions_worth) return;
    if (c->fraction[STK_STAGE_COMPUTE].value < 0.5) return;
    stk_fix *fix = stk_diagnosis_ctx_fix_unpredicted(c, STK_STAGE_COMPUTE, "memory_format");
    if (!fix) return;
    stk_fix_describe(fix, "keep images as channels last");
    stk_fix_because(fix,
                    "convolutions of channels-first images take %.0f %% of compute's time, and "
                    "reorder them each time",
                    100 * fraction);
    stk_fix_set(fix, "memory_format=channels_last");
    stk_fix_code(fix, "model.to(memory_format=torch.channels_last); "
                      "x = x.to(memory_format=torch.channels_last)");
}

/* Names the loop's code between operations, if stacks were recorded. */
static void fix_loop(stk_diagnosis_ctx *c)
{
    const stk_profile          *p = c->profile;
    const stk_profile_callback *slow = slowest_call(p);
    const double                loop = p->stages[STK_STAGE_NONE].exposed_ns;
    const double                ns = slow ? (double)slow->ns : fmax(0, p->program.pause_ns);
    stk_what_if                 what;
    if (!(loop > 0) || ns < STK_FRACTION_WORTH * p->measured_ns) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_NONE] = 1 - fmin(1, ns / loop) * (1 - 1.0 / LESS_OFTEN);
    stk_fix *fix = stk_diagnosis_ctx_fix(c, STK_STAGE_NONE, "call_less", &what);
    if (!fix) return;
    if (slow)
        stk_fix_describe(fix, "call %.90s in every tenth step only", slow->name);
    else
        stk_fix_describe(fix,
                         "do what the loop does between steps in every tenth step only: printing, "
                         "logging, saving");
    stk_fix_because(fix,
                    slow ? "it takes %.1f ms a step, and nothing is computed meanwhile"
                         : "nothing is computed for %.1f ms a step; record with_stack=True to see "
                           "in which function",
                    ns / fmax(1, p->steps) / 1e6);
    stk_fix_set(fix, "every=%d", LESS_OFTEN);
    stk_fix_code(fix, "if step %% %d == 0: ...", LESS_OFTEN);
}

static stk_fix *fix_scaled(stk_diagnosis_ctx *c, stk_stage stage, const char *name, double factor)
{
    stk_what_if what;
    if (c->fraction[stage].value < STK_FRACTION_WORTH) return NULL;
    stk_what_if_init(&what);
    what.factor[stage] = factor;
    return stk_diagnosis_ctx_fix(c, stage, name, &what);
}

static void fix_writing(stk_diagnosis_ctx *c)
{
    stk_fix *fix = fix_scaled(c, STK_STAGE_WRITE, "save_less", 1.0 / LESS_OFTEN);
    if (!fix) return;
    stk_fix_describe(fix, "save checkpoints ten times less often");
    stk_fix_because(fix, "training waits for torch.save%s%.80s",
                    *c->profile->program.slow_write ? ", called by " : "",
                    c->profile->program.slow_write);
    stk_fix_set(fix, "save_every*=%d", LESS_OFTEN);
    stk_fix_code(fix, "if step %% (the present interval x %d) == 0: torch.save(...)", LESS_OFTEN);
}

/* Reading a scalar synchronises; ten times fewer reads cost a tenth. */
static void fix_scalars(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    if (on_cpu(c) || p->program.scalar_ns < STK_FRACTION_WORTH * p->measured_ns) return;
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_DEVICE_TO_HOST] = 1.0 / LESS_OFTEN;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_DEVICE_TO_HOST, "item_less", &what);
    if (!fix) return;
    stk_fix_describe(fix,
                     "ask for numbers of the GPU (.item(), .cpu(), print) in every tenth step");
    stk_fix_because(fix, "the host waits %.1f ms a step for them, and cannot launch meanwhile",
                    p->program.scalar_ns / fmax(1, p->steps) / 1e6);
    stk_fix_set(fix, "every=%d", LESS_OFTEN);
    stk_fix_code(fix, "total += loss.detach()  # and total.item() when it is shown");
}

static void fix_sharing(stk_diagnosis_ctx *c)
{
    stk_fix *fix = fix_scaled(c, STK_STAGE_ALLREDUCE, "no_sync", 0.25);
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "all-reduce every fourth step");
    stk_fix_because(fix, "compute waits for the other ranks; an update then uses four batches");
    stk_fix_set(fix, "accumulate=4");
    stk_fix_code(fix, "with model.no_sync(): loss.backward()  # for three of four batches");
}

void stk_fixes_pytorch(stk_diagnosis_ctx *c)
{
    static void (*const fixes[])(stk_diagnosis_ctx *) = {
        fix_input,     fix_copies,       fix_float64,          fix_by_batch,
        fix_by_graphs, fix_by_precision, fix_by_channels_last, fix_loop,
        fix_writing,   fix_scalars,      fix_sharing};
    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++)
        fixes[i](c);
}
