#include "cache_support.h"
#include "failing_alloc.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static stk_dataset *cached(stk_dataset *data, const char *folder, const stk_filesystem *fs)
{
    const stk_cache_options options = {.directory = folder, .fs = fs};
    APPLY(data, cache, &options);
    return data;
}

static const char *fresh(void)
{
    static int number;
    char       name[32];
    snprintf(name, sizeof name, "cache-%d", number++);
    return stk_test_path(name);
}

STK_TEST(a_cache_on_disk_gives_what_its_input_gives) /* 69, 70, 72 */
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_multiply(2), NULL);
    data = cached(data, fresh(), NULL);
    EXPECT_INT_EQ(8, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 2 4 6 8 10 12 14 .", data);
    data = cached(RANGE(0), fresh(), NULL);
    APPLY(data, repeat, 2);
    EXPECT_GIVES(".", data);
}

STK_TEST(later_runs_do_not_run_the_input) /* 69 */
{
    int          calls = 0;
    const char  *folder = fresh();
    stk_dataset *data = cached(counted(10, &calls), folder, NULL);
    APPLY(data, repeat, 2);
    EXPECT_STR_EQ("0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 .", run_once(data));
    stk_dataset_unref(data);
    EXPECT_INT_EQ(10, calls);
    data = cached(counted(10, &calls), folder, NULL); /* made anew */
    APPLY(data, repeat, 2);
    EXPECT_GIVES("0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 .", data);
    EXPECT_INT_EQ(10, calls);
    EXPECT_INT_EQ(2, files_in(folder)); /* one chunk and the list */
}

/* A shuffle saves its fresh input and then restores it: the recording is found twice. */
STK_TEST(a_shuffle_over_a_complete_cache_is_restored_and_leaves_nothing)
{
    stk_dataset *data = cached(RANGE(10), fresh(), NULL);
    EXPECT_STR_EQ("0 1 2 3 4 5 6 7 8 9 .", run_once(data));
    APPLY(data, shuffle, 4, NULL);
    const int64_t live = stk_alloc_live();
    for (int i = 0; i < 3; i++) {
        stk_error     err;
        stk_blob      saved;
        stk_iterator *it = start(data);
        take(it, 5);
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        take(it, 5);
        stk_blob_release(&saved);
        stk_iterator_free(it);
    }
    EXPECT_INT_EQ(live, stk_alloc_live());
    stk_dataset_unref(data);
}

STK_TEST(values_of_every_kind_come_back)
{
    static const size_t  lengths[] = {3, 1, 2};
    static const int64_t numbers[] = {1, 2, 3, 4, 5, 6};
    stk_dataset         *data = stk_test_vectors(3, lengths, numbers);
    data = cached(data, fresh(), NULL);
    EXPECT_GIVES("[1 2 3] [4] [5 6] .", data);
}

STK_TEST(a_second_writer_is_told_and_the_first_goes_on) /* 69 */
{
    stk_error     err;
    stk_element  *element;
    const char   *folder = fresh();
    stk_dataset  *data = cached(RANGE(6), folder, NULL);
    stk_iterator *first = start(data), *second = start(data);
    take(first, 2);
    EXPECT_STATUS(STK_E_EXISTS, stk_iterator_next(second, &element, &err));
    EXPECT_CONTAINS("is writing this cache", err.message);
    EXPECT_CONTAINS(folder, err.where);
    take(second, 3); /* unrecorded, from the first element on */
    take(first, 4);
    stk_iterator_free(second);
    stk_iterator_free(first);
    EXPECT_GIVES("0 1 2 3 4 5 .", data);
}

STK_TEST(an_iterator_that_stops_early_leaves_nothing_behind) /* 65, 69 */
{
    const char   *folder = fresh();
    stk_dataset  *data = cached(RANGE(6), folder, NULL);
    stk_iterator *it = start(data);
    take(it, 3);
    stk_iterator_free(it);
    EXPECT_INT_EQ(0, files_in(folder));
    EXPECT_GIVES("0 1 2 3 4 5 .", data);
}

STK_TEST(another_pipeline_is_refused)
{
    stk_error    err;
    stk_element *element;
    const char  *folder = fresh();
    stk_dataset *data = cached(RANGE(6), folder, NULL), *other = cached(RANGE(7), folder, NULL);
    EXPECT_STR_EQ("0 1 2 3 4 5 .", run_once(data));
    stk_iterator *it = start(other);
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("the elements of another pipeline", err.message);
    take(it, 7);
    stk_iterator_free(it);
    EXPECT_STR_EQ("0 1 2 3 4 5 .", run_once(data));
    stk_dataset_unref(data);
    stk_dataset_unref(other);
}

