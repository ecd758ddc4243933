/* Small data to train on. */
#include "train/tiny_data.h"
#include "base/philox.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void write_set(const char *folder, const char *which, int count, int size, int classes,
                      uint64_t seed)
{
    size_t   pixels = (size_t)count * (size_t)(size * size);
    uint8_t *images = malloc(16 + pixels), *labels = malloc(8 + (size_t)count);
    char     path[512];
    put_u32(images, 0x803);
    put_u32(images + 4, (uint32_t)count);
    put_u32(images + 8, (uint32_t)size);
    put_u32(images + 12, (uint32_t)size);
    put_u32(labels, 0x801);
    put_u32(labels + 4, (uint32_t)count);
    for (int n = 0; n < count; n++) {
        stk_random random = stk_random_for(seed, 0, (uint64_t)n, 1);
        int        label = (int)stk_random_below(&random, (uint64_t)classes);
        labels[8 + n] = (uint8_t)label;
        for (int i = 0; i < size * size; i++) {
            int band = i / size * classes / size;
            int value = (int)stk_random_below(&random, 100) + (band == label ? 130 : 0);
            images[16 + (size_t)n * (size_t)(size * size) + (size_t)i] = (uint8_t)value;
        }
    }
    snprintf(path, sizeof path, "%s/%s-images-idx3-ubyte", folder, which);
    stk_test_write_file(path, images, 16 + pixels);
    snprintf(path, sizeof path, "%s/%s-labels-idx1-ubyte", folder, which);
    stk_test_write_file(path, labels, 8 + (size_t)count);
    free(images);
    free(labels);
}

const char *tiny_data(const char *name, int count, int size, int classes)
{
    const char *folder = stk_test_path(name);
    mkdir(folder, 0777);
    write_set(folder, "train", count, size, classes, 1);
    write_set(folder, "t10k", count / 4, size, classes, 2);
    return folder;
}

void tiny_recipe(stk_train_recipe *recipe, stk_train_data *data, const char *path,
                 const char *folder, const char *const *settings)
{
    static const char *const usual[] = {"model.name",
                                        "mlp",
                                        "data.batch",
                                        "16",
                                        "train.epochs",
                                        "2",
                                        "knobs.backend",
                                        "ref",
                                        "output.log_every",
                                        "1",
                                        "data.validation",
                                        "test",
                                        NULL};
    stk_error                err;
    stk_train_recipe_init(recipe);
    EXPECT_OK(stk_train_recipe_set(recipe, "data.path", path, "test", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "output.folder", folder, "test", &err));
    for (const char *const *s = usual; *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(recipe, s[0], s[1], "test", &err));
    for (const char *const *s = settings; s && *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(recipe, s[0], s[1], "test", &err));
    EXPECT_OK(stk_train_data_read(data, recipe, &err));
    EXPECT_OK(stk_train_resolve(recipe, data, NULL, &err));
}

static stk_status train(const stk_train_recipe *recipe, const stk_train_data *data,
                        stk_train_result *result, stk_error *err)
{
    stk_trainer *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, NULL, err));
    stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

void tiny_expect_same(const char *name, const char *key, const char *const values[2],
                      const char *const *settings)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result results[2];
    stk_error        err;
    stk_bytes        weights[2];
    static int       runs;
    char             set[64];
    snprintf(set, sizeof set, "%s-data", name);
    const char *path = tiny_data(set, 80, 12, 4);
    for (int i = 0; i < 2; i++) {
        char folder[64], file[1024];
        snprintf(folder, sizeof folder, "%s-%s-%d", name, values[i], runs++);
        tiny_recipe(&recipe, &data, path, stk_test_path(folder), settings);
        EXPECT_OK(stk_train_recipe_set(&recipe, key, values[i], "test", &err));
        EXPECT_OK(train(&recipe, &data, &results[i], &err));
        snprintf(file, sizeof file, "%s/final.safetensors", recipe.output.folder);
        weights[i] = stk_test_read_file(file);
        stk_train_data_release(&data);
    }
    EXPECT_INT_EQ(weights[0].size, weights[1].size);
    EXPECT_MEM_EQ(weights[0].data, weights[1].data, weights[0].size);
    EXPECT(results[0].last.validation_loss == results[1].last.validation_loss);
    EXPECT(results[0].last.validation_accuracy == results[1].last.validation_accuracy);
}

const char *tiny_learnt(const char *folder, int which)
{
    enum { CAPACITY = 1 << 17, FIRST_TIME = 6, LAST_TIME = 8 };
    static char texts[2][CAPACITY];
    char        path[1024], *text = texts[which];
    size_t      used = 0;
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    const stk_bytes csv = stk_test_read_file(path);
    EXPECT(csv.size < CAPACITY);
    for (size_t i = 0, column = 0; i < csv.size; i++) {
        if (csv.data[i] == '\n') column = 0;
        if (column < FIRST_TIME || column > LAST_TIME) text[used++] = (char)csv.data[i];
        column += csv.data[i] == ',';
    }
    text[used] = 0;
    return text;
}
