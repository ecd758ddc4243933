/* Opens recipes, or a default pipeline over any data. */
#include "bench_pipeline.h"

#include <stoker/dataset_operators.h>
#include <stoker/dataset_sources.h>
#include <stoker/recipe.h>
#include <stoker/shards.h>
#include <stoker/source.h>
#include <string.h>

/* A single file of any name is TFRecords if its first record has a valid header. */
static bool is_records(const char *path)
{
    stk_shards shards;
    uint64_t   length;
    if (stk_shards_find(&shards, NULL, path, NULL)) return false;
    const bool is =
        shards.count > 1 || stk_tfrecord_peek(NULL, shards.paths[0], NULL, &length, NULL) == STK_OK;
    stk_shards_release(&shards);
    return is;
}

static stk_status open_source(stk_dataset **out, const char *path, bool follow_outside,
                              stk_error *err)
{
    const stk_source_options options = {.follow_outside = follow_outside};
    stk_source              *source;
    *out = NULL;
    if (is_records(path)) return stk_dataset_tfrecord(out, NULL, path, NULL, err);
    STK_TRY(stk_source_open(&source, NULL, path, &options, err));
    const stk_status st = stk_dataset_of_source(out, source, path, NULL, err);
    stk_source_free(source);
    return st;
}

static stk_status put_batches(stk_dataset **data, int64_t size, stk_error *err)
{
    const stk_batch_options batch = {.drop_remainder = true};
    if (size) STK_TRY(stk_dataset_batch(data, size, &batch, err));
    return stk_dataset_prefetch(data, STK_AUTO, err);
}

static stk_status put_stages(stk_dataset **data, const cli_bench_shape *shape, stk_error *err)
{
    if (shape->shuffle) STK_TRY(stk_dataset_shuffle(data, shape->shuffle, NULL, err));
    STK_TRY(stk_dataset_repeat(data, -1, err));
    return put_batches(data, shape->batch, err);
}

static stk_status open_images(stk_dataset **out, const char *path, const cli_bench_shape *shape,
                              stk_error *err)
{
    const stk_images_options images = {.split = shape->split,
                                       .shuffle = shape->shuffle,
                                       .repeat = -1,
                                       .follow_outside = shape->follow_outside};
    return stk_dataset_images(out, path, &images, err);
}

static stk_status put_preset(stk_dataset **data, const cli_bench_shape *shape, stk_error *err)
{
    STK_TRY(stk_dataset_preset(data, shape->preset, &shape->preparation, err));
    return put_batches(data, shape->batch, err);
}

bool cli_bench_is_recipe(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

stk_status cli_bench_pipeline(stk_dataset **out, const char *path, const cli_bench_shape *shape,
                              stk_error *err)
{
    if (cli_bench_is_recipe(path)) return stk_recipe_load(out, path, shape->recipe, err);
    STK_TRY(shape->preset ? open_images(out, path, shape, err)
                          : open_source(out, path, shape->follow_outside, err));
    stk_status st = shape->preset ? put_preset(out, shape, err) : put_stages(out, shape, err);
    if (st) {
        stk_dataset_unref(*out);
        *out = NULL;
    }
    return st;
}
