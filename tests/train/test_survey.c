/* What many images say of the data, and what one of them does not. */
#include "harness.h"
#include "train/input/survey.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A binary PNM; what a file is, its content tells and not its name. */
static void write_image(const char *folder, int number, int width, int height, int channels)
{
    char         path[512];
    const size_t pixels = (size_t)width * (size_t)height * (size_t)channels;
    char        *text = malloc(pixels + 64);
    const size_t head =
        (size_t)snprintf(text, 64, "P%d\n%d %d\n255\n", channels == 1 ? 5 : 6, width, height);
    memset(text + head, 90, pixels);
    snprintf(path, sizeof path, "%s/%03d.png", folder, number);
    stk_test_write_file(path, text, head + pixels);
    free(text);
}

typedef struct kind {
    int width, height, channels; /* a width of 0: a broken file */
} kind;

/* Two classes; the first file is of kind first, all others go round the kinds. */
static const char *make_folder(const char *name, kind first, const kind *kinds, int kind_count)
{
    static char root[512];
    char        folder[600];
    snprintf(root, sizeof root, "%s", stk_test_path(name));
    mkdir(root, 0777);
    for (int c = 0; c < 2; c++) {
        snprintf(folder, sizeof folder, "%s/class%d", root, c);
        mkdir(folder, 0777);
        for (int i = 0; i < 40; i++) {
            const kind k = c || i ? kinds[i % kind_count] : first;
            if (k.width) {
                write_image(folder, i, k.width, k.height, k.channels);
                continue;
            }
            char path[700];
            snprintf(path, sizeof path, "%s/%03d.png", folder, i);
            stk_test_write_file(path, "no image", 8);
        }
    }
    return root;
}

static stk_status settle(const char *path, stk_train_recipe *recipe, stk_train_data *data,
                         stk_blob *reasons, stk_error *err)
{
    stk_train_recipe_init(recipe);
    STK_TRY(stk_train_recipe_set(recipe, "data.path", path, "test", err));
    STK_TRY(stk_train_recipe_set(recipe, "knobs.backend", "ref", "test", err));
    STK_TRY(stk_train_data_read(data, recipe, err));
    STK_TRY(stk_train_resolve(recipe, data, reasons, err));
    return reasons ? stk_blob_append(reasons, "", 1, err) : STK_OK;
}

/* What is decided of such a folder; reasons is released by the caller. */
static stk_train_recipe decide(const char *name, kind first, const kind *kinds, int kind_count,
                               stk_train_data *data, stk_blob *reasons)
{
    stk_train_recipe recipe;
    stk_error        err;
    stk_blob_init(reasons, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(settle(make_folder(name, first, kinds, kind_count), &recipe, data, reasons, &err));
    return recipe;
}

static void end(stk_train_data *data, stk_blob *reasons)
{
    stk_train_data_release(data);
    stk_blob_release(reasons);
}

static const kind photo = {300, 240, 3}, thumbnail = {32, 32, 3}, grey = {28, 28, 1},
                  small = {32, 32, 3}, broken = {0, 0, 0};

STK_TEST(one_thumbnail_does_not_make_photos_small)
{
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("thumbnail", thumbnail, &photo, 1, &data, &reasons);
    EXPECT_STR_EQ("imagenet", r.data.preset);
    EXPECT_INT_EQ(224, r.data.size);
    EXPECT_INT_EQ(300, data.width);
    EXPECT_INT_EQ(80, data.survey.looked);
    EXPECT_INT_EQ(32, data.survey.min_width);
    EXPECT_CONTAINS("WARNING: images are of very different sizes, from 32x32 to 300x240",
                    (const char *)reasons.data);
    end(&data, &reasons);
}

STK_TEST(one_grey_image_does_not_make_all_grey)
{
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("one-grey", grey, &small, 1, &data, &reasons);
    EXPECT_STR_EQ("cifar", r.data.preset);
    EXPECT_INT_EQ(32, r.data.size);
    EXPECT_INT_EQ(3, data.channels);
    EXPECT_INT_EQ(1, data.survey.grey);
    EXPECT_CONTAINS("images looked at are grey; they are used as colour images",
                    (const char *)reasons.data);
    end(&data, &reasons);
}

STK_TEST(one_image_in_colour_does_not_make_grey_ones_colour)
{
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("one-colour", small, &grey, 1, &data, &reasons);
    EXPECT_STR_EQ("fashion", r.data.preset);
    EXPECT_INT_EQ(28, r.data.size);
    EXPECT_CONTAINS("1 of 80 images looked at are in colour; they are used as grey ones",
                    (const char *)reasons.data);
    end(&data, &reasons);
}

STK_TEST(half_of_each_is_colour)
{
    static const kind      both[] = {{28, 28, 1}, {28, 28, 3}};
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("half", grey, both, 2, &data, &reasons);
    EXPECT_STR_EQ("cifar", r.data.preset);
    EXPECT_INT_EQ(28, r.data.size);
    end(&data, &reasons);
}

STK_TEST(data_of_one_kind_is_not_warned_of)
{
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("uniform", small, &small, 1, &data, &reasons);
    EXPECT_STR_EQ("cifar", r.data.preset);
    EXPECT(!strstr((const char *)reasons.data, "WARNING"));
    EXPECT_STR_EQ("80 pnm", data.survey.formats);
    end(&data, &reasons);
}

STK_TEST(photos_that_are_small_are_not_blown_up)
{
    static const kind      sixty = {64, 70, 3};
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("sixty", sixty, &sixty, 1, &data, &reasons);
    EXPECT_STR_EQ("imagenet", r.data.preset);
    EXPECT_INT_EQ(64, r.data.size);
    end(&data, &reasons);
}

STK_TEST(a_broken_first_file_is_told_and_others_decide)
{
    static const kind      some[] = {{32, 32, 3}, {32, 32, 3}, {32, 32, 3}, {320, 20, 3}};
    stk_train_data         data;
    stk_blob               reasons;
    const stk_train_recipe r = decide("broken", broken, some, 4, &data, &reasons);
    EXPECT_STR_EQ("cifar", r.data.preset);
    EXPECT_INT_EQ(1, data.survey.unreadable);
    EXPECT_CONTAINS("class0/000.png", data.survey.bad);
    EXPECT_CONTAINS("--on-bad skip leaves such images out", (const char *)reasons.data);
    EXPECT_CONTAINS("up to 16.0 times as long as broad", (const char *)reasons.data);
    end(&data, &reasons);
}

STK_TEST(data_of_which_nothing_can_be_read_is_refused)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_error        err;
    const char      *path = make_folder("nothing", broken, &broken, 1);
    EXPECT_STATUS(STK_E_UNSUPPORTED, settle(path, &recipe, &data, NULL, &err));
    EXPECT_CONTAINS("class0/", err.where);
    EXPECT_CONTAINS("8 bytes", err.message);
}

typedef struct looking {
    stk_train_recipe recipe;
    stk_train_data   data;
} looking;

static stk_status look_again(void *context, stk_error *err)
{
    looking *l = context;
    l->data.width = 0;
    l->data.survey = (stk_train_survey){0};
    return stk_survey_take(&l->recipe, 0, &l->data, err);
}

STK_TEST(a_look_survives_every_failed_allocation)
{
    static const kind tiny = {4, 4, 3};
    looking           l;
    stk_error         err;
    EXPECT_OK(settle(make_folder("failing", tiny, &tiny, 1), &l.recipe, &l.data, NULL, &err));
    stk_test_fail_each_allocation(look_again, &l);
    stk_train_data_release(&l.data);
}
