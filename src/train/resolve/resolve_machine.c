/* Device, precision, threads and caching. */
#include "base/limits.h"
#include "train/input/cache_choice.h"
#include "train/input/resident.h"
#include "train/resolve/resolve.h"

/* A GPU multiplies 16-bit numbers several times as fast. With a dynamic loss scale networks learn
 * as well. */
stk_status stk_resolve_precision(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    bool              decide = r->train.precision == STK_PRECISION_AUTO;
    if (decide)
        r->train.precision = stk_resolve_on_gpu(r) ? STK_PRECISION_FP16 : STK_PRECISION_FP32;
    if (r->train.loss_scale < 0)
        r->train.loss_scale = r->train.precision != STK_PRECISION_FP16 ? 0
                              : s->own                                 ? s->own->loss_scale
                                                                       : 65536;
    if (!decide || !stk_resolve_on_gpu(r)) return STK_OK;
    return stk_resolve_note(
        s, err,
        "precision fp16: on a GPU; weights and sums stay float32, --precision fp32 "
        "keeps all in it");
}

/* The GPU computes, so all cores prepare input; the training thread helps while it waits. */
static stk_status resolve_device_threads(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    int64_t           cores = stk_limits_cores();
    if (r->knobs.input_threads < 0) r->knobs.input_threads = cores;
    if (r->knobs.threads < 0) r->knobs.threads = 1;
    return stk_resolve_note(s, err, "threads: %lld prepare input",
                            (long long)r->knobs.input_threads);
}

/* With two cores an input thread takes half of a core from compute whenever it runs. Preparing
 * batches on the training thread in between is faster (docs/training.md has numbers). */
stk_status stk_resolve_threads(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    int64_t           cores = stk_limits_cores();
    if (stk_resolve_on_gpu(r)) return resolve_device_threads(s, err);
    if (r->knobs.input_threads < 0)
        r->knobs.input_threads = cores <= 2 ? 1 : cores / 8 > 1 ? cores / 8 + 1 : 2;
    if (r->knobs.threads < 0) {
        int64_t left = cores - (r->knobs.input_threads - 1);
        r->knobs.threads = left < 1 ? 1 : left;
    }
    return stk_resolve_note(s, err, "threads: %lld compute, %lld more prepare input%s",
                            (long long)r->knobs.threads, (long long)r->knobs.input_threads - 1,
                            r->knobs.input_threads == 1
                                ? ": batches are prepared between steps on the training thread"
                                : "");
}

/* Alternating needs resident images. While residency is undecided, the flip is too. */
static void resolve_flip(stk_resolve_ctx *s)
{
    stk_train_recipe *r = s->recipe;
    const bool        known = r->data.resident != STK_RESIDENT_AUTO,
               on = r->data.resident == STK_RESIDENT_ON;
    if (r->data.flip != STK_FLIP_AUTO || (s->own && s->own->alternates && !known)) return;
    r->data.flip = s->own && s->own->alternates && on ? STK_FLIP_ALTERNATE : STK_FLIP_RANDOM;
}

/* Small data on the device needs no host work: a step uploads a few numbers per image. auto is
 * decided once the device is known and all images were read. */
stk_status stk_resolve_resident(stk_resolve_ctx *s, stk_error *err)
{
    enum { RESIDENT_BYTES_MAX = 2000000000 };
    stk_train_recipe *r = s->recipe;
    char              text[320];
    const bool        off = r->data.resident == STK_RESIDENT_OFF,
               decide = r->data.resident == STK_RESIDENT_AUTO;
    const char    *obstacle = stk_resident_obstacle(r, text, sizeof text);
    const uint64_t bytes = stk_resident_bytes(r, s->data);
    if (decide && (obstacle || !stk_resolve_on_gpu(r) || bytes >= RESIDENT_BYTES_MAX))
        r->data.resident = STK_RESIDENT_OFF;
    if (decide && stk_resolve_on_gpu(r))
        STK_TRY(stk_resolve_note(s, err, "resident %s: %s (%.0f MB)",
                                 r->data.resident == STK_RESIDENT_OFF ? "off" : "on",
                                 obstacle ? obstacle
                                 : bytes >= RESIDENT_BYTES_MAX
                                     ? "images take too much of a GPU's memory"
                                     : "images are prepared on the GPU, where all of them stay",
                                 (double)bytes / 1e6));
    if (!decide && !off && obstacle)
        return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "data.resident",
                        "images cannot be kept on the device: %s; set data.resident: off",
                        obstacle);
    resolve_flip(s);
    if (r->data.flip != STK_FLIP_ALTERNATE || r->data.resident != STK_RESIDENT_OFF) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "data.flip",
                    "alternate needs images that are kept on the device; set data.resident: on");
}

/* A note for the user; the run decides again once residency is known. */
stk_status stk_resolve_cache(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    stk_cache_choice  choice;
    if (*r->data.cache_folder && r->data.cache != STK_CACHE_DISK)
        return stk_fail(err, STK_E_INVALID, "recipe", "data.cache_folder",
                        "it is for data.cache: disk, but data.cache is %s",
                        stk_train_recipe_word(r, "data.cache"));
    STK_TRY(stk_cache_choose(r, s->data, false, &choice, err));
    return stk_resolve_note(s, err, "cache: %s", choice.why);
}

/* With both enabled, MixUp is applied before CutMix, which edits cannot express. */
stk_status stk_resolve_augment(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    const bool        both = r->data.mixup > 0 && r->data.cutmix > 0;
    if (r->knobs.augment == STK_AUGMENT_AUTO)
        r->knobs.augment = stk_resolve_on_gpu(r) && !both ? STK_AUGMENT_DEVICE : STK_AUGMENT_HOST;
    if (!both || r->knobs.augment == STK_AUGMENT_HOST) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "knobs.augment",
                    "MixUp and CutMix are both on, which the device cannot do; set knobs.augment: "
                    "host, or one of data.mixup and data.cutmix to 0");
}

/* The decoder is chosen by free capacity. */
stk_status stk_resolve_check_decode(const stk_train_recipe *r, stk_error *err)
{
    const char *decode = stk_train_recipe_word(r, "knobs.decode");
    if (r->knobs.decode == STK_DECODE_CPU) return STK_OK;
    if (r->train.deterministic)
        return stk_fail(err, STK_E_INVALID, "recipe", "knobs.decode",
                        "%s decodes images here or there, as it comes, and both differ by a few "
                        "levels: with train.deterministic only cpu will do",
                        decode);
    if (stk_resolve_on_gpu(r)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", "knobs.decode",
                    "%s wants a GPU, and training is to be on %s: set knobs.decode: cpu, or "
                    "another backend",
                    decode, *r->knobs.backend ? r->knobs.backend : stk_backend_fastest());
}
