/* Images for people: what the network sees, with labels and what it takes them for; and what
 * TensorBoard finds of a run while it goes on. */
#include "failing_alloc.h"
#include "train/log/image_sheet.h"
#include "train/loop/sample_sheet.h"
#include "train/tiny_data.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 12, CLASSES = 4 };

/* Two looks at a run: in its middle, from its own callback's thread, and at its end. */
typedef struct watcher {
    stk_trainer      *trainer;
    stk_train_samples training, validation;
    size_t            event_bytes; /* that others see, after a report within the first epoch */
    const char       *folder;
} watcher;

static size_t event_bytes(const char *folder)
{
    DIR           *open = opendir(folder);
    struct dirent *entry;
    size_t         bytes = 0;
    EXPECT(open != NULL);
    while ((entry = readdir(open))) {
        char path[2048];
        if (!strstr(entry->d_name, "tfevents")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        bytes += stk_test_read_file(path).size;
    }
    closedir(open);
    return bytes;
}

static stk_status on_report(void *context, const stk_train_progress *p, stk_error *err)
{
    watcher *w = context;
    (void)err;
    if (p->step == 10) w->event_bytes = event_bytes(w->folder);
    return STK_OK;
}

static void run(const char *name, const char *const *settings, watcher *w, stk_train_data *data)
{
    const stk_callback        callback = {.name = "watcher", .on_report = on_report, .context = w};
    const stk_trainer_options options = {.callbacks = &callback, .callback_count = 1};
    stk_train_recipe          recipe;
    stk_train_result          result;
    stk_error                 err;
    char                      text[64];
    w->folder = stk_test_path(name);
    snprintf(text, sizeof text, "%s-data", name);
    tiny_recipe(&recipe, data, tiny_data(text, 256, SIZE, CLASSES), w->folder, settings);
    EXPECT_OK(stk_trainer_open(&w->trainer, &recipe, data, &options, &err));
    EXPECT_OK(stk_trainer_samples(w->trainer, true, &w->validation, &err));
    EXPECT_INT_EQ(0, w->validation.count);
    stk_train_samples_release(&w->validation);
    EXPECT_OK(stk_trainer_run(w->trainer, &result, &err));
    EXPECT_OK(stk_trainer_samples(w->trainer, false, &w->training, &err));
    EXPECT_OK(stk_trainer_samples(w->trainer, true, &w->validation, &err));
    stk_trainer_free(w->trainer);
}

static void release(watcher *w, stk_train_data *data)
{
    stk_train_samples_release(&w->training);
    stk_train_samples_release(&w->validation);
    stk_train_data_release(data);
}

static void expect_images(const stk_train_samples *s, int64_t step)
{
    EXPECT_INT_EQ(step, s->step);
    EXPECT_INT_EQ(STK_TRAIN_SAMPLES, s->count);
    EXPECT_INT_EQ(SIZE, s->size);
    EXPECT_INT_EQ(1, s->channels);
    EXPECT_INT_EQ(STK_TRAIN_SAMPLES * SIZE * SIZE, s->pixels.size);
    for (int64_t i = 0; i < s->count; i++)
        EXPECT(s->list[i].label >= 0 && s->list[i].label < CLASSES);
}

STK_TEST(a_run_shows_what_it_trains_on_and_what_it_is_judged_by)
{
    stk_train_data data;
    watcher        w = {0};
    run("plain", (const char *const[]){"train.epochs", "4", "output.log_every", "5", NULL}, &w,
        &data);
    expect_images(&w.training, 49); /* the first step of the last epoch */
    expect_images(&w.validation, 64);
    int right = 0;
    for (int64_t i = 0; i < w.validation.count; i++) {
        const stk_train_sample *one = &w.validation.list[i];
        EXPECT(one->predicted >= 0 && one->predicted < CLASSES);
        EXPECT(one->probability > 0.25 && one->probability <= 1);
        right += one->predicted == one->label;
    }
    EXPECT(right > STK_TRAIN_SAMPLES / 2); /* it has learnt */
    EXPECT_INT_EQ(-1, w.training.list[0].predicted);
    EXPECT_INT_EQ(-1, w.training.list[0].second);
    EXPECT(w.event_bytes > 400); /* two reports were there within the first epoch */
    release(&w, &data);
}

/* Where the device makes them, they are the same as where they are streamed. */
STK_TEST(resident_images_are_shown_by_the_device)
{
    stk_train_data data;
    watcher        here = {0}, there = {0};
    run("streamed", (const char *const[]){"train.epochs", "1", "data.resident", "off", NULL}, &here,
        &data);
    stk_train_data_release(&data);
    run("resident", (const char *const[]){"train.epochs", "1", "data.resident", "on", NULL}, &there,
        &data);
    expect_images(&there.training, 1);
    expect_images(&there.validation, 16);
    EXPECT_MEM_EQ(here.validation.pixels.data, there.validation.pixels.data,
                  here.validation.pixels.size);
    for (int64_t i = 0; i < STK_TRAIN_SAMPLES; i++)
        EXPECT_INT_EQ(here.validation.list[i].label, there.validation.list[i].label);
    stk_train_samples_release(&here.training);
    stk_train_samples_release(&here.validation);
    release(&there, &data);
}

STK_TEST(a_mixture_has_two_labels)
{
    stk_train_data data;
    watcher        w = {0};
    int            mixed = 0;
    char           text[64];
    run("mixed", (const char *const[]){"train.epochs", "1", "data.mixup", "1", NULL}, &w, &data);
    expect_images(&w.training, 1);
    for (int64_t i = 0; i < w.training.count; i++) {
        const stk_train_sample *one = &w.training.list[i];
        EXPECT(one->fraction > 0.49 && one->fraction <= 1.0001);
        if (one->second < 0) continue;
        EXPECT(one->second != one->label);
        mixed++;
    }
    EXPECT(mixed > 0);
    const stk_train_sample one = {.label = 1, .second = 3, .fraction = 0.7, .predicted = -1};
    EXPECT_STR_EQ("1 70 % + 3",
                  stk_train_sample_label(&one, &(stk_train_data){.classes = 4}, text, sizeof text));
    EXPECT_STR_EQ("", stk_train_sample_predicted(&one, &data, text, sizeof text));
    release(&w, &data);
}

static stk_status make_sheet(void *context, stk_error *err)
{
    stk_blob png;
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_image_sheet(context, 7, 2, 3, &png, err);
    stk_blob_release(&png);
    return st;
}

STK_TEST(images_stand_on_a_sheet_with_their_texts)
{
    static const uint8_t pixels[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
    stk_sheet_image      list[7];
    stk_blob             png;
    stk_decoder         *decoder;
    stk_pixels           shown;
    stk_error            err;
    for (int i = 0; i < 7; i++)
        list[i] = (stk_sheet_image){
            .pixels = pixels, .line = "one", .note = "two", .tone = STK_SHEET_BAD};
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_sheet(list, 7, 2, 3, &png, &err));
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    EXPECT_OK(stk_image_decode(decoder, stk_blob_bytes(&png), NULL, 1, NULL, &shown, NULL, &err));
    EXPECT_INT_EQ(8 + 6 * (112 + 8), shown.width);
    const uint8_t *first = shown.data + 8 * shown.stride + 8 * 3;
    EXPECT_MEM_EQ(pixels, first, 3);
    EXPECT_MEM_EQ(pixels + 3, first + 111 * 3, 3);
    EXPECT_MEM_EQ(pixels + 9, first + 111 * shown.stride + 111 * 3, 3);
    stk_decoder_free(decoder);
    stk_blob_release(&png);
    stk_test_fail_each_allocation(make_sheet, list);
}
