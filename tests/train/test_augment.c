/* MixUp, CutMix and painting that are left to the device: the same bits as the host's. */
#include "edit/edit.h"
#include "train/input/loader.h"
#include "train/tiny_data.h"
#include <stdio.h>

enum { SIZE = 12, CLASSES = 4, BATCH = 16 };

STK_TEST(mixing_on_the_device_gives_the_bits_of_the_host)
{
    static const char *const values[] = {"host", "device"};
    tiny_expect_same("mixup", "knobs.augment", values,
                     (const char *const[]){"data.mixup", "0.3", NULL});
    tiny_expect_same("cutmix", "knobs.augment", values,
                     (const char *const[]){"data.cutmix", "1", "model.name", "cnn", "model.width",
                                           "0.25", NULL});
}

/* A recipe of stages: images that are shifted, then painted on. */
static const char *write_pipeline(const char *name, const char *data, const char *paint)
{
    char        text[1024];
    const char *path = stk_test_path(name);
    const int   size = snprintf(text, sizeof text,
                                "data:\n  - images: {path: %s, split: train}\n  - global_shuffle\n"
                                  "  - map: {random_crop: {size: 12, padding: 2}}\n%s",
                                data, paint);
    stk_test_write_file(path, text, (size_t)size);
    return path;
}

STK_TEST(what_is_left_to_the_device_is_in_the_edits)
{
    stk_train_recipe recipe;
    stk_train_data   known;
    stk_loader      *loader;
    stk_loader_batch batch;
    stk_error        err;
    int              inverted = 0;
    const char      *data = tiny_data("left", 80, SIZE, CLASSES);
    const char      *pipeline = write_pipeline(
             "left.yaml", data,
             "  - map: {invert: {probability: 0.5}}\n  - map: {solarize: {threshold: 99}}\n");
    tiny_recipe(&recipe, &known, data, stk_test_path("unused"),
                (const char *const[]){"data.pipeline", pipeline, "knobs.augment", "device", NULL});
    const stk_loader_options options = {.recipe = &recipe, .data = &known, .size = SIZE, .seed = 7};
    EXPECT_OK(stk_loader_open(&loader, &options, &err));
    for (int n = 0; n < 5; n++) {
        EXPECT_OK(stk_loader_next(loader, &batch, &err));
        for (int i = 0; i < BATCH; i++) {
            const stk_edit *e = &batch.edits[i];
            const int       first = e->step[0].kind == STK_EDIT_INVERT;
            EXPECT_INT_EQ(i, e->source);
            EXPECT_INT_EQ(STK_EDIT_SOLARIZE, e->step[first].kind);
            EXPECT_INT_EQ(99, e->step[first].word[0]);
            EXPECT_INT_EQ(STK_EDIT_END, e->step[first + 1].kind);
            inverted += first;
        }
    }
    EXPECT(batch.images && inverted > 20 && inverted < 60);
    stk_loader_free(loader);
    stk_train_data_release(&known);
}

STK_TEST(painting_on_the_device_gives_the_bits_of_the_host)
{
    static const char *const values[] = {"host", "device"};
    static const char *const paints[] = {("  - map: {brightness: {factor: 1.3, probability: 0.5}}\n"
                                          "  - map: {invert: {probability: 0.3}}\n"
                                          "  - map: {solarize: {}}\n"),
                                         "  - map: {cutout: {size: 4}}\n", ""};
    for (size_t i = 0; i < COUNT_OF(paints); i++) {
        char        name[32];
        const char *data = tiny_data("painted", 80, SIZE, CLASSES);
        snprintf(name, sizeof name, "painted-%zu", i);
        const char *pipeline = write_pipeline(name, data, paints[i]);
        tiny_expect_same(
            name, "knobs.augment", values,
            (const char *const[]){"data.pipeline", pipeline, "train.epochs", "1", NULL});
        tiny_expect_same(name, "knobs.augment", values,
                         (const char *const[]){"data.pipeline", pipeline, "train.epochs", "1",
                                               "data.mixup", "0.3", NULL});
    }
}

static void keep_line(void *context, const char *line)
{
    char        *all = context;
    const size_t used = strlen(all);
    snprintf(all + used, 1000 - used, "%s\n", line);
}

STK_TEST(former_names_in_a_pipeline_are_logged_with_the_first_epoch)
{
    stk_train_recipe recipe;
    stk_train_data   known;
    stk_loader      *feed;
    stk_error        err;
    char             log[1000] = "";
    const char      *data = tiny_data("former", 80, SIZE, CLASSES);
    const char      *pipeline =
        write_pipeline("former.yaml", data, "  - quarantine: {file: bad.jsonl, least: 5}\n");
    tiny_recipe(&recipe, &known, data, stk_test_path("unused"),
                (const char *const[]){"data.pipeline", pipeline, NULL});
    for (int epoch = 0; epoch < 2; epoch++) {
        const stk_loader_options options = {.recipe = &recipe,
                                            .data = &known,
                                            .size = SIZE,
                                            .epoch = epoch,
                                            .seed = 7,
                                            .log = keep_line,
                                            .log_context = log};
        EXPECT_OK(stk_loader_open(&feed, &options, &err));
        stk_loader_free(feed);
    }
    const char *first = strstr(log, "WARNING: quarantine.least is now called "
                                    "quarantine.min_elements\n");
    EXPECT(first && !strstr(first + 10, "quarantine.least"));
    stk_train_data_release(&known);
}
