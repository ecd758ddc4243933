#include "../storage/source_support.h"
#include "file_support.h"

static stk_dataset *files_of(const char *pattern, const stk_files_options *options)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_files(&data, NULL, pattern, options, &err));
    return data;
}

/* What a run gives, with the folder of the test left out. */
static const char *without_folder(const char *text)
{
    static char result[4096];
    const char *folder = stk_test_path("");
    size_t      size = 0;
    while (*text) {
        if (strncmp(text, folder, strlen(folder)) == 0)
            text += strlen(folder);
        else
            result[size++] = *text++;
    }
    result[size] = 0;
    return result;
}

static void make_files(void)
{
    put("l/b.txt", "");
    put("l/a.txt", "");
    put("l/c.bin", "");
    put("l/.hidden.txt", "");
    put("l/x/1.txt", "");
    put("l/y/2.txt", "");
    put("l/y/deep/3.txt", "");
}

static void expect_files(const char *expected, const char *pattern)
{
    stk_dataset *data = files_of(stk_test_path(pattern), NULL);
    EXPECT_STR_EQ(expected, without_folder(stk_test_run(data, NULL, 0)));
    stk_dataset_unref(data);
}

STK_TEST(names_are_sorted) /* 9 */
{
    stk_test_watchdog(120);
    make_files();
    expect_files("'l/a.txt' 'l/b.txt' .", "l/*.txt");
    expect_files("'l/a.txt' 'l/b.txt' 'l/c.bin' .", "l");
    expect_files("'l/a.txt' 'l/b.txt' 'l/c.bin' .", "l/");
    expect_files("'l/c.bin' .", "l/c.bin");
    expect_files("'l/b.txt' 'l/c.bin' .", "l/[b-c].*");
}

STK_TEST(wildcards_may_stand_for_folders)
{
    make_files();
    expect_files("'l/x/1.txt' 'l/y/2.txt' .", "l/*/?.txt");
    expect_files("'l/y/deep/3.txt' .", "l/*/deep/*.txt");
    expect_files("'l/y/deep/3.txt' .", "*/y/deep/3.txt");
    expect_files("'l/x/1.txt' .", "l/*/1.txt");
}

STK_TEST(no_match_is_told_at_once) /* 9 */
{
    make_files();
    static const char *const patterns[] = {"l/*.jpg", "l/nothing", "none/*.txt", "l/*/*/*/*.txt"};
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        stk_error    err;
        stk_dataset *data;
        EXPECT_STATUS(STK_E_INVALID,
                      stk_dataset_files(&data, NULL, stk_test_path(patterns[i]), NULL, &err));
        EXPECT_CONTAINS("No files matched", err.message);
        EXPECT_CONTAINS(patterns[i], err.where);
        EXPECT(data == NULL);
    }
}

STK_TEST(an_empty_folder_has_no_files)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_files(&data, NULL, stk_test_folder(), NULL, &err));
    EXPECT_CONTAINS("No files matched", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_files(&data, NULL, "", NULL, &err));
    EXPECT_CONTAINS("empty", err.message);
}

STK_TEST(a_name_with_wildcards_that_exists_is_itself)
{
    put("w/a[1].txt", "");
    put("w/a1.txt", "");
    expect_files("'w/a[1].txt' .", "w/a[1].txt");
}

STK_TEST(one_seed_is_one_order) /* 9 */
{
    char text[3][4096];
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "s/%02d", i);
        put(name, "");
    }
    for (int i = 0; i < 3; i++) {
        const stk_files_options options = {.shuffle = true, .seed = i == 2 ? 8 : 7};
        stk_dataset            *data = files_of(stk_test_path("s/*"), &options);
        EXPECT_INT_EQ(20, stk_dataset_cardinality(data));
        snprintf(text[i], sizeof text[i], "%s", without_folder(stk_test_run(data, NULL, 0)));
        EXPECT_STR_EQ(text[i], without_folder(stk_test_run(data, NULL, 0)));
        stk_dataset_unref(data);
    }
    EXPECT_STR_EQ(text[0], text[1]);
    EXPECT(strcmp(text[0], text[2]) != 0);
}

STK_TEST(names_can_be_had_by_number_and_checkpointed)
{
    make_files();
    stk_dataset *data = files_of(stk_test_path("l/*.txt"), NULL);
    stk_error    err;
    stk_element *element;
    EXPECT_OK(stk_dataset_at(data, 1, &element, &err));
    const stk_bytes *name = stk_value_data(stk_element_value(element, 0));
    EXPECT_INT_EQ(strlen(stk_test_path("l/b.txt")), name->size);
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 2, &element, &err));
    EXPECT_CONTAINS("file 2 was asked for; there are 2", err.message);
    char text[1024];
    snprintf(text, sizeof text, "'%s' '%s' .", stk_test_path("l/a.txt"), stk_test_path("l/b.txt"));
    EXPECT_STR_EQ("file", stk_dataset_spec(data)->values[0].name);
    EXPECT_GIVES(text, data);
}

static stk_status build(void *pattern, stk_error *err)
{
    stk_dataset *data = NULL;
    stk_status   st =
        stk_dataset_files(&data, NULL, pattern, &(stk_files_options){.shuffle = true}, err);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(failed_allocations_while_building_are_clean)
{
    make_files();
    stk_test_fail_each_allocation(build, (void *)(uintptr_t)stk_test_path("l/*/?.txt"));
}
