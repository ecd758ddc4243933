/* Data that is kept between epochs: the same batches, and storage is read once. */
#include "failing_alloc.h"
#include "train/input/loader.h"
#include "train/tiny_data.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <stoker/pack.h>
#include <stoker/source.h>
#include <string.h>
#include <sys/stat.h>

enum { SIDE = 12, CLASSES = 4, TRAIN = 96, TEST = 24, BATCH = 16, EPOCHS = 3 };

static void write_image(const char *folder, const char *split, int number)
{
    char       path[1024];
    uint8_t    pixels[SIDE * SIDE];
    stk_blob   png;
    stk_error  err;
    const int  label = number % CLASSES;
    stk_pixels image = {pixels, SIDE, SIDE, 1, SIDE};
    snprintf(path, sizeof path, "%s/%s", folder, split);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/class%d", folder, split, label);
    mkdir(path, 0777);
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (uint8_t)((number * 31 + i * i * 7) % 100 + 100 * (i % CLASSES == label));
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_png(&png, &image, &err));
    snprintf(path, sizeof path, "%s/%s/class%d/%04d.png", folder, split, label, number);
    stk_test_write_file(path, png.data, png.size);
    stk_blob_release(&png);
}

/* Folders by class. */
static const char *folder_data(const char *name)
{
    const char *folder = stk_test_path(name);
    mkdir(folder, 0777);
    for (int i = 0; i < TRAIN; i++)
        write_image(folder, "train", i);
    for (int i = 0; i < TEST; i++)
        write_image(folder, "test", i);
    return folder;
}

static const char *pack_data(const char *name)
{
    char        files[64];
    stk_source *source;
    stk_error   err;
    const char *out = stk_test_path(name);
    snprintf(files, sizeof files, "%s-files", name);
    EXPECT_OK(stk_source_open(&source, NULL, folder_data(files), NULL, &err));
    EXPECT_OK(
        stk_pack(source, out, &(stk_pack_options){.shard_bytes = 4000, .threads = 1}, NULL, &err));
    stk_source_free(source);
    return out;
}

typedef const char *(*data_maker)(const char *name);

static const struct {
    const char *name;
    data_maker  make;
} kinds[] = {{"folder", folder_data}, {"pack", pack_data}};

static void recipe_of(stk_train_recipe *recipe, stk_train_data *data, const char *path,
                      const char *run, const char *cache, const char *threads)
{
    tiny_recipe(recipe, data, path, stk_test_path(run),
                (const char *const[]){"train.epochs", "3", "data.cache", cache,
                                      "knobs.input_threads", threads, NULL});
}

static stk_data_cache *cache_of(const stk_train_recipe *recipe, const stk_train_data *data,
                                const char *folder)
{
    stk_data_cache              *cache;
    stk_error                    err;
    const stk_data_cache_options options = {.recipe = recipe, .data = data, .folder = folder};
    EXPECT_OK(stk_data_cache_open(&cache, &options, &err));
    return cache;
}

/* The pixels and labels of all batches, appended; the bytes that were read after each epoch. */
static void take_batches(const stk_train_recipe *recipe, const stk_train_data *data,
                         stk_data_cache *cache, stk_blob *out, uint64_t read[EPOCHS])
{
    stk_loader              *loader;
    stk_loader_batch         batch;
    stk_error                err;
    const stk_loader_options options = {
        .recipe = recipe, .data = data, .size = SIDE, .seed = 5, .cache = cache};
    EXPECT_OK(stk_loader_open(&loader, &options, &err));
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        for (int i = 0; i < TRAIN / BATCH; i++) {
            EXPECT_OK(stk_loader_next(loader, &batch, &err));
            EXPECT_INT_EQ(BATCH, batch.rows);
            EXPECT_OK(stk_blob_append(out, batch.images, BATCH * SIDE * SIDE, &err));
            EXPECT_OK(stk_blob_append(out, batch.labels, BATCH * sizeof(int64_t), &err));
        }
        if (cache && cache->files) read[epoch] = stk_cached_files_stats(cache->files).read;
    }
    stk_loader_free(loader);
}

