/* Names of splits, and what is held back of one. */
#include "source_support.h"
#include "storage/file/split_name.h"
#include "storage/source/holdout.h"

#include <stdio.h>
#include <string.h>

static stk_split_role role(const char *name)
{
    return stk_split_role_of(name, strlen(name));
}

STK_TEST(names_say_what_a_split_is_for)
{
    static const char *const train[] = {"train",      "Training", "TRAIN",     "training_set",
                                        "Train Data", "trainset", "seg_train", "train-images"};
    static const char *const validation[] = {"val",  "Validation", "valid",    "dev",
                                             "eval", "VAL_SET",    "valid.set"};
    static const char *const test[] = {"test", "Testing", "test_set", "TestSet", "test images"};
    static const char *const none[] = {"",       "cat",       "trains", "test_tubes", "train_test",
                                       "valley", "developer", "set",    "test2",      "images"};
    for (size_t i = 0; i < sizeof train / sizeof *train; i++)
        EXPECT_INT_EQ(STK_SPLIT_TRAIN, role(train[i]));
    for (size_t i = 0; i < sizeof validation / sizeof *validation; i++)
        EXPECT_INT_EQ(STK_SPLIT_VALIDATION, role(validation[i]));
    for (size_t i = 0; i < sizeof test / sizeof *test; i++)
        EXPECT_INT_EQ(STK_SPLIT_TEST, role(test[i]));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        EXPECT_INT_EQ(STK_SPLIT_OTHER, role(none[i]));
}

STK_TEST(a_split_is_found_by_its_name_or_by_what_it_means)
{
    static const char *const names[] = {"Testing", "training", "TRAIN", "val"};
    EXPECT_INT_EQ(1, stk_split_find(names, 4, "training"));
    EXPECT_INT_EQ(2, stk_split_find(names, 4, "train"));
    EXPECT_INT_EQ(0, stk_split_find(names, 4, "test"));
    EXPECT_INT_EQ(3, stk_split_find(names, 4, "dev"));
    EXPECT_INT_EQ(4, stk_split_find(names, 4, "extra"));
    EXPECT_INT_EQ(2, stk_split_find_role(names, 4, STK_SPLIT_TRAIN));
    EXPECT_INT_EQ(1, stk_split_find_role(names, 1, STK_SPLIT_TRAIN));
}

STK_TEST(training_and_testing_are_splits_and_not_classes)
{
    put("ing/Training/cat/1.jpg", "a");
    put("ing/Training/dog/1.jpg", "b");
    put("ing/Testing/cat/1.jpg", "c");
    put("ing/dev/dog/1.jpg", "d");
    put("ing/seg_test/seg_test/dog/1.jpg", "e");
    stk_source             *source = open_source(stk_test_path("ing"), NULL);
    const stk_feature_info *label = find_feature(source, "label");
    EXPECT_INT_EQ(4, stk_source_split_count(source));
    EXPECT_STR_EQ("Testing", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("Training", stk_source_split_name(source, 1));
    EXPECT_INT_EQ(2, label->class_count);
    EXPECT_STR_EQ("cat", label->class_names[0]);
    stk_source_free(source);
}

static const char *make_table(void)
{
    stk_blob  text;
    stk_error err;
    char      line[64];
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_blob_append(&text, "value,label\n", 12, &err));
    for (int i = 0; i < 200; i++) { /* the rows go round ten classes; the last class has one row */
        const int length = snprintf(line, sizeof line, "%d,%s%d\n", i, "c", i % 10);
        EXPECT_OK(stk_blob_append(&text, line, (size_t)length, &err));
    }
    EXPECT_OK(stk_blob_append(&text, "7,lone\n", 8 - 1, &err));
    stk_test_write_file(stk_test_path("rounds.csv"), text.data, text.size);
    stk_blob_release(&text);
    return stk_test_path("rounds.csv");
}

