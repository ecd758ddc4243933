/* Sets of shards: names, folders, patterns, holes. */
#include "source_support.h"

static void expect_found(const char *path, const char *const *names, size_t count)
{
    stk_error  err;
    stk_shards shards;
    EXPECT_OK(stk_shards_find(&shards, NULL, path, &err));
    EXPECT_INT_EQ(count, shards.count);
    for (size_t i = 0; i < count; i++)
        EXPECT_STR_EQ(stk_test_path(names[i]), shards.paths[i]);
    stk_shards_release(&shards);
}

STK_TEST(shard_names_are_read)
{
    stk_shard_name shard;
    EXPECT(stk_shard_name_parse("mnist-train.tfrecord-00003-of-00012", &shard));
    EXPECT_INT_EQ(20, shard.stem_length);
    EXPECT_INT_EQ(3, shard.index);
    EXPECT_INT_EQ(12, shard.count);
    EXPECT(stk_shard_name_parse("a-123456-of-200000", &shard));
    EXPECT_INT_EQ(123456, shard.index);
    static const char *const none[] = {"",
                                       "a",
                                       "a-0003-of-0012",
                                       "a-00012-of-00012",
                                       "a-00000-of-",
                                       "-of-00012",
                                       "00000-of-00012",
                                       "a00000-of-00012",
                                       "a-00000-of-99999999999",
                                       "a-00000-of-00001.gz",
                                       "-of-"};
    for (size_t i = 0; i < COUNT_OF(none); i++)
        EXPECT(!stk_shard_name_parse(none[i], &shard));
}

STK_TEST(shard_names_are_written)
{
    char      text[20];
    stk_error err;
    EXPECT_OK(stk_shard_name_write(text, sizeof text, "ab", 3, 12, &err));
    EXPECT_STR_EQ("ab-00003-of-00012", text);
    EXPECT_OK(stk_shard_name_write(text, sizeof text, "abcd", 3, 12, &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_shard_name_write(text, sizeof text, "abcde", 3, 12, &err));
    EXPECT_CONTAINS("needs 21 characters, not 20", err.message);
}

STK_TEST(a_folder_gives_its_records_sorted_and_nothing_else)
{
    static const char *const names[] = {"mixed/a.tfrecord", "mixed/b.tfrecords", "mixed/c.tfrec",
                                        "mixed/d.tfrecord.gz", "mixed/train-00000-of-00001"};
    for (size_t i = COUNT_OF(names); i-- > 0;)
        put(names[i], "x");
    put("mixed/.a.tfrecord.stkidx", "x");
    put("mixed/readme.txt", "x");
    put("mixed/x.array_record-00000-of-00001", "x");
    put("mixed/sub.tfrecord/a.tfrecord", "x");
    expect_found(stk_test_path("mixed"), names, COUNT_OF(names));
    expect_found(stk_test_path("mixed/*"),
                 (const char *const[]){"mixed/a.tfrecord", "mixed/b.tfrecords", "mixed/c.tfrec",
                                       "mixed/d.tfrecord.gz", "mixed/readme.txt",
                                       "mixed/train-00000-of-00001",
                                       "mixed/x.array_record-00000-of-"
                                       "00001"},
                 7);
    expect_found(stk_test_path("mixed/[ab].*"), names, 2);
    expect_found(stk_test_path("mixed/a.tfrecord"), names, 1);
}

STK_TEST(names_give_splits)
{
    static const char *const cases[][2] = {
        {"s/mnist-train.tfrecord-00000-of-00001", "train"},
        {"s/my-set-unlabelled.tfrecord-00000-of-00001", "unlabelled"},
        {"s/plain.tfrecord-00000-of-00001", ""},
        {"s/test.tfrecord", "test"},
        {"s/train-00000-of-00001", "train"},
        {"s/x_val.tfrecords", "val"},
        {"s/ytrain.tfrecords", ""},
    };
    stk_error  err;
    stk_shards shards;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        put(cases[i][0], "x");
    EXPECT_OK(stk_shards_find(&shards, NULL, stk_test_path("s"), &err));
    EXPECT_INT_EQ(COUNT_OF(cases), shards.count);
    for (size_t i = 0; i < shards.count; i++)
        for (size_t j = 0; j < COUNT_OF(cases); j++)
            if (!strcmp(stk_test_path(cases[j][0]), shards.paths[i]))
                EXPECT_STR_EQ(cases[j][1], shards.splits[i]);
    stk_shards_release(&shards);
}

STK_TEST(a_hole_in_a_set_is_named)
{
    stk_error  err;
    stk_shards shards;
    put("holes/train-00000-of-00007", "x");
    put("holes/train-00002-of-00007", "x");
    put("holes/val-00000-of-00001", "x");
    EXPECT_STATUS(STK_E_DATALOSS, stk_shards_find(&shards, NULL, stk_test_path("holes"), &err));
    EXPECT_INT_EQ(0, shards.count);
    EXPECT_CONTAINS("5 files are missing: train-00001-of-00007, train-00003-of-00007, "
                    "train-00004-of-00007, ...",
                    err.message);
    EXPECT_STATUS(STK_E_DATALOSS,
                  stk_shards_find(&shards, NULL, stk_test_path("holes/train-*"), &err));
    EXPECT_STATUS(STK_E_DATALOSS,
                  stk_shards_find(&shards, NULL, stk_test_path("holes/train-0000[012]*"), &err));
    EXPECT_CONTAINS("1 file is missing: train-00001-of-00007", err.message);
    expect_found(stk_test_path("holes/train-0000[02]-*"),
                 (const char *const[]){"holes/train-00000-of-00007", "holes/train-00002-of-00007"},
                 2);
    expect_found(stk_test_path("holes/val*"), (const char *const[]){"holes/val-00000-of-00001"}, 1);
}

STK_TEST(a_name_that_claims_billions_of_shards_is_answered_at_once)
{
    stk_error  err;
    stk_shards shards;
    put("claims/a-00000-of-4294967295", "x");
    EXPECT_STATUS(STK_E_DATALOSS, stk_shards_find(&shards, NULL, stk_test_path("claims"), &err));
    EXPECT_CONTAINS("or more files are missing", err.message);
}

STK_TEST(nothing_found_says_so)
{
    stk_error  err;
    stk_shards shards;
    put("bare/readme.txt", "x");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_shards_find(&shards, NULL, stk_test_path("bare"), &err));
    EXPECT_CONTAINS("No files matched", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_shards_find(&shards, NULL, stk_test_path("bare/*.tf"), &err));
    EXPECT_CONTAINS("No files matched", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_shards_find(&shards, NULL, stk_test_path("gone/*"), &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_shards_find(&shards, NULL, stk_test_path("gone"), &err));
}

static stk_status find_shards(void *context, stk_error *err)
{
    stk_shards shards;
    STK_TRY(stk_shards_find(&shards, NULL, context, err));
    stk_shards_release(&shards);
    return STK_OK;
}

STK_TEST(finding_shards_survives_every_failed_allocation)
{
    put("failing/train-00000-of-00002", "x");
    put("failing/train-00001-of-00002", "x");
    stk_test_fail_each_allocation(find_shards, (void *)stk_test_path("failing"));
    stk_test_fail_each_allocation(find_shards, (void *)stk_test_path("failing/train*"));
}
