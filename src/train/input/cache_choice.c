/* Decides whether data is cached. Training images are cached as encoded files: each epoch decodes
 * another crop, and pixels would take more memory. Validation images are the same in every epoch
 * and are cached after preprocessing. */
#include "train/input/cache_choice.h"

#include "base/limits.h"

#include <stdio.h>
#include <stoker/presets.h>
#include <stoker/shards.h>
#include <stoker/source.h>
#include <string.h>

enum { ELEMENT_BYTES = 512 }; /* overhead per cached image, besides its pixels */

/* Bytes of files, by use. */
typedef struct sizes {
    uint64_t train, validation;
} sizes;

static void add(sizes *s, const stk_train_data *data, const char *split, uint64_t bytes)
{
    const bool unnamed = !*split || !*data->train_split;
    if (unnamed || strcmp(split, data->train_split) == 0)
        s->train += bytes;
    else if (strcmp(split, data->validation_split) == 0)
        s->validation += bytes;
}

static void measure_source(const stk_train_data *data, sizes *s)
{
    for (uint64_t i = 0; i < stk_source_count(data->source); i++) {
        stk_source_item item;
        stk_source_item_at(data->source, i, &item);
        add(s, data, stk_source_split_name(data->source, item.split), item.bytes);
    }
}

static stk_status measure_shards(const stk_train_recipe *recipe, const stk_train_data *data,
                                 sizes *s, stk_error *err)
{
    stk_shards shards;
    STK_TRY(stk_shards_find(&shards, NULL, recipe->data.path, err));
    stk_status st = STK_OK;
    for (size_t i = 0; i < shards.count && !st; i++) {
        stk_file_info info;
        st = stk_path_info(NULL, shards.paths[i], &info, err);
        if (!st) add(s, data, shards.splits[i], info.bytes);
    }
    stk_shards_release(&shards);
    return st;
}

uint64_t stk_cache_ceiling(const stk_train_recipe *recipe)
{
    return recipe->knobs.memory_mb > 0 ? (uint64_t)recipe->knobs.memory_mb * STK_BYTES_PER_MB
                                       : stk_limits_memory_bytes() / 4;
}

/* Number of times data is read, at least in part. */
static double passes(const stk_train_recipe *r, const stk_train_data *data)
{
    const double by_steps =
        (double)r->train.steps * (double)r->data.batch / ((double)data->train_count + 1);
    return r->train.steps >= 0 && by_steps < r->train.epochs ? by_steps : r->train.epochs;
}

static bool is_evaluated_again(const stk_train_recipe *r, const stk_train_data *data)
{
    const double every = r->train.eval_every > 0 ? (double)r->train.eval_every : 1e9;
    return data->validation_count > 0 && passes(r, data) > every;
}

static uint64_t prepared_bytes(const stk_train_recipe *r, const stk_train_data *data)
{
    const stk_preset *preset = stk_preset_find(r->data.preset);
    const uint64_t    side = (uint64_t)r->data.size, channels = preset ? preset->channels : 3;
    return (uint64_t)data->validation_count * (side * side * channels + ELEMENT_BYTES);
}

const char *stk_cache_amount(char text[STK_CACHE_AMOUNT], uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    double                   amount = (double)bytes / 1e3;
    size_t                   unit = 0;
    while (amount >= 1000 && unit + 1 < sizeof units / sizeof *units)
        amount /= 1000, unit++;
    snprintf(text, STK_CACHE_AMOUNT, "%.1f %s", amount, units[unit]);
    return text;
}

/* Why nothing is cached, whatever its size; NULL: caching is possible. */
static const char *obstacle(const stk_train_recipe *r, const stk_train_data *data, bool injected,
                            bool requested)
{
    if (r->data.cache == STK_CACHE_NONE) return "data.cache says so";
    if (!*r->data.path) return "there is no data";
    if (r->data.resident == STK_RESIDENT_ON) return "all images stay on the device";
    if (requested) return NULL;
    if (injected) return "slow reads are injected; data.cache: memory keeps what they give";
    if (*r->data.pipeline) return "data.pipeline has stages of its own, which may cache";
    return passes(r, data) <= 1 ? "the data is read once" : NULL;
}

