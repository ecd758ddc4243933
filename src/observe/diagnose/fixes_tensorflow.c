/* Fixes for TensorFlow and JAX programs, in their terms. */
#include "observe/diagnose/fix.h"

#include <math.h>

static bool on_cpu(const stk_diagnosis_ctx *c)
{
    return c->profile->device.work_ns < 0;
}

static bool input_costs(const stk_diagnosis_ctx *c)
{
    return c->fraction[STK_STAGE_READ].value + c->fraction[STK_STAGE_PREPROCESS].value >=
           STK_FRACTION_WORTH;
}

/* Removes the wait for input: the upper bound of any change to it. */
static stk_fix *fix_input_at_most(stk_diagnosis_ctx *c, const char *name)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] = what.factor[STK_STAGE_PREPROCESS] = 0;
    return stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_PREPROCESS, name, &what);
}

/* Prefetched batches cost nothing until the input is the bottleneck. */
static void fix_by_prefetching(stk_diagnosis_ctx *c)
{
    const double wait =
        c->step_ns * (c->fraction[STK_STAGE_READ].value + c->fraction[STK_STAGE_PREPROCESS].value);
    const double rest = c->step_ns - wait;
    const double rate = c->samples_a_step / fmax(rest, wait) * 1e9;
    if (c->profile->program.prefetches != 0) return;
    stk_fix *fix =
        stk_diagnosis_ctx_fix_rate(c, STK_STAGE_PREPROCESS, "prefetch",
                                   stk_diagnosis_ctx_widen(c, (stk_estimate){rate, rate, rate}));
    if (!fix) return;
    if (on_cpu(c)) { /* input shares the cores with compute */
        fix->at_most = true;
        fix->gain_low = 0;
        fix->samples_per_s.low = c->rate;
    }
    stk_fix_describe(fix, "prepare batches while others are trained on");
    stk_fix_because(fix, "the input has no prefetch: each batch is made when it is asked for");
    stk_fix_set(fix, "prefetch=AUTOTUNE");
    stk_fix_code(fix, "dataset = dataset.prefetch(tf.data.AUTOTUNE)  # the last stage");
}

static void fix_by_parallel_maps(stk_diagnosis_ctx *c)
{
    stk_fix *fix =
        c->profile->program.parallel_maps != 1 ? fix_input_at_most(c, "num_parallel_calls") : NULL;
    if (!fix) return;
    stk_fix_describe(fix, "call map on several elements at a time");
    stk_fix_because(fix, c->profile->program.parallel_maps == 0
                             ? "the input's map has no num_parallel_calls: it runs on one thread"
                             : "training waits for input");
    stk_fix_set(fix, "num_parallel_calls=AUTOTUNE");
    stk_fix_code(fix, "dataset.map(f, num_parallel_calls=tf.data.AUTOTUNE)");
}

static void fix_by_reading(stk_diagnosis_ctx *c)
{
    if (c->fraction[STK_STAGE_READ].value < STK_FRACTION_WORTH) return;
    stk_fix *fix = fix_input_at_most(c, "interleave");
    if (!fix) return;
    stk_fix_describe(fix, "read several files at a time");
    stk_fix_because(fix, "%.0f %% of a step waits for records",
                    100 * c->fraction[STK_STAGE_READ].value);
    stk_fix_set(fix, "interleave=AUTOTUNE");
    stk_fix_code(fix, "files.interleave(tf.data.TFRecordDataset, "
                      "num_parallel_calls=tf.data.AUTOTUNE)");
}

static void fix_by_cache(stk_diagnosis_ctx *c)
{
    if (c->profile->program.caches == 1) return;
    stk_fix *fix = fix_input_at_most(c, "cache");
    if (!fix) return;
    stk_fix_describe(fix, "keep what is the same in every epoch");
    stk_fix_because(fix, "all that stands before cache() is done in the first epoch only, if it "
                         "fits into memory");
    stk_fix_set(fix, "cache=True");
    stk_fix_code(fix, "dataset.map(decode).cache().map(augment)");
}

static void fix_compute(stk_diagnosis_ctx *c)
{
    stk_fix *fix;
    if (c->fraction[STK_STAGE_COMPUTE].value < 0.5) return;
    if ((fix = stk_diagnosis_ctx_fix_unpredicted(c, STK_STAGE_COMPUTE, "jit_compile"))) {
        stk_fix_describe(fix, "compile the step with XLA");
        stk_fix_because(fix,
                        "compute is %.0f %% of a step; what fusing gives is not told by a "
                        "trace: measure it",
                        100 * c->fraction[STK_STAGE_COMPUTE].value);
        stk_fix_set(fix, "jit_compile=True");
        stk_fix_code(fix, "model.compile(..., jit_compile=True) or "
                          "@tf.function(jit_compile=True)");
    }
    if (on_cpu(c) ||
        !(fix = stk_diagnosis_ctx_fix_unpredicted(c, STK_STAGE_COMPUTE, "mixed_precision")))
        return;
    fix->changes_training = true;
    stk_fix_describe(fix, "compute in 16 bits");
    stk_fix_because(fix, "GPUs multiply 16-bit numbers several times as fast");
    stk_fix_set(fix, "mixed_precision=mixed_float16");
    stk_fix_code(fix, "tf.keras.mixed_precision.set_global_policy(\"mixed_float16\")");
}

static void fix_loop(stk_diagnosis_ctx *c)
{
    stk_what_if what;
    if (c->fraction[STK_STAGE_NONE].value < STK_FRACTION_LIMIT) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_NONE] = 0.1;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_NONE, "steps_per_execution", &what);
    if (!fix) return;
    stk_fix_describe(fix, "run several steps for one call from Python, and callbacks less often");
    stk_fix_because(fix, "%.0f %% of a step is Python between operations",
                    100 * c->fraction[STK_STAGE_NONE].value);
    stk_fix_set(fix, "steps_per_execution=10");
    stk_fix_code(fix, "model.compile(..., steps_per_execution=10)");
}

void stk_fixes_tensorflow(stk_diagnosis_ctx *c)
{
    if (input_costs(c)) {
        fix_by_prefetching(c);
        fix_by_parallel_maps(c);
        fix_by_reading(c);
        fix_by_cache(c);
    }
    fix_compute(c);
    fix_loop(c);
}

void stk_fixes_jax(stk_diagnosis_ctx *c)
{
    stk_fix *fix = input_costs(c) ? fix_input_at_most(c, "worker_count") : NULL;
    if (fix) {
        stk_fix_describe(fix,
                         "load batches beside training, and put them on the device ahead of time");
        stk_fix_because(fix, "training waits for input");
        stk_fix_set(fix, "worker_count=4");
        stk_fix_code(fix, "grain.DataLoader(..., worker_count=4); jax.device_put of the next batch "
                          "before the step");
    }
    stk_what_if what;
    if (c->fraction[STK_STAGE_NONE].value < STK_FRACTION_LIMIT) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_NONE] = 0.1;
    fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_NONE, "call_less", &what);
    if (!fix) return;
    stk_fix_describe(fix,
                     "ask for numbers (float(loss), block_until_ready) in every tenth step only");
    stk_fix_because(fix, "%.0f %% of a step is Python that the device waits for",
                    100 * c->fraction[STK_STAGE_NONE].value);
    stk_fix_set(fix, "every=10");
    stk_fix_code(fix, "if step %% 10 == 0: print(float(loss))");
}