STK_TEST(every_class_has_its_share_of_what_is_held_back)
{
    stk_error   err;
    uint8_t     held[201];
    uint64_t    count, of_class[11] = {0};
    stk_source *source = open_source(make_table(), NULL);
    EXPECT_INT_EQ(201, stk_source_count(source));
    EXPECT_OK(stk_source_holdout(source, 0, 10, held, &count, &err));
    EXPECT_INT_EQ(20, count);
    for (uint64_t i = 0; i < 201; i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        of_class[item.label] += held[i];
    }
    for (int c = 0; c < 10; c++)
        EXPECT_INT_EQ(2, of_class[c]);
    EXPECT_INT_EQ(0, of_class[10]);
    stk_source_free(source);
}

static stk_status hold_back(void *source, stk_error *err)
{
    uint64_t count;
    return stk_source_holdout(source, 0, 10, NULL, &count, err);
}

STK_TEST(holding_back_survives_every_failed_allocation)
{
    stk_source *source = open_source(make_table(), NULL);
    stk_test_fail_each_allocation(hold_back, source);
    stk_source_free(source);
}

static void expect_note(const char *folder, uint64_t count, size_t classes, const char *text)
{
    stk_source *source = open_source(stk_test_path(folder), NULL);
    const char *note = stk_source_next_note(source, NULL);
    EXPECT_INT_EQ(count, stk_source_count(source));
    EXPECT_INT_EQ(classes, find_feature(source, "label")->class_count);
    EXPECT(note != NULL);
    EXPECT_CONTAINS(text, note);
    EXPECT(!stk_source_next_note(source, note));
    stk_source_free(source);
}

static void put_some(const char *folder, int count)
{
    char path[256];
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%d.jpg", folder, i);
        put(path, "x");
    }
}

STK_TEST(what_fits_nowhere_is_left_out_and_said)
{
    put_some("beside/train/cat", 3);
    put_some("beside/train/dog", 3);
    put_some("beside/test/cat", 3);
    put_some("beside/images to predict", 2);
    expect_note("beside", 9, 2,
                "2 images beside the splits are left out, such as images to predict/0");
    put_some("kaggle/train/cat", 3);
    put_some("kaggle/train/dog", 3);
    put_some("kaggle/test", 4);
    expect_note("kaggle", 6, 2,
                "the split test has no folders of classes, so its 4 images have no");
    put_some("title/cat", 6);
    put_some("title/dog", 6);
    put("title/cover.jpg", "x");
    expect_note("title", 12, 2,
                "1 image beside the folders of classes is left out, such as cover.jpg");
}

STK_TEST(what_is_not_clear_is_refused_as_before)
{
    stk_error   err;
    stk_source *source;
    put_some("unclear/train/cat", 3);
    put_some("unclear/extra/dog", 3);
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_source_open(&source, NULL, stk_test_path("unclear"), NULL, &err));
    EXPECT_CONTAINS("is named as a split and holds classes", err.message);
    put_some("many/cat", 3);
    put_some("many", 3);
    EXPECT_STATUS(STK_E_FORMAT, stk_source_open(&source, NULL, stk_test_path("many"), NULL, &err));
    EXPECT_CONTAINS("lies in no class folder", err.message);
    put_some("backward/train", 3);
    put_some("backward/test/cat", 3);
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_source_open(&source, NULL, stk_test_path("backward"), NULL, &err));
}

STK_TEST(splits_may_lie_in_the_classes)
{
    put_some("inside/cat/Train", 3);
    put_some("inside/cat/test", 2);
    put_some("inside/dog/Train", 3);
    put_some("inside/dog/test", 2);
    stk_source *source = open_source(stk_test_path("inside"), NULL);
    EXPECT_INT_EQ(2, stk_source_split_count(source));
    EXPECT_STR_EQ("Train", stk_source_split_name(source, 0));
    EXPECT_INT_EQ(2, find_feature(source, "label")->class_count);
    stk_source_item item;
    stk_source_item_at(source, 9, &item);
    EXPECT_INT_EQ(1, item.split);
    EXPECT_INT_EQ(1, item.label);
    stk_source_free(source);
    put_some("vans/train/big", 2); /* a class, as the others have no splits in them */
    put_some("vans/car/big", 2);
    stk_error err;
    EXPECT_STATUS(STK_E_FORMAT, stk_source_open(&source, NULL, stk_test_path("vans"), NULL, &err));
}
