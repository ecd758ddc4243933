/* Images that are kept on the device: every epoch has all of them once, training is what it is
 * with images that are streamed, and what cannot be is told. */
#include "edit/edit.h"
#include "train/input/resident.h"
#include "train/tiny_data.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { IMAGES = 40, SIZE = 12, CLASSES = 4, BATCH = 16 };

typedef struct bed {
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_resident    *resident;
    stk_loader      *loader;
} bed;

static stk_loader_options options_of(const bed *b)
{
    return (stk_loader_options){
        .recipe = &b->recipe, .data = &b->data, .resident = b->resident, .size = SIZE, .seed = 7};
}

static void make_bed(bed *b, const char *name, const char *const *settings)
{
    stk_error err;
    *b = (bed){0};
    tiny_recipe(&b->recipe, &b->data, tiny_data(name, IMAGES, SIZE, CLASSES),
                stk_test_path("unused"), settings);
    const stk_loader_options plain = options_of(b);
    EXPECT_OK(stk_resident_load(&b->resident, &plain, &err));
}

static void open_loader(bed *b, const stk_loader_options *options)
{
    stk_error err;
    stk_loader_free(b->loader);
    b->loader = NULL;
    EXPECT_OK(stk_loader_open(&b->loader, options, &err));
}

static void clear_bed(bed *b)
{
    stk_loader_free(b->loader);
    stk_resident_free(b->resident);
    stk_train_data_release(&b->data);
}

static const char *const on[] = {"data.resident", "on", NULL};

STK_TEST(all_images_are_there_with_their_labels)
{
    bed b;
    make_bed(&b, "there", on);
    EXPECT_INT_EQ(IMAGES, b.resident->count);
    EXPECT_INT_EQ(SIZE, b.resident->width);
    EXPECT_INT_EQ(SIZE, b.resident->height);
    EXPECT_INT_EQ(1, b.resident->channels);
    EXPECT_INT_EQ(IMAGES * SIZE * SIZE, b.resident->images.size);
    for (int i = 0; i < IMAGES; i++) { /* an image is bright where its label says */
        const uint8_t *p = b.resident->images.data + (size_t)i * SIZE * SIZE;
        EXPECT(p[b.resident->labels[i] * SIZE / CLASSES * SIZE] >= 130);
    }
    clear_bed(&b);
}

STK_TEST(an_epoch_has_every_image_once_in_an_order_of_its_own)
{
    enum { EPOCHS = 2 };
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    int              order[EPOCHS * IMAGES], seen[IMAGES];
    make_bed(&b, "epochs", on);
    const stk_loader_options options = options_of(&b);
    open_loader(&b, &options);
    for (int i = 0; i < EPOCHS * IMAGES; i++) {
        if (i % BATCH == 0) EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
        EXPECT(!batch.images && batch.rows == BATCH);
        order[i] = batch.edits[i % BATCH].source;
        EXPECT_INT_EQ(b.resident->labels[order[i]], ((const int64_t *)batch.labels)[i % BATCH]);
    }
    for (int e = 0; e < EPOCHS; e++) {
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < IMAGES; i++)
            seen[order[e * IMAGES + i]]++;
        for (int i = 0; i < IMAGES; i++)
            EXPECT_INT_EQ(1, seen[i]);
    }
    EXPECT(memcmp(order, order + IMAGES, sizeof order / EPOCHS) != 0);
    clear_bed(&b);
}

STK_TEST(crops_and_flips_are_those_of_the_preset)
{
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    int              places[5][5] = {0}, flips = 0;
    make_bed(&b, "crops", on);
    const stk_loader_options options = options_of(&b);
    open_loader(&b, &options);
    for (int n = 0; n < 100; n++) {
        EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
        for (int i = 0; i < BATCH; i++) {
            const stk_edit *e = &batch.edits[i];
            EXPECT(e->x >= -2 && e->x <= 2 && e->y >= -2 && e->y <= 2);
            EXPECT_INT_EQ(-1, e->partner);
            places[e->y + 2][e->x + 2]++;
            flips += e->flip & STK_EDIT_FLIP_X;
        }
    }
    for (int i = 0; i < 25; i++)
        EXPECT(places[i / 5][i % 5] > 30 && places[i / 5][i % 5] < 100);
    EXPECT(flips > 700 && flips < 900);
    clear_bed(&b);
}

