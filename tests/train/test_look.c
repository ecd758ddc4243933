/* What data says of itself: a description that cannot be used is an error, one that is not there a
 * case of its own. */
#include "class_folders.h"
#include <stdio.h>
#include <stoker/presets.h>
#include <string.h>
#include <unistd.h>

static const wave_class classes[] = {{"ant", 0, 24, 8}, {"bee", 4, 24, 8}};

/* A pack of its own for each test, because they damage it. */
static const char *make_pack(const char *name)
{
    static char      path[512];
    char             folder[64];
    stk_error        err;
    stk_source      *source;
    stk_pack_options options = {.images = {.format = STK_PACK_KEEP}};
    snprintf(path, sizeof path, "%s", stk_test_path(name));
    snprintf(folder, sizeof folder, "%s-images", name);
    EXPECT_OK(stk_source_open(&source, NULL, wave_folders(folder, classes, COUNT_OF(classes), 20),
                              NULL, &err));
    EXPECT_OK(stk_pack(source, path, &options, NULL, &err));
    stk_source_free(source);
    return path;
}

static const char *file_of(const char *folder, const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static stk_status look(void *context, stk_error *err)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_recipe_init(&recipe);
    STK_TRY(stk_train_recipe_set(&recipe, "data.path", context, "test", err));
    STK_TRY(stk_train_data_read(&data, &recipe, err));
    stk_train_data_release(&data);
    return STK_OK;
}

/* By every way that reads it. */
static void refuse(const char *path, const char *file, stk_status status, const char *message)
{
    stk_error    err = {0};
    stk_dataset *data;
    EXPECT_STATUS(status, look((void *)path, &err));
    EXPECT_STR_EQ(file_of(path, file), err.where);
    EXPECT_CONTAINS(message, err.message);
    EXPECT_CONTAINS("mend the file, or remove it", err.message);
    EXPECT_STATUS(status, stk_dataset_images(&data, path, NULL, &err));
    EXPECT_STR_EQ(file_of(path, file), err.where);
    EXPECT(data == NULL);
}

STK_TEST(a_description_that_is_garbled_is_an_error)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {{"", "the text ends"},
                 {"{\"splits\": [{\"name\": \"tr", "line 1"},
                 {"\x80\x81\x82", "0x80"},
                 {"[]", "no JSON object"},
                 {"{}", "no JSON object"},
                 {"{\"splits\": 3}", "\"splits\" is no list"},
                 {"{\"splits\": [3]}", "\"splits\" is no object"},
                 {"{\"splits\": [{\"shardLengths\": 3}]}", "shardLengths"}};
    const char *path = make_pack("garbled");
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        stk_test_write_file(file_of(path, "dataset_info.json"), wrong[i].text,
                            strlen(wrong[i].text));
        refuse(path, "dataset_info.json", STK_E_FORMAT, wrong[i].message);
    }
    stk_test_write_file(file_of(path, "features.json"), "{\"featuresDict\"", 15);
    refuse(path, "features.json", STK_E_FORMAT, "line 1");
}

/* A folder in its place cannot be read by anyone, whatever rights the test has. */
STK_TEST(a_description_that_cannot_be_read_is_an_error)
{
    const char *path = make_pack("unreadable");
    EXPECT_INT_EQ(0, remove(file_of(path, "dataset_info.json")));
    EXPECT_INT_EQ(0, mkdir(file_of(path, "dataset_info.json"), 0777));
    stk_error err = {0};
    EXPECT(look((void *)path, &err) != STK_OK);
    EXPECT_STR_EQ(file_of(path, "dataset_info.json"), err.where);
}

static void expect_data(const char *path, bool names)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", path, "test", &err));
    EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
    EXPECT_INT_EQ(48, data.train_count);
    EXPECT_INT_EQ(16, data.validation_count);
    EXPECT_INT_EQ(2, data.classes);
    EXPECT(data.rare_count < 0 || data.rare_count > 0); /* a listing of records has no labels */
    EXPECT(names == (data.class_names != NULL));
    if (names) EXPECT_STR_EQ("bee", data.class_names[1]);
    stk_train_data_release(&data);
}

STK_TEST(records_without_a_description_are_looked_at_themselves)
{
    const char *path = make_pack("absent");
    expect_data(path, true);
    EXPECT_INT_EQ(0, remove(file_of(path, "dataset_info.json")));
    stk_error err = {0};
    EXPECT_STATUS(STK_E_DATALOSS, look((void *)path, &err)); /* a pack of ours has one */
    EXPECT_CONTAINS("it is missing or was changed", err.message);
    EXPECT_INT_EQ(0, remove(file_of(path, ".stoker-pack.json")));
    expect_data(path, true); /* features.json still has the classes */
    EXPECT_INT_EQ(0, remove(file_of(path, "features.json")));
    expect_data(path, false);
}

STK_TEST(classes_that_no_description_names_are_counted)
{
    const char *path = make_pack("nameless");
    EXPECT_INT_EQ(0, remove(file_of(path, "features.json")));
    expect_data(path, false);
}