static void expect_same_batches(size_t kind, const char *how, const char *threads)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_blob         plain, kept;
    uint64_t         read[EPOCHS] = {0};
    char             name[64], run[64];
    snprintf(name, sizeof name, "%s-%s-%s", kinds[kind].name, how, threads);
    snprintf(run, sizeof run, "%s-run", name);
    stk_blob_init(&plain, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&kept, NULL, STK_MEMORY_OUTPUT);
    recipe_of(&recipe, &data, kinds[kind].make(name), run, how, threads);
    stk_data_cache *cache = cache_of(&recipe, &data, stk_test_path(run));
    EXPECT(cache->files && cache->choice.files > (uint64_t)TRAIN * SIDE);
    take_batches(&recipe, &data, NULL, &plain, read);
    take_batches(&recipe, &data, cache, &kept, read);
    EXPECT_INT_EQ(plain.size, kept.size);
    EXPECT_MEM_EQ(plain.data, kept.data, plain.size);
    EXPECT(read[0] > 0);
    EXPECT_INT_EQ(read[0], read[1]);
    EXPECT_INT_EQ(read[0], read[2]);
    stk_blob_release(&plain);
    stk_blob_release(&kept);
    stk_data_cache_free(cache);
    stk_train_data_release(&data);
}

STK_TEST(batches_are_the_same_and_later_epochs_read_nothing)
{
    static const char *const ways[] = {"auto", "memory", "disk"}, *const threads[] = {"1", "3"};
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t w = 0; w < COUNT_OF(ways); w++)
            for (size_t t = 0; t < COUNT_OF(threads); t++)
                expect_same_batches(k, ways[w], threads[t]);
}

/* Both feeds of a phase that changes, as progressive training opens them. */
STK_TEST(a_second_feed_of_the_run_reads_nothing)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        stk_train_recipe recipe;
        stk_train_data   data;
        stk_blob         out[2];
        uint64_t         read[EPOCHS];
        char             name[64];
        snprintf(name, sizeof name, "%s-second", kinds[k].name);
        recipe_of(&recipe, &data, kinds[k].make(name), "second-run", "memory", "1");
        stk_data_cache *cache = cache_of(&recipe, &data, NULL);
        for (int i = 0; i < 2; i++)
            stk_blob_init(&out[i], NULL, STK_MEMORY_OUTPUT);
        take_batches(&recipe, &data, cache, &out[0], read);
        const uint64_t before = read[EPOCHS - 1];
        take_batches(&recipe, &data, cache, &out[1], read);
        EXPECT_INT_EQ(before, read[EPOCHS - 1]);
        EXPECT_MEM_EQ(out[0].data, out[1].data, out[0].size);
        for (int i = 0; i < 2; i++)
            stk_blob_release(&out[i]);
        stk_data_cache_free(cache);
        stk_train_data_release(&data);
    }
}

typedef struct stop {
    stk_cancel cancel;
    int64_t    at; /* 0: never */
    char       lines[4096];
} stop;

static void on_step(void *context, const stk_train_progress *p)
{
    stop *s = context;
    if (s->at && p->step == s->at) stk_cancel_request(&s->cancel);
}

static void hear(void *context, const char *line)
{
    stop        *s = context;
    const size_t used = strlen(s->lines);
    snprintf(s->lines + used, sizeof s->lines - used, "%s\n", line);
}

static stk_status train(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                        stop *s, stk_train_result *result, stk_error *err)
{
    const stk_callback        callback = {.name = "stop", .on_step = on_step, .context = s};
    const stk_trainer_options options = {.resume = resume,
                                         .callbacks = &callback,
                                         .callback_count = 1,
                                         .cancel = &s->cancel,
                                         .log = hear,
                                         .log_context = s};
    stk_trainer              *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, &options, err));
    stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

static stk_bytes weights_of(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/final.safetensors", folder);
    return stk_test_read_file(path);
}

static bool has_cache_folder(const char *folder)
{
    char        path[1024];
    struct stat unused;
    snprintf(path, sizeof path, "%s/cache", folder);
    return stat(path, &unused) == 0;
}