STK_TEST(calm_images_are_as_they_are_and_a_part_of_them_is_every_kth)
{
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    make_bed(&b, "calm", on);
    stk_loader_options options = options_of(&b);
    options.augment_reduction = 1;
    options.subsample = 3;
    open_loader(&b, &options);
    for (int n = 0; n < 10; n++) {
        EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
        for (int i = 0; i < BATCH; i++) {
            EXPECT_INT_EQ(0, batch.edits[i].x);
            EXPECT_INT_EQ(0, batch.edits[i].flip);
            EXPECT_INT_EQ(0, batch.edits[i].source % 3);
        }
    }
    clear_bed(&b);
}

STK_TEST(flips_that_alternate_show_both_sides_in_two_epochs)
{
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    int              flips[IMAGES][4], first = 0;
    make_bed(&b, "alternate",
             (const char *const[]){"data.resident", "on", "data.flip", "alternate", "data.batch",
                                   "40", NULL});
    stk_loader_options options = options_of(&b);
    for (int e = 0; e < 4; e++) {
        if (e == 0 || e == 3) { /* a phase that begins later goes on with it */
            options.epoch = e;
            options.seed = 7 + (uint64_t)e;
            open_loader(&b, &options);
        }
        EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
        for (int i = 0; i < IMAGES; i++)
            flips[batch.edits[i].source][e] = batch.edits[i].flip & STK_EDIT_FLIP_X;
    }
    for (int i = 0; i < IMAGES; i++) {
        EXPECT(flips[i][0] != flips[i][1] && flips[i][1] != flips[i][2]);
        EXPECT(flips[i][2] != flips[i][3]);
        first += flips[i][0];
    }
    EXPECT(first > IMAGES / 5 && first < IMAGES * 4 / 5);
    clear_bed(&b);
}

STK_TEST(mixed_images_have_partners_and_shared_labels)
{
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    make_bed(&b, "mixed", (const char *const[]){"data.resident", "on", "data.mixup", "0.5", NULL});
    const stk_loader_options options = options_of(&b);
    open_loader(&b, &options);
    EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
    for (int i = 0; i < BATCH; i++) {
        const stk_edit *e = &batch.edits[i], *other = &batch.edits[BATCH - 1 - i];
        const float    *labels = (const float *)batch.labels + i * b.recipe.model.classes;
        const int64_t   own = b.resident->labels[e->source];
        float           sum = 0;
        EXPECT_INT_EQ(BATCH - 1 - i, e->partner);
        for (int c = 0; c < b.recipe.model.classes; c++)
            sum += labels[c];
        EXPECT(sum > 0.9999f && sum < 1.0001f);
        if (own != b.resident->labels[other->source])
            EXPECT(labels[own] > e->fraction - 1e-4f && labels[own] < e->fraction + 1e-4f);
    }
    clear_bed(&b);
}

STK_TEST(a_place_is_found_again_and_others_are_refused)
{
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    stk_blob         place;
    stk_edit         expected[BATCH];
    make_bed(&b, "place", on);
    stk_loader_options options = options_of(&b);
    stk_blob_init(&place, NULL, STK_MEMORY_OUTPUT);
    open_loader(&b, &options);
    for (int i = 0; i < 5; i++)
        EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
    EXPECT_OK(stk_loader_save(b.loader, &place, &err));
    EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
    memcpy(expected, batch.edits, sizeof expected);
    open_loader(&b, &options);
    EXPECT_OK(stk_loader_restore(b.loader, stk_blob_bytes(&place), &err));
    EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
    EXPECT_MEM_EQ(expected, batch.edits, sizeof expected);
    open_loader(&b, &options);
    EXPECT_OK(stk_loader_skip(b.loader, 5, &err));
    EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
    EXPECT_MEM_EQ(expected, batch.edits, sizeof expected);
    for (size_t size = 0; size < place.size; size += 3)
        EXPECT_STATUS(STK_E_FORMAT,
                      stk_loader_restore(b.loader, (stk_bytes){place.data, size}, &err));
    options.subsample = 2;
    open_loader(&b, &options);
    EXPECT_STATUS(STK_E_INVALID, stk_loader_restore(b.loader, stk_blob_bytes(&place), &err));
    EXPECT_CONTAINS("40 images", err.message);
    place.data[0] ^= 1;
    EXPECT_STATUS(STK_E_FORMAT, stk_loader_restore(b.loader, stk_blob_bytes(&place), &err));
    stk_blob_release(&place);
    clear_bed(&b);
}

