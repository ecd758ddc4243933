/* stoker replay gives the pixels that a training pipeline had, value by value. */
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CLASSES = 2, EACH = 9, IMAGES = CLASSES * EACH, SEED = 7, BATCH = 4, SIDE = 32 };

/* Noise, so that no two windows of an image are alike. */
static void write_image(const char *path, int number)
{
    static uint8_t   bytes[48 * 48 * 3];
    const stk_pixels pixels = {bytes, 36 + number % 12, 40 - number % 5, 3,
                               (size_t)(36 + number % 12) * 3};
    uint32_t         state = (uint32_t)number * 2654435761u + 1;
    stk_error        err;
    stk_blob         png;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 24);
    }
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_png(&png, &pixels, &err));
    stk_test_write_file(path, png.data, png.size);
    stk_blob_release(&png);
}

static const char *make_photos(const char *name)
{
    const char *root = stk_test_path(name);
    char        path[512];
    mkdir(root, 0777);
    for (int i = 0; i < IMAGES; i++) {
        snprintf(path, sizeof path, "%s/class%d", root, i % CLASSES);
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/class%d/%02d.png", root, i % CLASSES, i);
        write_image(path, i);
    }
    return root;
}

static stk_dataset *training(const char *path, const char *preset, int64_t batch)
{
    const stk_images_options images = {.shuffle = STK_AUTO, .repeat = STK_AUTO};
    const stk_preset_options options = {.size = SIDE};
    stk_dataset             *data;
    stk_error                err;
    EXPECT_OK(stk_dataset_images(&data, path, &images, &err));
    EXPECT_OK(stk_dataset_preset(&data, stk_preset_find(preset), &options, &err));
    if (!batch) return data;
    EXPECT_OK(stk_dataset_batch(&data, batch, NULL, &err));
    EXPECT_OK(stk_dataset_prefetch(&data, STK_AUTO, &err));
    return data;
}

static stk_iterator *start(stk_dataset *data, int threads)
{
    stk_iterator *it;
    stk_error     err;
    EXPECT_OK(stk_iterator_start(&it, data,
                                 &(stk_iterator_options){.seed = SEED, .threads = threads}, &err));
    return it;
}

static stk_element *next(stk_iterator *it)
{
    stk_element *element;
    stk_error    err;
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    assert_non_null(element);
    return element;
}

static void expect_replayed(const char *path, const char *preset, const stk_origin *origin,
                            const uint8_t *pixels)
{
    const char  *out = stk_test_path("replayed.png");
    char         command[1500];
    stk_decoder *decoder;
    stk_pixels   got;
    stk_error    err;
    snprintf(command, sizeof command,
             "%s replay %s '%.*s:%" PRIu64 "' --preset %s --size %d --seed %d --epoch %" PRIu64
             " -o %s > /dev/null",
             STK_TEST_COMMAND, path, (int)stk_buffer_size(origin->file),
             (const char *)stk_buffer_data(origin->file), origin->record, preset, SIDE, SEED,
             origin->epoch, out);
    EXPECT_INT_EQ(0, system(command));
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    EXPECT_OK(stk_image_decode(decoder, stk_test_read_file(out), NULL, 1, NULL, &got, NULL, &err));
    EXPECT_INT_EQ(SIDE, got.width);
    EXPECT_INT_EQ(SIDE, got.height);
    for (int y = 0; y < SIDE; y++)
        EXPECT_MEM_EQ(pixels + y * SIDE * 3, got.data + (size_t)y * got.stride, SIDE * 3);
    stk_decoder_free(decoder);
}

/* Names come from a run without batches, pixels from one with them, on several threads. */
static void expect_replays(const char *path, const char *preset)
{
    stk_dataset  *named = training(path, preset, 0), *batched = training(path, preset, BATCH);
    stk_iterator *names = start(named, 1), *batches = start(batched, 3);
    for (int i = 0; i < 3 * IMAGES / BATCH; i++) {
        stk_element   *batch = next(batches);
        const uint8_t *pixels = stk_value_data(stk_element_value(batch, 0));
        for (int k = 0; k < BATCH; k++) {
            stk_element *one = next(names);
            if ((i * BATCH + k) % 7 == 0)
                expect_replayed(path, preset, stk_element_origin(one),
                                pixels + k * SIDE * SIDE * 3);
            stk_element_unref(one);
        }
        stk_element_unref(batch);
    }
    stk_iterator_free(names);
    stk_iterator_free(batches);
    stk_dataset_unref(named);
    stk_dataset_unref(batched);
}

STK_TEST(a_sample_of_a_folder_is_replayed_as_the_run_had_it)
{
    const char *photos = make_photos("photos");
    expect_replays(photos, "imagenet");
    expect_replays(photos, "cifar");
}

STK_TEST(a_sample_of_a_pack_is_replayed_as_the_run_had_it)
{
    const char *packed = stk_test_path("packed");
    char        command[1200];
    snprintf(command, sizeof command, "%s pack %s %s -q > /dev/null", STK_TEST_COMMAND,
             make_photos("more_photos"), packed);
    EXPECT_INT_EQ(0, system(command));
    expect_replays(packed, "imagenet");
}

STK_TEST(a_sample_that_is_not_there_is_said_to_be_missing)
{
    const char *out = stk_test_path("message.txt");
    char        command[1500];
    snprintf(command, sizeof command, "%s replay %s none.png --preset cifar 2> %s",
             STK_TEST_COMMAND, make_photos("other_photos"), out);
    EXPECT_INT_EQ(1, WEXITSTATUS(system(command)));
    EXPECT_CONTAINS("none.png is not among its images", (const char *)stk_test_read_file(out).data);
}
