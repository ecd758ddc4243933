/* One image that cannot be decoded, or not in the memory there is, does not end a run that passes
 * over bad ones. */
#include "class_folders.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const wave_class classes[] = {{"ant", 0, 24, 0}, {"bee", 4, 24, 0}};

enum { SIDE = 12000, HEADER = 13 };

static void put_chunk(stk_blob *png, const char *name, const void *data, size_t size)
{
    stk_error     err;
    const size_t  begin = png->size;
    const uint8_t length[] = {(uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8),
                              (uint8_t)size};
    EXPECT_OK(stk_blob_append(png, length, 4, &err));
    EXPECT_OK(stk_blob_append(png, name, 4, &err));
    if (size) EXPECT_OK(stk_blob_append(png, data, size, &err));
    const uint32_t crc = (uint32_t)crc32(0, png->data + begin + 4, (uInt)(size + 4));
    const uint8_t  sum[] = {(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8),
                            (uint8_t)crc};
    EXPECT_OK(stk_blob_append(png, sum, 4, &err));
}

/* A file of 18 KB that is an image of 12,000 by 12,000 black pixels, of a bit each. */
static void write_large_png(const char *path)
{
    static const uint8_t header[HEADER] = {0, 0, 0x2e, 0xe0, 0, 0, 0x2e, 0xe0, 1, 0, 0, 0, 0};
    stk_error            err;
    stk_blob             png;
    const size_t         rows = (size_t)SIDE * (SIDE / 8 + 1);
    uLongf               size = compressBound(rows);
    uint8_t             *pixels = calloc(rows, 1), *packed = malloc(size);
    EXPECT_INT_EQ(Z_OK, compress2(packed, &size, pixels, rows, 9));
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_blob_append(&png, "\x89PNG\r\n\x1a\n", 8, &err));
    put_chunk(&png, "IHDR", header, HEADER);
    put_chunk(&png, "IDAT", packed, size);
    put_chunk(&png, "IEND", NULL, 0);
    stk_test_write_file(path, png.data, png.size);
    stk_blob_release(&png);
    free(packed);
    free(pixels);
}

/* A small JPEG whose header says 12,000 by 12,000. */
static void write_forged_jpeg(const char *path)
{
    stk_error err;
    stk_blob  jpeg;
    uint8_t   pixels[64 * 64 * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 37);
    stk_blob_init(&jpeg, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_jpeg(&jpeg, &(stk_pixels){pixels, 64, 64, 3, 192}, NULL, &err));
    uint8_t *frame = memmem(jpeg.data, jpeg.size, "\xff\xc0", 2);
    EXPECT(frame != NULL);
    memcpy(frame + 5, "\x2e\xe0\x2e\xe0", 4);
    stk_test_write_file(path, jpeg.data, jpeg.size);
    stk_blob_release(&jpeg);
}

static const char *make_data(const char *name)
{
    static char root[512];
    char        path[600];
    snprintf(root, sizeof root, "%s/train", wave_folders(name, classes, COUNT_OF(classes), 20));
    snprintf(path, sizeof path, "%s/ant/large.png", root);
    write_large_png(path);
    snprintf(path, sizeof path, "%s/bee/forged.jpg", root);
    write_forged_jpeg(path);
    return root;
}

typedef struct heard {
    int large, forged;
} heard;

static void listen(void *context, const char *line)
{
    heard *h = context;
    h->large += strstr(line, "large.png") != NULL || strstr(line, "the memory ceiling is") != NULL;
    h->forged += strstr(line, "forged.jpg") != NULL;
}

static stk_status train(const char *on_bad, const char *folder, heard *h, stk_error *why)
{
    const char *const         settings[] = {"model.name",
                                            "mlp",
                                            "data.batch",
                                            "10",
                                            "train.steps",
                                            "5",
                                            "knobs.backend",
                                            "ref",
                                            "data.validation",
                                            "none",
                                            "knobs.memory_mb",
                                            "16",
                                            "data.cache",
                                            "none",
                                            "data.on_bad_sample",
                                            on_bad,
                                            "data.preset",
                                            "imagenet",
                                            "data.size",
                                            "16",
                                            NULL};
    const stk_trainer_options how = {.log = listen, .log_context = h};
    stk_train_recipe          recipe;
    stk_train_data            data;
    stk_train_result          result;
    stk_trainer              *trainer;
    stk_error                 err = {0};
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", make_data("data"), "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "output.folder", stk_test_path(folder), "test", &err));
    for (const char *const *s = settings; *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(&recipe, s[0], s[1], "test", &err));
    EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
    EXPECT_OK(stk_train_resolve(&recipe, &data, NULL, &err));
    stk_status st = stk_trainer_open(&trainer, &recipe, &data, &how, &err);
    if (!st) st = stk_trainer_run(trainer, &result, &err);
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
    *why = err;
    return st;
}

STK_TEST(training_passes_over_images_that_are_too_large_for_its_memory)
{
    heard     h = {0};
    stk_error err;
    EXPECT_OK(train("skip", "skipping", &h, &err));
    EXPECT_INT_EQ(1, h.large);
    EXPECT_INT_EQ(1, h.forged);
}

STK_TEST(training_stops_at_them_where_it_is_to_and_says_why)
{
    heard     h = {0};
    stk_error err;
    EXPECT(train("stop", "stopping", &h, &err) != STK_OK);
    EXPECT_STR_EQ("decode", err.component);
}

STK_TEST(packing_leaves_them_out_and_counts_them)
{
    stk_error        err;
    stk_source      *source;
    stk_ledger      *ledger;
    stk_pack_result  result;
    stk_pack_options options = {
        .images = {.format = STK_PACK_SEEKABLE, .on_bad = STK_PACK_BAD_SKIPPED, .quality = 95},
        .threads = 2};
    EXPECT_OK(stk_ledger_new(&ledger, 30000000, &err));
    options.ledger = ledger;
    EXPECT_OK(stk_source_open(&source, NULL, make_data("pack"), NULL, &err));
    EXPECT_OK(stk_pack(source, stk_test_path("packed"), &options, &result, &err));
    EXPECT_INT_EQ(48, result.items);
    EXPECT_INT_EQ(2, result.bad_skipped);
    stk_source_free(source);
    stk_ledger_unref(ledger);
}