STK_TEST(to_evaluate_all_come_once_and_the_last_batch_is_filled_up_with_none)
{
    bed              b;
    stk_loader_batch batch;
    stk_error        err;
    make_bed(&b, "evaluate",
             (const char *const[]){"data.resident", "on", "data.eval_batch", "4", NULL});
    stk_loader_options options = options_of(&b);
    options.evaluate = true;
    stk_resident_free(b.resident);
    EXPECT_OK(stk_resident_load(&b.resident, &options, &err));
    EXPECT_INT_EQ(IMAGES / 4, b.resident->count);
    options.resident = b.resident;
    open_loader(&b, &options);
    for (int n = 0; n < 3; n++) {
        EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
        EXPECT_INT_EQ(n < 2 ? 4 : 2, batch.rows);
        for (int i = 0; i < 4; i++) {
            const bool there = i < batch.rows;
            EXPECT_INT_EQ(there ? n * 4 + i : -1, batch.edits[i].source);
            EXPECT_INT_EQ(there ? b.resident->labels[n * 4 + i] : -1,
                          ((const int64_t *)batch.labels)[i]);
        }
    }
    EXPECT_OK(stk_loader_next(b.loader, &batch, &err));
    EXPECT_INT_EQ(0, batch.rows);
    clear_bed(&b);
}

/* Runs. */

static stk_status train(const stk_train_recipe *recipe, const stk_train_data *data,
                        stk_train_result *result, stk_error *err)
{
    stk_trainer *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, NULL, err));
    stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

STK_TEST(in_order_and_calm_resident_images_train_to_the_same_bits_as_streamed_ones)
{
    static const char *const settings[] = {"data.shuffle",
                                           "0",
                                           "progressive.augment_from",
                                           "0",
                                           "train.epochs",
                                           "1",
                                           "train.tta",
                                           "mirror-shift",
                                           "model.name",
                                           "cnn",
                                           "model.width",
                                           "0.25",
                                           "knobs.backend",
                                           "cpu",
                                           "knobs.threads",
                                           "1",
                                           NULL};
    tiny_expect_same("same", "data.resident", (const char *const[]){"on", "off"}, settings);
}

STK_TEST(a_net_learns_from_resident_images_and_its_checkpoints_hold_none)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    char             path[1024];
    struct stat      info;
    tiny_recipe(&recipe, &data, tiny_data("learns", 256, SIZE, CLASSES),
                stk_test_path("learns-run"),
                (const char *const[]){"data.resident", "on", "train.epochs", "4", "data.flip",
                                      "alternate", "train.tta", "mirror", NULL});
    EXPECT_OK(train(&recipe, &data, &result, &err));
    EXPECT(result.best_accuracy > 0.9);
    snprintf(path, sizeof path, "%s/checkpoints/step-000000064.safetensors", recipe.output.folder);
    const stk_bytes file = stk_test_read_file(path);
    EXPECT(!memmem(file.data, file.size, "data.training", 13));
    snprintf(path, sizeof path, "%s/recipe.yaml", recipe.output.folder);
    EXPECT_INT_EQ(0, stat(path, &info));
    const stk_bytes text = stk_test_read_file(path);
    EXPECT(memmem(text.data, text.size, "resident: \"on\"", 14));
    stk_train_data_release(&data);
}

/* Refusals. */

static void expect_refused(const char *const *settings, const char *where, const char *message)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", tiny_data("no", 40, SIZE, CLASSES), "test",
                                   &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.backend", "ref", "test", &err));
    for (const char *const *s = settings; *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(&recipe, s[0], s[1], "test", &err));
    EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_train_resolve(&recipe, &data, NULL, &err));
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(message, err.message);
    stk_train_data_release(&data);
}

