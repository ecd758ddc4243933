#include "cache_support.h"

#include <unistd.h>

static const char *fresh(void)
{
    static int number;
    char       name[32];
    snprintf(name, sizeof name, "snapshot-%d", number++);
    return stk_test_path(name);
}

static stk_dataset *snapshot(stk_dataset *data, stk_snapshot_options options)
{
    APPLY(data, snapshot, &options);
    return data;
}

STK_TEST(a_snapshot_gives_what_its_input_gives_with_every_compression) /* 71, 72 */
{
    static const stk_compression each[] = {STK_COMPRESSION_AUTO, STK_COMPRESSION_NONE,
                                           STK_COMPRESSION_GZIP, STK_COMPRESSION_ZSTD};
    for (size_t i = 0; i < COUNT_OF(each); i++) {
        int          calls = 0;
        const char  *folder = fresh();
        stk_dataset *data =
            snapshot(counted(7, &calls), (stk_snapshot_options){.directory = folder,
                                                                .compression = (int)each[i],
                                                                .chunk_bytes = 20});
        EXPECT_INT_EQ(7, stk_dataset_cardinality(data));
        EXPECT_STR_EQ("0 1 2 3 4 5 6 .", run_once(data));
        EXPECT_INT_EQ(7, calls);
        EXPECT_GIVES("0 1 2 3 4 5 6 .", data);
        EXPECT_INT_EQ(7, calls);
    }
}

STK_TEST(another_pipeline_makes_another_snapshot) /* 71 */
{
    const char  *folder = fresh();
    stk_dataset *a = snapshot(RANGE(3), (stk_snapshot_options){.directory = folder});
    stk_dataset *b = snapshot(RANGE(4), (stk_snapshot_options){.directory = folder});
    EXPECT_STR_EQ("0 1 2 .", run_once(a));
    EXPECT_STR_EQ("0 1 2 3 .", run_once(b));
    EXPECT_STR_EQ("0 1 2 .", run_once(a));
    EXPECT_INT_EQ(2, files_in(folder));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
}

STK_TEST(a_snapshot_that_is_being_written_is_not_disturbed) /* 71 */
{
    int           calls = 0;
    const char   *folder = fresh();
    stk_dataset  *data = snapshot(counted(6, &calls), (stk_snapshot_options){.directory = folder});
    stk_iterator *first = start(data), *second = start(data);
    take(first, 2);
    take(second, 6); /* without an error, from the input */
    take(first, 4);
    stk_iterator_free(first);
    stk_iterator_free(second);
    EXPECT_INT_EQ(12, calls);
    EXPECT_STR_EQ("0 1 2 3 4 5 .", run_once(data));
    EXPECT_INT_EQ(12, calls);
    stk_dataset_unref(data);
}

STK_TEST(only_a_complete_snapshot_is_read) /* 71 */
{
    int           calls = 0;
    const char   *folder = fresh();
    stk_dataset  *data = snapshot(counted(6, &calls),
                                  (stk_snapshot_options){.directory = folder, .chunk_bytes = 10});
    stk_iterator *it = start(data);
    take(it, 4);
    stk_iterator_free(it);
    EXPECT_STR_EQ("0 1 2 3 4 5 .", run_once(data));
    EXPECT(calls >= 10);
    stk_dataset_unref(data);
}

STK_TEST(without_locks_a_pending_snapshot_expires) /* 71 */
{
    full_disk   store;
    int         calls = 0;
    const char *folder = fresh();
    lockless_init(&store);
    const stk_snapshot_options options = {
        .directory = folder, .fs = &store.fs, .pending_seconds = 0.3};
    stk_dataset *data = snapshot(counted(4, &calls), options);
    /* Somebody who was killed left its mark. */
    stk_iterator *dead = start(data);
    take(dead, 2);
    EXPECT_STR_EQ("0 1 2 3 .", run_once(data)); /* unrecorded */
    EXPECT_STR_EQ("0 1 2 3 .", run_once(data));
    EXPECT(calls >= 10);
    usleep(400000);
    const int before = calls;
    EXPECT_STR_EQ("0 1 2 3 .", run_once(data)); /* taken over */
    EXPECT_INT_EQ(before + 4, calls);
    EXPECT_STR_EQ("0 1 2 3 .", run_once(data));
    EXPECT_INT_EQ(before + 4, calls);
    stk_iterator_free(dead); /* a writer that was only slow does no harm */
    EXPECT_STR_EQ("0 1 2 3 .", run_once(data));
    EXPECT_INT_EQ(before + 4, calls);
    stk_dataset_unref(data);
}

STK_TEST(snapshot_refuses_what_makes_no_sense)
{
    stk_error            err;
    stk_dataset         *data = RANGE(3);
    stk_snapshot_options options = {0};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_snapshot(&data, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_snapshot(&data, &options, &err));
    EXPECT_CONTAINS("give a directory", err.message);
    options.directory = "x";
    options.compression = STK_COMPRESSION_ZLIB;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_snapshot(&data, &options, &err));
    EXPECT_CONTAINS("give none, gzip or zstd", err.message);
    options.compression = STK_COMPRESSION_NONE;
    options.pending_seconds = -1;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_snapshot(&data, &options, &err));
    EXPECT_CONTAINS("pending_seconds is -1", err.message);
    stk_dataset_unref(data);
}

static stk_status run_all(void *context, stk_error *err)
{
    stk_dataset  *data;
    stk_iterator *it = NULL;
    char          folder[1024];
    static int    number;
    snprintf(folder, sizeof folder, "%s-%d", (const char *)context, number++);
    const stk_snapshot_options options = {.directory = folder, .compression = STK_COMPRESSION_NONE};
    STK_TRY(stk_dataset_range(&data, 0, 4, 1, err));
    stk_status st = stk_dataset_snapshot(&data, &options, err);
    if (!st)
        st = stk_iterator_start(
            &it, data, &(stk_iterator_options){.threads = 1, .seed = 1, .passes_off = STK_PASS_ALL},
            err);
    for (int i = 0; i < 5 && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(snapshot_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(run_all, (void *)(uintptr_t)fresh());
}