/* Stopped in the first and in the second epoch. */
static void expect_resumes(size_t kind, const char *how)
{
    static const int64_t stops[] = {2, 8};
    stk_train_recipe     recipe;
    stk_train_data       data;
    stk_train_result     whole, parts;
    stk_error            err;
    stop                 s = {0};
    char                 name[64], run[64];
    snprintf(name, sizeof name, "%s-%s-go", kinds[kind].name, how);
    snprintf(run, sizeof run, "%s-whole", name);
    const char *path = kinds[kind].make(name);
    recipe_of(&recipe, &data, path, run, "none", "2");
    EXPECT_OK(train(&recipe, &data, false, &s, &whole, &err));
    const stk_bytes expected = weights_of(recipe.output.folder);
    stk_train_data_release(&data);
    snprintf(run, sizeof run, "%s-parts", name);
    recipe_of(&recipe, &data, path, run, how, "2");
    for (size_t i = 0; i < COUNT_OF(stops); i++) {
        s = (stop){.at = stops[i]};
        EXPECT_OK(train(&recipe, &data, i > 0, &s, &parts, &err));
        EXPECT(parts.interrupted);
        EXPECT_INT_EQ(strcmp(how, "disk") == 0, has_cache_folder(recipe.output.folder));
    }
    s = (stop){0};
    EXPECT_OK(train(&recipe, &data, true, &s, &parts, &err));
    EXPECT(!has_cache_folder(recipe.output.folder));
    EXPECT(!strcmp(how, "disk") == !!strstr(s.lines, "cache: 0.0 KB of files were read"));
    const stk_bytes found = weights_of(recipe.output.folder);
    EXPECT_INT_EQ(expected.size, found.size);
    EXPECT_MEM_EQ(expected.data, found.data, expected.size);
    EXPECT(whole.last.validation_loss == parts.last.validation_loss);
    stk_train_data_release(&data);
}

STK_TEST(a_run_goes_on_to_the_same_bits_whatever_is_kept)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        expect_resumes(k, "memory");
        expect_resumes(k, "disk");
    }
}

static stk_status evaluate(const stk_loader_options *options, stk_blob *out, stk_error *err)
{
    stk_loader      *loader;
    stk_loader_batch batch = {.rows = 1};
    STK_TRY(stk_loader_open(&loader, options, err));
    stk_status st = STK_OK;
    while (!st && batch.rows) {
        st = stk_loader_next(loader, &batch, err);
        if (!st) st = stk_blob_append(out, batch.images, (size_t)batch.rows * SIDE * SIDE, err);
    }
    stk_loader_free(loader);
    return st;
}

/* Its files are gone after the first time, so that they cannot be read. */
STK_TEST(images_to_evaluate_on_are_kept_ready)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        stk_train_recipe recipe;
        stk_train_data   data;
        stk_blob         out[2];
        stk_error        err;
        char             name[64], command[1200];
        snprintf(name, sizeof name, "%s-ready", kinds[k].name);
        const char *path = kinds[k].make(name);
        recipe_of(&recipe, &data, path, "ready-run", "auto", "1");
        stk_data_cache *cache = cache_of(&recipe, &data, NULL);
        EXPECT(cache->choice.prepared && cache->choice.images > TEST * SIDE * SIDE);
        const stk_loader_options options = {.recipe = &recipe,
                                            .data = &data,
                                            .evaluate = true,
                                            .size = SIDE,
                                            .seed = 1,
                                            .cache = cache};
        for (int i = 0; i < 2; i++) {
            stk_blob_init(&out[i], NULL, STK_MEMORY_OUTPUT);
            EXPECT_OK(evaluate(&options, &out[i], &err));
            snprintf(command, sizeof command, "rm -rf '%s'", path);
            EXPECT_INT_EQ(0, system(command));
        }
        EXPECT_INT_EQ(TEST * SIDE * SIDE, out[0].size);
        EXPECT_MEM_EQ(out[0].data, out[1].data, out[0].size);
        for (int i = 0; i < 2; i++)
            stk_blob_release(&out[i]);
        stk_data_cache_free(cache);
        stk_train_data_release(&data);
    }
}

static void choose(stk_cache_choice *choice, const char *path, const char *const *settings)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_error        err;
    tiny_recipe(&recipe, &data, path, stk_test_path("unused"), settings);
    EXPECT_OK(stk_cache_choose(&recipe, &data, false, choice, &err));
    stk_train_data_release(&data);
}

STK_TEST(auto_says_why_it_keeps_nothing)
{
    stk_cache_choice c;
    const char      *path = tiny_data("auto", 12000, SIDE, CLASSES);
    choose(&c, path, (const char *const[]){"train.epochs", "1", NULL});
    EXPECT_STR_EQ("none: the data is read once", c.why);
    choose(&c, path, (const char *const[]){"train.steps", "100", NULL});
    EXPECT_STR_EQ("none: the data is read once", c.why);
    choose(&c, path, (const char *const[]){"data.cache", "none", NULL});
    EXPECT_STR_EQ("none: data.cache says so", c.why);
    choose(&c, path, (const char *const[]){"knobs.memory_mb", "2", NULL});
    EXPECT_INT_EQ(STK_CACHE_NONE, c.kind);
    EXPECT_CONTAINS("none: 2.2 MB of files do not fit into 1.0 MB of memory", c.why);
    choose(&c, path, (const char *const[]){"knobs.memory_mb", "5", NULL});
    EXPECT_STR_EQ("memory: 2.2 MB of files (limit 2.5 MB)", c.why);
    choose(&c, path, (const char *const[]){"knobs.memory_mb", "16", NULL});
    EXPECT_STR_EQ("memory: 1.7 MB of files, and 2.0 MB of images ready to evaluate (limit 8.0 MB)",
                  c.why);
}

