#include "pipeline_support.h"

static stk_dataset *shard_of(stk_dataset *data, int64_t shards, int64_t index)
{
    APPLY(data, shard, shards, index);
    return data;
}

STK_TEST(shard_keeps_every_nth_element) /* 39 */
{
    stk_test_watchdog(60);
    EXPECT_GIVES("2 7 .", shard_of(RANGE(10), 5, 2));
    EXPECT_GIVES("3 7 .", shard_of(RANGE(10), 4, 3));
    EXPECT_GIVES("5 .", shard_of(RANGE(10), 7, 5));
    EXPECT_GIVES("5 .", shard_of(RANGE(10), 20, 5));
    EXPECT_GIVES(".", shard_of(RANGE(1), 5, 2));
    EXPECT_GIVES("0 1 2 .", shard_of(RANGE(3), 1, 0));
}

STK_TEST(shard_refuses_bad_numbers) /* 39 */
{
    stk_error    err;
    stk_dataset *data = RANGE(5);
    EXPECT_REFUSED(STK_E_INVALID, "the number of shards is 0; it must be at least 1",
                   stk_dataset_shard(&data, 0, 0, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the number of shards is -3",
                   stk_dataset_shard(&data, -3, 0, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the index is 2; with 2 shards it is 0 to 1",
                   stk_dataset_shard(&data, 2, 2, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the index is -1", stk_dataset_shard(&data, 2, -1, &err));
    EXPECT_GIVES("0 1 2 3 4 .", data);
}

STK_TEST(cardinality_of_shard) /* 39 */
{
    stk_dataset *data = shard_of(RANGE(5), 2, 0);
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = shard_of(RANGE(5), 8, 7);
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = RANGE(5);
    APPLY(data, repeat, -1);
    data = shard_of(data, 2, 1);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(4, "1 3 0 2 ...", data);
}

/* Every shard sees every error, and no element is in two shards or in none. */
STK_TEST(an_error_moves_no_element_to_another_shard) /* 4, 39 */
{
    static const char *const expected[] = {"0 !invalid_argument 5 10 .",
                                           "1 !invalid_argument 6 11 .", "2 !invalid_argument 7 .",
                                           "3 !invalid_argument 8 .", "!invalid_argument 9 ."};
    for (int64_t i = 0; i < 5; i++) {
        stk_dataset *data = RANGE(12);
        APPLY(data, map, stk_test_fail_on(4), NULL);
        EXPECT_GIVES(expected[i], shard_of(data, 5, i));
    }
}

/* Shards are drawn as processes would: each from a plan of its own, with another number of threads
 * and the seed that its shuffle was given. */
STK_TEST(shards_of_a_seeded_shuffle_are_disjoint_and_complete) /* 40 */
{
    enum { SHARDS = 3, NUMBERS_IN_ALL = 100 };
    const stk_shuffle_options shuffle = {.seed = 11, .seeded = true};
    int                       seen[NUMBERS_IN_ALL] = {0};
    for (int i = 0; i < SHARDS; i++) {
        const stk_iterator_options options = {.threads = i + 1, .seed = 5 + (uint64_t)i};
        stk_dataset               *shard = RANGE(NUMBERS_IN_ALL);
        stk_iterator              *it;
        stk_element               *element;
        stk_error                  err;
        APPLY(shard, map, stk_test_multiply(37), NULL);
        APPLY(shard, shuffle, 40, &shuffle);
        shard = shard_of(shard, SHARDS, i);
        EXPECT_OK(stk_iterator_start(&it, shard, &options, &err));
        for (;;) {
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            if (!element) break;
            seen[stk_test_number(element) / 37]++;
            stk_element_unref(element);
        }
        stk_iterator_free(it);
        stk_dataset_unref(shard);
    }
    for (int i = 0; i < NUMBERS_IN_ALL; i++)
        EXPECT_INT_EQ(1, seen[i]);
}

STK_TEST(shard_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = shard_of(RANGE(10), 4, 1);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(9, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, UINT64_MAX, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_shard_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(shard_of(RANGE(9), 4, 1), 1);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 10, 1, err));
    return stk_dataset_shard(out, 3, 0, err);
}

STK_TEST(shard_survives_want_of_memory)
{
    stk_test_without_memory(build, 4);
}
