/* Fixes for slow input, S1 and S2, by the kind of data. */
#include "observe/diagnose/fix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIXELS_MAX = 1 << 20 };

/* Input may use a quarter of memory by default, and a cache half of that. */
static const double memory_for_cache = 0.125;
/* Ratio of stored to needed size from which resizing once pays off. */
static const double larger = 1.25;

static double busy_share_of(const stk_profile *p, const char *word)
{
    double all = 0, found = 0;
    for (size_t i = 0; i < p->input_count; i++) {
        const double busy = fmax(0, p->inputs[i].busy_ns);
        all += busy;
        if (strstr(p->inputs[i].name, word)) found += busy;
    }
    return all > 0 ? found / all : 0;
}

/* Of files, or in the user's pipeline. */
static bool has_cache(const stk_profile *p)
{
    if (*p->run.cache && strcmp(p->run.cache, "none") != 0) return true;
    for (size_t i = 0; i < p->input_count; i++)
        if (strstr(p->inputs[i].name, "cache")) return true;
    return false;
}

static double epoch_bytes(const stk_profile *p)
{
    if (!(p->samples > 0) || p->run.data_count <= 0) return -1;
    return p->stages[STK_STAGE_READ].bytes / p->samples * (double)p->run.data_count;
}

static void fix_by_memory(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    const double bytes = epoch_bytes(p), budget = memory_for_cache * (double)p->machine.memory;
    stk_what_if  what;
    if (has_cache(p) || (bytes > 0 && p->machine.memory > 0 && bytes > budget)) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] = 0;
    stk_fix *fix = bytes > 0 && p->machine.memory > 0
                       ? stk_diagnosis_ctx_fix(c, STK_STAGE_READ, "cache", &what)
                       : stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_READ, "cache", &what);
    if (!fix) return;
    stk_fix_describe(fix, "keep the data in memory");
    if (fix->at_most)
        stk_fix_because(fix, "from the second epoch on nothing is read, if the data fits");
    else
        stk_fix_because(fix,
                        "an epoch reads %.1f MB, and a cache may take %.0f MB: from the second "
                        "epoch on nothing is read",
                        bytes / 1e6, budget / 1e6);
    stk_fix_set(fix, "data.cache=memory");
    stk_fix_train(c, fix, "--set data.cache=memory");
    stk_fix_recipe(fix, "data: {cache: memory}");
}

/* A request to a pack reads many samples; a file needs an open and a request. */
static void fix_by_packing(stk_diagnosis_ctx *c)
{
    stk_what_if what;
    if (strcmp(c->profile->run.kind, "folder") != 0) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_READ] =
        stk_diagnosis_ctx_cause(c, STK_STAGE_READ) == STK_CAUSE_READ_LATENCY ? 0.1 : 0.9;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_READ, "pack", &what);
    if (!fix) return;
    stk_fix_describe(fix, "pack the files, so that one request reads many samples");
    stk_fix_because(fix, "%s", "each of them is opened and read by itself in every epoch");
    stk_fix_pack(c, fix, "packed", "");
}

/* A crop is 7/8 of the resized image. */
static int64_t resized(const stk_profile *p)
{
    return p->run.size > 0 && p->run.size < PIXELS_MAX ? p->run.size * 8 / 7 : 0;
}

/* Work per pixel is paid once instead of every epoch. */
static void fix_by_resizing(stk_diagnosis_ctx *c, stk_stage stage)
{
    const stk_profile *p = c->profile;
    const int64_t      w = p->run.stored_width, h = p->run.stored_height, side = resized(p);
    const double       smaller = (double)(w < h ? w : h);
    stk_what_if        weak, strong;
    char               suffix[24], flags[32];
    if (w <= 0 || h <= 0 || side <= 0 || smaller < larger * (double)side) return;
    const double left = (double)(side * side) / (smaller * smaller);
    stk_what_if_init(&weak);
    stk_what_if_init(&strong);
    weak.factor[stage] = (1 + left) / 2;
    strong.factor[STK_STAGE_READ] = strong.factor[STK_STAGE_PREPROCESS] = left;
    stk_fix *fix = stk_diagnosis_ctx_fix_between(c, stage, "resize", &weak, &strong);
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "make images smaller once, before training");
    stk_fix_because(fix, "they are stored with %lldx%lld pixels and used with %lldx%lld",
                    (long long)w, (long long)h, (long long)p->run.size, (long long)p->run.size);
    snprintf(suffix, sizeof suffix, "%lld", (long long)side);
    snprintf(flags, sizeof flags, "--resize %lld", (long long)side);
    stk_fix_pack(c, fix, suffix, flags);
}

void stk_fixes_read(stk_diagnosis_ctx *c)
{
    if (c->fraction[STK_STAGE_READ].value < STK_FRACTION_WORTH) return;
    fix_by_memory(c);
    fix_by_resizing(c, STK_STAGE_READ);
    fix_by_packing(c);
}

static void fix_by_workers(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    if (p->machine.cores < 1) return; /* the gain of threads depends on the cores */
    const stk_workers w = stk_diagnosis_ctx_best_workers(c);
    const bool        traded = w.threads < (int)c->model->threads;
    stk_fix          *fix = stk_diagnosis_ctx_fix(c, STK_STAGE_PREPROCESS, "threads", &w.what);
    if (!fix) return;
    stk_fix_describe(fix, "prepare batches on %d thread%s beside training", w.input_threads - 1,
                     w.input_threads == 2 ? "" : "s");
    stk_fix_because(fix,
                    traded ? "the input needs cores more than compute does: compute gets %d of %d"
                           : "compute uses %d of %d cores",
                    w.threads, p->machine.cores);
    stk_fix_set(fix, "knobs.threads=%d", w.threads);
    stk_fix_set(fix, "knobs.input_threads=%d", w.input_threads);
    stk_fix_train(c, fix, "--threads %d --input-threads %d", w.threads, w.input_threads);
    stk_fix_recipe(fix, "knobs: {threads: %d, input_threads: %d}", w.threads, w.input_threads);
}

static double device_items(const stk_profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->input_count; i++)
        sum += p->inputs[i].device_items;
    return sum;
}

/* The GPU decoder's speed is unknown before it is tried; half of the images is typical. */
static void fix_by_device(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    const double       decode = busy_share_of(p, "decode");
    stk_what_if        what;
    if (strncmp(p->run.backend, "cuda", 4) != 0 || decode <= 0 || device_items(p) > 0) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_PREPROCESS] = 1 - decode / 2;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_PREPROCESS, "decode", &what);
    if (!fix) return;
    stk_fix_describe(fix, "let the GPU's decoder help");
    stk_fix_because(fix,
                    "decoding is %.0f %% of preparing; results are then not the same to the bit",
                    100 * decode);
    stk_fix_set(fix, "knobs.decode=shared");
    stk_fix_train(c, fix, "--set knobs.decode=shared");
    stk_fix_recipe(fix, "knobs: {decode: shared}");
}

void stk_fixes_preprocess(stk_diagnosis_ctx *c)
{
    if (c->fraction[STK_STAGE_PREPROCESS].value < STK_FRACTION_WORTH) return;
    fix_by_workers(c);
    if (c->fraction[STK_STAGE_READ].value < STK_FRACTION_WORTH)
        fix_by_resizing(c, STK_STAGE_PREPROCESS);
    fix_by_device(c);
}