STK_TEST(passes_do_not_make_it_another_pipeline)
{
    const char  *folder = fresh();
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_add(1), NULL);
    data = cached(data, folder, NULL);
    EXPECT_STR_EQ("1 2 3 4 5 6 .", run_once(data));
    EXPECT_STR_EQ(
        "1 2 3 4 5 6 .",
        stk_test_run(data, &(stk_iterator_options){.threads = 2, .passes_off = STK_PASS_ALL}, 0));
    stk_dataset_unref(data);
}

static void expect_full(uint64_t capacity)
{
    full_disk    disk;
    stk_error    err;
    stk_element *element;
    int64_t      expected = 0, errors = 0;
    const char  *folder = fresh();
    full_disk_init(&disk, capacity, ENOSPC);
    stk_dataset  *data = cached(RANGE(20000), folder, &disk.fs);
    stk_iterator *it = start(data);
    for (;;) {
        const stk_status st = stk_iterator_next(it, &element, &err);
        if (st) {
            errors++;
            EXPECT_INT_EQ(STK_E_NOSPACE, st);
            EXPECT_CONTAINS(folder, err.where);
            continue;
        }
        if (!element) break;
        EXPECT_INT_EQ(expected++, stk_test_number(element));
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    EXPECT_INT_EQ(20000, expected);
    EXPECT_INT_EQ(1, errors);
    EXPECT_INT_EQ(0, files_in(folder));
    disk.capacity = UINT64_MAX;
    it = start(data);
    take(it, 20000);
    stk_iterator_free(it);
    EXPECT_INT_EQ(2, files_in(folder));
    stk_dataset_unref(data);
}

STK_TEST(a_full_disk_is_an_error_and_nothing_counts_as_complete)
{
    expect_full(0);
    expect_full(300000);
    expect_full(700000); /* the last flush or the list */
}

STK_TEST(a_read_only_folder_is_an_error_that_names_it)
{
    full_disk    disk;
    stk_error    err;
    stk_element *element;
    const char  *folder = fresh();
    full_disk_init(&disk, UINT64_MAX, EROFS);
    stk_dataset  *data = cached(RANGE(5), folder, &disk.fs);
    stk_iterator *it = start(data);
    EXPECT(stk_iterator_next(it, &element, &err) != STK_OK);
    EXPECT_CONTAINS(folder, err.where);
    take(it, 5);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* Runs run in a child, which then sleeps until it is killed; returns when run is done. */
static pid_t in_child(void (*run)(const char *folder), const char *folder)
{
    int pipes[2];
    EXPECT_INT_EQ(0, pipe(pipes));
    const pid_t child = fork();
    if (child == 0) {
        run(folder);
        (void)!write(pipes[1], "x", 1);
        for (;;)
            pause();
    }
    char byte;
    EXPECT_INT_EQ(1, read(pipes[0], &byte, 1));
    close(pipes[0]);
    close(pipes[1]);
    return child;
}

static void write_half(const char *folder)
{
    stk_iterator *it = start(cached(RANGE(20000), folder, NULL));
    take(it, 15000);
}

STK_TEST(two_processes_do_not_write_one_cache_and_a_killed_one_leaves_no_lock) /* 69 */
{
    stk_test_watchdog(60);
    stk_error    err;
    stk_element *element;
    const char  *folder = fresh();
    EXPECT_OK(stk_path_make_directory(NULL, folder, &err));
    const pid_t   child = in_child(write_half, folder);
    stk_dataset  *data = cached(RANGE(20000), folder, NULL);
    stk_iterator *it = start(data);
    EXPECT_STATUS(STK_E_EXISTS, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    EXPECT(files_in(folder) > 0); /* what it was writing */
    it = start(data);
    take(it, 20000);
    stk_iterator_free(it);
    EXPECT_INT_EQ(2, files_in(folder)); /* and that is gone */
    it = start(data);
    take(it, 20000);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(damage_is_named_with_file_and_offset)
{
    stk_error    err;
    stk_element *element;
    const char  *folder = fresh();
    stk_dataset *data = cached(RANGE(50), folder, NULL);
    (void)run_once(data);
    char path[1024];
    snprintf(path, sizeof path, "%s", a_chunk(folder));
    const stk_bytes whole = stk_test_read_file(path);
    uint8_t        *copy = malloc(whole.size);
    for (size_t at = 0; at < whole.size; at += 7) { /* bits turned */
        memcpy(copy, whole.data, whole.size);
        copy[at] ^= 1;
        stk_test_write_file(path, copy, whole.size);
        stk_iterator *it = start(data);
        stk_status    st = STK_OK;
        element = NULL;
        do {
            stk_element_unref(element);
            st = stk_iterator_next(it, &element, &err);
        } while (!st && element);
        EXPECT_INT_EQ(STK_E_DATALOSS, st);
        EXPECT_CONTAINS(path, err.where);
        EXPECT_CONTAINS("at offset", err.message);
        EXPECT_OK(stk_iterator_next(it, &element, &err)); /* and that was the only chunk */
        assert_null(element);
        stk_iterator_free(it);
    }
    for (size_t size = 0; size < whole.size; size += 11) { /* cut off */
        stk_test_write_file(path, whole.data, size);
        stk_iterator *it = start(data);
        stk_status    st = STK_OK;
        element = NULL;
        do {
            stk_element_unref(element);
            st = stk_iterator_next(it, &element, &err);
        } while (!st && element);
        EXPECT_INT_EQ(STK_E_DATALOSS, st);
        EXPECT_CONTAINS(path, err.where);
        stk_iterator_free(it);
    }
    unlink(path);
    stk_iterator *it = start(data);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    free(copy);
    stk_dataset_unref(data);
}

STK_TEST(a_damaged_list_is_an_error)
{
    stk_error    err;
    stk_element *element;
    const char  *folder = fresh();
    stk_dataset *data = cached(RANGE(5), folder, NULL);
    (void)run_once(data);
    char path[1024];
    snprintf(path, sizeof path, "%s/complete", folder);
    const stk_bytes whole = stk_test_read_file(path);
    uint8_t        *copy = malloc(whole.size);
    for (size_t at = 0; at < whole.size; at++) {
        memcpy(copy, whole.data, whole.size);
        copy[at] ^= 4;
        stk_test_write_file(path, copy, whole.size);
        stk_iterator *it = start(data);
        EXPECT_STATUS(STK_E_DATALOSS, stk_iterator_next(it, &element, &err));
        EXPECT_CONTAINS("complete", err.where);
        take(it, 5);
        stk_iterator_free(it);
    }
    free(copy);
    stk_dataset_unref(data);
}

STK_TEST(a_checkpoint_holds_where_the_folder_is_gone) /* 72 */
{
    const stk_shuffle_options options = {.seed = 1, .seeded = true};
    stk_error                 err;
    stk_element              *element;
    for (int taken = 0; taken <= 12; taken++) {
        stk_blob      saved;
        stk_dataset  *data[2];
        stk_iterator *it[2];
        char          text[2][256] = {"", ""};
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        for (int i = 0; i < 2; i++) {
            data[i] = RANGE(6);
            APPLY(data[i], shuffle, 6, &options);
            data[i] = cached(data[i], fresh(), NULL);
            APPLY(data[i], repeat, 2);
            it[i] = start(data[i]);
        }
        for (int i = 0; i < 12; i++) {
            if (i == taken) {
                EXPECT_OK(stk_iterator_save(it[0], &saved, &err));
                EXPECT_OK(stk_iterator_restore(it[1], stk_blob_bytes(&saved), &err));
            }
            for (int k = 0; k <= (i >= taken); k++) {
                EXPECT_OK(stk_iterator_next(it[k], &element, &err));
                if (i >= taken)
                    snprintf(text[k] + strlen(text[k]), 8, "%d ", (int)stk_test_number(element));
                stk_element_unref(element);
            }
        }
        EXPECT_STR_EQ(text[0], text[1]);
        for (int i = 0; i < 2; i++) {
            stk_iterator_free(it[i]);
            stk_dataset_unref(data[i]);
        }
        stk_blob_release(&saved);
    }
}

STK_TEST(an_empty_name_is_refused)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_cache(&data, &(stk_cache_options){.directory = ""}, &err));
    stk_dataset_unref(data);
}

static stk_status run_all(void *context, stk_error *err)
{
    stk_dataset  *data;
    stk_iterator *it = NULL;
    char          folder[1024];
    static int    number;
    snprintf(folder, sizeof folder, "%s-%d", (const char *)context, number++);
    const stk_cache_options options = {.directory = folder};
    STK_TRY(stk_dataset_range(&data, 0, 5, 1, err));
    stk_status st = stk_dataset_cache(&data, &options, err);
    if (!st) st = stk_dataset_repeat(&data, 2, err);
    if (!st)
        st = stk_iterator_start(
            &it, data, &(stk_iterator_options){.threads = 1, .seed = 1, .passes_off = STK_PASS_ALL},
            err);
    for (int i = 0; i < 11 && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(a_cache_on_disk_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(run_all, (void *)(uintptr_t)fresh());
}
