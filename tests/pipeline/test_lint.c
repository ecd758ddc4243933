#include "pipeline_support.h"

#include <string.h>

enum { MOST = 8 };

/* The rules that data (whose reference it takes over) breaks, separated by blanks. */
static const char *lint(stk_dataset *data, int ranks, stk_warning *first)
{
    static char rules[256];
    stk_warning warnings[MOST];
    size_t      count;
    stk_error   err;
    EXPECT_OK(stk_dataset_lint(data, ranks, warnings, MOST, &count, &err));
    rules[0] = 0;
    for (size_t i = 0; i < count; i++) {
        if (i) strcat(rules, " ");
        strcat(rules, warnings[i].rule);
    }
    if (first && count) *first = warnings[0];
    stk_dataset_unref(data);
    return rules;
}

static stk_status same(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)err;
    return STK_OK;
}

STK_TEST(a_usual_pipeline_has_no_warnings)
{
    stk_dataset *data = RANGE(100);
    APPLY(data, shard, 2, 0);
    APPLY(data, cache, NULL);
    APPLY(data, shuffle, 50, NULL);
    APPLY(data, map, stk_test_map("augment", same, NULL, STK_FUNCTION_RANDOM), NULL);
    APPLY(data, repeat, -1);
    APPLY(data, batch, 10, NULL);
    APPLY(data, take, 5);
    APPLY(data, prefetch, 2);
    EXPECT_STR_EQ("", lint(data, 4, NULL));
}

STK_TEST(shuffling_batches_is_told)
{
    stk_warning  warning;
    stk_dataset *data = RANGE(100);
    APPLY(data, batch, 10, NULL);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, shuffle, 5, NULL);
    EXPECT_STR_EQ("shuffle_after_batch", lint(data, 1, &warning));
    EXPECT_STR_EQ("shuffle(5)", warning.stage);
    EXPECT_CONTAINS("whole batches of batch(10)", warning.message);
    EXPECT_CONTAINS("put shuffle before the batch", warning.message);
}

STK_TEST(shuffling_repeated_data_is_told)
{
    stk_warning  warning;
    stk_dataset *data = RANGE(100);
    APPLY(data, repeat, 3);
    APPLY(data, shuffle, 5, NULL);
    EXPECT_STR_EQ("repeat_before_shuffle", lint(data, 1, &warning));
    EXPECT_CONTAINS("after repeat(3) and mixes epochs", warning.message);
    data = RANGE(100);
    APPLY(data, repeat, 1);
    APPLY(data, shuffle, 5, NULL);
    EXPECT_STR_EQ("", lint(data, 1, NULL));
}

STK_TEST(a_cache_that_freezes_what_is_random_is_told) /* 67 */
{
    stk_warning  warning;
    stk_dataset *data = RANGE(100);
    APPLY(data, map, stk_test_map("augment", same, NULL, STK_FUNCTION_RANDOM), NULL);
    APPLY(data, cache, NULL);
    EXPECT_STR_EQ("cache_after_random", lint(data, 1, &warning));
    EXPECT_CONTAINS("what map(augment) gave in the first epoch", warning.message);
    EXPECT_CONTAINS("put map after the cache", warning.message);
    data = RANGE(100);
    APPLY(data, shuffle, 100, NULL);
    APPLY(data, cache, NULL);
    EXPECT_STR_EQ("cache_after_random", lint(data, 1, &warning));
    EXPECT_CONTAINS("the same order", warning.message);
}

STK_TEST(a_cache_that_is_never_complete_is_told) /* 65 */
{
    stk_warning  warning;
    stk_dataset *data = RANGE(100);
    APPLY(data, cache, NULL);
    APPLY(data, take, 5);
    EXPECT_STR_EQ("take_after_cache", lint(data, 1, &warning));
    EXPECT_STR_EQ("take(5)", warning.stage);
    EXPECT_CONTAINS("put take before cache", warning.message);
    data = RANGE(100);
    APPLY(data, cache, NULL);
    APPLY(data, take, -1);
    EXPECT_STR_EQ("", lint(data, 1, NULL));
    data = RANGE(100);
    APPLY(data, cache, NULL);
    APPLY(data, take, 100);
    EXPECT_STR_EQ("", lint(data, 1, NULL));
}

STK_TEST(shards_of_an_unseeded_shuffle_are_told) /* 40 */
{
    stk_warning  warning;
    stk_dataset *data = RANGE(100);
    APPLY(data, shuffle, 10, NULL);
    APPLY(data, shard, 4, 1);
    EXPECT_STR_EQ("shard_after_shuffle", lint(data, 4, &warning));
    EXPECT_CONTAINS("shuffle(10) has no seed", warning.message);
    data = RANGE(100);
    APPLY(data, shuffle, 10, (&(stk_shuffle_options){.seeded = true, .seed = 3}));
    APPLY(data, shard, 4, 1);
    EXPECT_STR_EQ("", lint(data, 4, NULL));
}

STK_TEST(fewer_files_than_processes_are_told)
{
    stk_warning  warning;
    stk_error    err;
    stk_dataset *data;
    stk_test_write_file(stk_test_path("one.bin"), "1", 1);
    stk_test_write_file(stk_test_path("two.bin"), "2", 1);
    EXPECT_OK(stk_dataset_files(&data, NULL, stk_test_path("*.bin"), NULL, &err));
    EXPECT_STR_EQ("fewer_shards_than_ranks", lint(stk_dataset_ref(data), 3, &warning));
    EXPECT_CONTAINS("there are 2 files for 3 processes: 1 of them get none", warning.message);
    EXPECT_STR_EQ("", lint(stk_dataset_ref(data), 2, NULL));
    EXPECT_STR_EQ("", lint(data, 0, NULL));
}

STK_TEST(all_warnings_are_counted_and_only_those_with_room_are_written)
{
    stk_warning  warnings[2] = {{.rule = "none"}, {.rule = "none"}};
    size_t       count;
    stk_error    err;
    stk_dataset *data = RANGE(100);
    APPLY(data, repeat, 2);
    APPLY(data, batch, 10, NULL);
    APPLY(data, shuffle, 5, NULL);
    EXPECT_OK(stk_dataset_lint(data, 1, warnings, 1, &count, &err));
    EXPECT_INT_EQ(2, count);
    EXPECT_STR_EQ("shuffle_after_batch", warnings[0].rule);
    EXPECT_STR_EQ("none", warnings[1].rule);
    EXPECT_OK(stk_dataset_lint(data, 1, NULL, 0, &count, &err));
    EXPECT_INT_EQ(2, count);
    stk_dataset_unref(data);
}