STK_TEST(memory_that_is_too_small_is_refused_with_both_numbers)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_error        err;
    const char      *path = tiny_data("refused", 12000, SIDE, CLASSES);
    tiny_recipe(&recipe, &data, path, stk_test_path("refused-run"), NULL);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.cache", "memory", "test", &err));
    recipe.knobs.memory_mb = 2;
    EXPECT_STATUS(STK_E_CEILING, stk_train_resolve(&recipe, &data, NULL, &err));
    EXPECT_STR_EQ("data.cache", err.where);
    EXPECT_CONTAINS("the files take 2.2 MB and the cache may have 1.5 MB of the 2.0 MB",
                    err.message);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.cache", "memory", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.cache_folder", "here", "test", &err));
    EXPECT_STATUS(STK_E_INVALID, stk_train_resolve(&recipe, &data, NULL, &err));
    EXPECT_STR_EQ("data.cache_folder", err.where);
    stk_train_data_release(&data);
}

STK_TEST(a_folder_of_ones_own_serves_the_next_run)
{
    const char *path = pack_data("lasting"), *folder = stk_test_path("lasting-cache");
    stk_bytes   weights[2];
    for (int i = 0; i < 2; i++) {
        stk_train_recipe recipe;
        stk_train_data   data;
        stk_train_result result;
        stk_error        err;
        stop             s = {0};
        char             run[32];
        snprintf(run, sizeof run, "lasting-%d", i);
        tiny_recipe(&recipe, &data, path, stk_test_path(run),
                    (const char *const[]){"data.cache", "disk", "data.cache_folder", folder, NULL});
        EXPECT_OK(train(&recipe, &data, false, &s, &result, &err));
        EXPECT_INT_EQ(i, strstr(s.lines, "cache: 0.0 KB of files were read") != NULL);
        weights[i] = weights_of(recipe.output.folder);
        stk_train_data_release(&data);
    }
    EXPECT_MEM_EQ(weights[0].data, weights[1].data, weights[0].size);
}

/* A token bucket in front of reads: what it gave once comes at once afterwards. */
STK_TEST(injected_slow_reads_are_kept_where_that_is_asked_for)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_faults      *faults;
    stk_error        err;
    const stk_inject inject = {.read_latency_s = 0.001};
    EXPECT_OK(stk_faults_open(&faults, &inject, ".", &err));
    recipe_of(&recipe, &data, folder_data("slow"), "slow-run", "auto", "1");
    for (int asked = 0; asked < 2; asked++) {
        stk_data_cache              *cache;
        const stk_data_cache_options options = {.recipe = &recipe, .data = &data, .faults = faults};
        EXPECT_OK(stk_data_cache_open(&cache, &options, &err));
        EXPECT_INT_EQ(asked ? STK_CACHE_MEMORY : STK_CACHE_NONE, cache->choice.kind);
        if (!asked) EXPECT_CONTAINS("slow reads are injected", cache->choice.why);
        stk_data_cache_free(cache);
        EXPECT_OK(stk_train_recipe_set(&recipe, "data.cache", "memory", "test", &err));
    }
    stk_faults_free(faults);
    stk_train_data_release(&data);
}

typedef struct opening {
    stk_train_recipe recipe;
    stk_train_data   data;
} opening;

static stk_status open_and_free(void *context, stk_error *err)
{
    opening                     *o = context;
    stk_data_cache              *cache;
    const stk_data_cache_options options = {.recipe = &o->recipe, .data = &o->data};
    STK_TRY(stk_data_cache_open(&cache, &options, err));
    stk_data_cache_free(cache);
    return STK_OK;
}

STK_TEST(opening_it_without_memory_is_an_error)
{
    opening o;
    recipe_of(&o.recipe, &o.data, folder_data("alloc"), "alloc-run", "memory", "1");
    stk_test_fail_each_allocation(open_and_free, &o);
    stk_train_data_release(&o.data);
}