static void note_memory(stk_cache_choice *c)
{
    char files[STK_CACHE_AMOUNT], images[STK_CACHE_AMOUNT], limit[STK_CACHE_AMOUNT];
    stk_cache_amount(files, c->files);
    stk_cache_amount(images, c->images);
    stk_cache_amount(limit, c->limit);
    if (c->prepared)
        snprintf(c->why, sizeof c->why,
                 "memory: %s of files, and %s of images ready to evaluate (limit %s)", files,
                 images, limit);
    else
        snprintf(c->why, sizeof c->why, "memory: %s of files (limit %s)", files, limit);
}

static stk_status fail_memory(const stk_cache_choice *c, uint64_t ceiling, stk_error *err)
{
    char need[STK_CACHE_AMOUNT], limit[STK_CACHE_AMOUNT], all[STK_CACHE_AMOUNT];
    return stk_fail(err, STK_E_CEILING, "recipe", "data.cache",
                    "memory was asked for, but the files take %s and the cache may have %s of the "
                    "%s for input: raise knobs.memory_mb, or set data.cache: disk",
                    stk_cache_amount(need, c->files), stk_cache_amount(limit, c->limit),
                    stk_cache_amount(all, ceiling));
}

/* In memory: up to half of the input's ceiling, or three quarters if the user asked for it. */
static stk_status choose_memory(stk_cache_choice *c, const stk_train_recipe *r, bool requested,
                                sizes s, uint64_t ready, stk_error *err)
{
    const uint64_t ceiling = stk_cache_ceiling(r);
    char           files[STK_CACHE_AMOUNT], limit[STK_CACHE_AMOUNT];
    c->limit = requested ? ceiling / 4 * 3 : ceiling / 2;
    c->prepared = ready && s.train + ready <= c->limit;
    c->images = c->prepared ? ready : 0;
    c->files = s.train + (c->prepared ? 0 : s.validation);
    if (c->files + c->images <= c->limit) {
        c->kind = STK_CACHE_MEMORY;
        note_memory(c);
        return STK_OK;
    }
    if (requested) return fail_memory(c, ceiling, err);
    snprintf(
        c->why, sizeof c->why,
        "none: %s of files do not fit into %s of memory; --memory-mb raises that, --cache disk "
        "keeps them on a disk",
        stk_cache_amount(files, c->files), stk_cache_amount(limit, c->limit));
    return STK_OK;
}

static stk_status none(stk_cache_choice *c, const char *why)
{
    snprintf(c->why, sizeof c->why, "none: %s", why);
    return STK_OK;
}

stk_status stk_cache_choose(const stk_train_recipe *recipe, const stk_train_data *data,
                            bool injected, stk_cache_choice *out, stk_error *err)
{
    const stk_train_recipe *r = recipe;
    const bool              disk = r->data.cache == STK_CACHE_DISK;
    const bool              requested = disk || r->data.cache == STK_CACHE_MEMORY;
    const char             *why = obstacle(r, data, injected, requested);
    const bool              ready = is_evaluated_again(r, data) && !*r->data.pipeline;
    sizes                   s = {0};
    stk_status              st;
    *out = (stk_cache_choice){.kind = STK_CACHE_NONE};
    if (why) return none(out, why);
    if (data->source)
        measure_source(data, &s);
    else if ((st = measure_shards(r, data, &s, err)))
        return requested ? st : none(out, "the size of the files is not known");
    if (!disk) return choose_memory(out, r, requested, s, ready ? prepared_bytes(r, data) : 0, err);
    out->kind = STK_CACHE_DISK;
    out->files = s.train + s.validation;
    char files[STK_CACHE_AMOUNT];
    snprintf(out->why, sizeof out->why, "disk: %s of files stay in %.100s",
             stk_cache_amount(files, out->files),
             *r->data.cache_folder ? r->data.cache_folder : "the run's folder");
    return STK_OK;
}