STK_TEST(what_cannot_be_done_on_the_device_is_named)
{
    expect_refused((const char *const[]){"data.resident", "on", "data.preset", "imagenet", NULL},
                   "data.resident", "random_resized_crop");
    expect_refused(
        (const char *const[]){"data.resident", "on", "progressive.size_from", "0.5", NULL},
        "data.resident", "progressive.size_from");
    expect_refused(
        (const char *const[]){"data.resident", "on", "data.mixup", "1", "data.cutmix", "1", NULL},
        "data.resident", "data.mixup");
    expect_refused((const char *const[]){"data.flip", "alternate", NULL}, "data.flip",
                   "data.resident: on");
    expect_refused((const char *const[]){"knobs.augment", "device", "data.mixup", "1",
                                         "data.cutmix", "1", NULL},
                   "knobs.augment", "knobs.augment: host");
}

STK_TEST(without_a_word_a_cpu_keeps_no_images_and_mixes_none)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    tiny_recipe(&recipe, &data, tiny_data("auto", 40, SIZE, CLASSES), stk_test_path("unused"),
                NULL);
    EXPECT_INT_EQ(STK_RESIDENT_OFF, recipe.data.resident);
    EXPECT_INT_EQ(STK_FLIP_RANDOM, recipe.data.flip);
    EXPECT_INT_EQ(STK_AUGMENT_HOST, recipe.knobs.augment);
    stk_train_data_release(&data);
}

static void write_image(const char *folder, const char *name, int width, int height)
{
    char   path[512], image[2048]; /* what it is is told by its content, not its name */
    size_t used = (size_t)snprintf(image, sizeof image, "P6\n%d %d\n255\n", width, height);
    memset(image + used, 100, (size_t)(width * height * 3));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    stk_test_write_file(path, image, used + (size_t)(width * height * 3));
}

/* Classes of one colour each, in several sizes and shapes. */
static const char *make_sizes(void)
{
    static const char *const classes[] = {"cat", "dog"};
    static const int         sizes[][2] = {{16, 16}, {16, 18}, {8, 6}, {60, 6}, {16, 16}, {17, 23}};
    const char              *folder = stk_test_path("sizes");
    mkdir(folder, 0777);
    for (int c = 0; c < 2; c++) {
        char inside[512];
        snprintf(inside, sizeof inside, "%s/%s", folder, classes[c]);
        mkdir(inside, 0777);
        for (int i = 0; i < 12; i++) {
            char name[32];
            snprintf(name, sizeof name, "%d.png", i);
            write_image(inside, name, sizes[i % 6][0], sizes[i % 6][1]);
        }
    }
    return folder;
}

STK_TEST(images_of_several_sizes_are_made_to_fit)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_resident    *resident;
    stk_error        err;
    tiny_recipe(&recipe, &data, make_sizes(), stk_test_path("sizes-run"),
                (const char *const[]){"data.resident", "on", "data.validation", "none",
                                      "data.batch", "4", "data.preset", "cifar", "data.size", "12",
                                      NULL});
    const stk_loader_options options = {.recipe = &recipe, .data = &data, .size = 12, .seed = 1};
    EXPECT_OK(stk_resident_load(&resident, &options, &err));
    EXPECT_INT_EQ(24, resident->count);
    EXPECT_INT_EQ(12, resident->width);
    EXPECT_INT_EQ(12, resident->height);
    for (size_t i = 0; i < resident->images.size; i++)
        EXPECT_INT_EQ(100, resident->images.data[i]); /* no black border */
    stk_resident_free(resident);
    stk_train_data_release(&data);
}

static stk_status draw_some(void *context, stk_error *err)
{
    const bed               *b = context;
    const stk_loader_options options = options_of(b);
    stk_loader              *loader;
    stk_loader_batch         batch;
    STK_TRY(stk_loader_open(&loader, &options, err));
    stk_status st = stk_loader_next(loader, &batch, err);
    stk_loader_free(loader);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    bed b;
    make_bed(&b, "failing", (const char *const[]){"data.resident", "on", "data.mixup", "1", NULL});
    stk_test_fail_each_allocation(draw_some, &b);
    clear_bed(&b);
}
