#include "file_support.h"

#include <stoker/functions.h>

enum { FILES = 5, MOST_WORKERS = 4 };

static stk_dataset *part_of(stk_dataset *data, stk_autoshard mode, int64_t workers, int64_t index)
{
    APPLY(data, autoshard, mode, workers, index);
    return data;
}

/* Files a to e of 1 to 5 records. */
static void write_files(const char *paths[FILES])
{
    for (int i = 0; i < FILES; i++) {
        char name[32] = {(char)('a' + i)};
        char file[40];
        snprintf(file, sizeof file, "%s.rec", name);
        paths[i] = write_named(file, name, 1 + i, NULL);
    }
}

static stk_dataset *records(void)
{
    const char *paths[FILES];
    write_files(paths);
    return records_of(paths, FILES, NULL);
}

static stk_dataset *numbers(void)
{
    return RANGE(23);
}

static stk_dataset *indexed(void)
{
    const char  *paths[FILES];
    stk_error    err;
    stk_dataset *data;
    write_files(paths);
    EXPECT_OK(stk_dataset_tfrecord_indexed(&data, NULL, stk_test_path("*.rec"), NULL, &err));
    return data;
}

static stk_dataset *interleaved(void)
{
    const char   *paths[FILES];
    stk_error     err;
    stk_dataset  *data;
    stk_function *read;
    write_files(paths);
    EXPECT_OK(stk_dataset_files(&data, NULL, stk_test_path("*.rec"), NULL, &err));
    EXPECT_OK(stk_function_tfrecord(&read, 0, NULL, NULL, NULL, &err));
    APPLY(data, interleave, read, NULL);
    stk_function_unref(read);
    return data;
}

/* A shuffle, a memory cache and batches that are taken apart again. */
static stk_dataset *batched(void)
{
    const stk_shuffle_options shuffle = {.seed = 3, .seeded = true};
    stk_dataset              *data = records();
    APPLY(data, shuffle, 4, &shuffle);
    APPLY(data, cache, NULL);
    APPLY(data, batch, 2, NULL);
    stk_error err;
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    return data;
}

/* Adds the results of data, whose reference it takes over, to text, a blank before and after each.
 */
static void add_results(char *text, size_t capacity, stk_dataset *data, int threads)
{
    const stk_iterator_options options = {.threads = threads};
    const char                *results = stk_test_run(data, &options, 1000);
    const size_t               length = strlen(results), used = strlen(text);
    EXPECT(length && results[length - 1] == '.');
    EXPECT(used + length + 1 < capacity);
    snprintf(text + used, capacity - used, "%.*s", (int)length - 1, results);
    stk_dataset_unref(data);
}

static int count_in(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* That the workers together have every element of the whole exactly once, and nothing else. */
static void expect_each_once(stk_dataset *(*make)(void), stk_autoshard mode)
{
    char whole[1024] = " ";
    add_results(whole, sizeof whole, make(), 1);
    for (int workers = 1; workers <= MOST_WORKERS; workers++) {
        char parts[1024] = " ", word[64];
        for (int i = 0; i < workers; i++)
            add_results(parts, sizeof parts, part_of(make(), mode, workers, i), i + 1);
        EXPECT_INT_EQ(strlen(whole), strlen(parts));
        for (const char *at = whole; at[1]; at = strchr(at + 1, ' ')) {
            const int length = (int)(strchr(at + 1, ' ') - at) + 1;
            snprintf(word, sizeof word, "%.*s", length, at);
            EXPECT_INT_EQ(1, count_in(parts, word));
        }
    }
}

STK_TEST(workers_together_have_each_record_exactly_once) /* 77 */
{
    static const stk_autoshard modes[] = {STK_AUTOSHARD_AUTO, STK_AUTOSHARD_FILE,
                                          STK_AUTOSHARD_DATA};
    stk_test_watchdog(120);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        expect_each_once(records, modes[i]);
        expect_each_once(indexed, modes[i]);
        expect_each_once(interleaved, modes[i]);
        expect_each_once(batched, modes[i]);
    }
}

STK_TEST(workers_together_have_each_number_exactly_once) /* 77 */
{
    stk_test_watchdog(120);
    expect_each_once(numbers, STK_AUTOSHARD_AUTO);
    expect_each_once(numbers, STK_AUTOSHARD_DATA);
}

STK_TEST(by_files_a_worker_has_whole_files) /* 77 */
{
    stk_test_watchdog(120);
    EXPECT_GIVES("'b0' 'b1' 'd0' 'd1' 'd2' 'd3' .", part_of(records(), STK_AUTOSHARD_FILE, 2, 1));
    EXPECT_GIVES("'b0' 'b1' 'd0' 'd1' 'd2' 'd3' .", part_of(records(), STK_AUTOSHARD_AUTO, 2, 1));
    EXPECT_GIVES("'b0' 'b1' 'd0' 'd1' 'd2' 'd3' .", part_of(indexed(), STK_AUTOSHARD_FILE, 2, 1));
    EXPECT_GIVES("'e0' 'e1' 'e2' 'e3' 'e4' .",
                 part_of(interleaved(), STK_AUTOSHARD_FILE, FILES, 4));
}

STK_TEST(lines_and_fixed_records_are_parted_by_files) /* 77 */
{
    const char *paths[] = {stk_test_path("x"), stk_test_path("y"), stk_test_path("z")};
    const stk_fixed_length_options options = {.header_bytes = 1};
    stk_error                      err;
    stk_dataset                   *data;
    stk_test_watchdog(120);
    stk_test_write_file(paths[0], "1\n2\n3", 5);
    stk_test_write_file(paths[1], "4\n5\n6", 5);
    stk_test_write_file(paths[2], "7\n8\n9", 5);
    EXPECT_OK(stk_dataset_text(&data, NULL, paths, 3, NULL, &err));
    EXPECT_GIVES("'1' '2' '3' '7' '8' '9' .", part_of(data, STK_AUTOSHARD_FILE, 2, 0));
    EXPECT_OK(stk_dataset_fixed_length_records(&data, NULL, paths, 3, 2, &options, &err));
    EXPECT_GIVES("'\n5' '\n6' .", part_of(data, STK_AUTOSHARD_FILE, 2, 1));
}

STK_TEST(several_sources_of_files_are_all_parted) /* 77 */
{
    stk_test_watchdog(120);
    stk_dataset *pair[] = {records(), records()}, *data;
    stk_error    err;
    EXPECT_OK(stk_dataset_zip(&data, pair, 2, &err));
    EXPECT_GIVES("('c0' 'c0') ('c1' 'c1') ('c2' 'c2') .", part_of(data, STK_AUTOSHARD_FILE, 4, 2));
    EXPECT_OK(stk_dataset_concatenate(&data, pair, 2, &err));
    EXPECT_GIVES("'b0' 'b1' 'b0' 'b1' .", part_of(data, STK_AUTOSHARD_FILE, 4, 1));
    stk_dataset_unref(pair[0]);
    stk_dataset_unref(pair[1]);
}

STK_TEST(by_elements_the_shard_goes_below_the_first_batch_or_to_the_end) /* 77 */
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(10);
    APPLY(data, batch, 2, NULL);
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("[[1 3][5 7]] [[9]] .", part_of(data, STK_AUTOSHARD_DATA, 2, 1));
    data = RANGE(4);
    APPLY(data, padded_batch, 2, NULL);
    EXPECT_GIVES("[0 2] .", part_of(data, STK_AUTOSHARD_DATA, 2, 0));
    data = RANGE(5);
    APPLY(data, filter, stk_test_divides(2));
    EXPECT_GIVES("2 .", part_of(data, STK_AUTOSHARD_DATA, 2, 1));
}

STK_TEST(fewer_files_than_workers_are_told) /* 77 */
{
    stk_error    err;
    stk_dataset *data = records(), *before = data;
    EXPECT_REFUSED(STK_E_INVALID, "tfrecord has 5 files for 6 workers",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_FILE, 6, 0, &err));
    EXPECT_CONTAINS("use the mode data, or at least 6 files", err.message);
    EXPECT(data == before);
    EXPECT_GIVES("'b1' 'd2' 'e4' .", part_of(data, STK_AUTOSHARD_AUTO, 6, 2));
    data = interleaved();
    EXPECT_REFUSED(STK_E_INVALID, "files has 5 files for 9 workers",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_FILE, 9, 8, &err));
    stk_dataset_unref(data);
}

STK_TEST(data_without_files_cannot_be_parted_by_them) /* 77 */
{
    stk_error    err;
    stk_dataset *data = RANGE(6), *second = records();
    EXPECT_REFUSED(STK_E_UNSUPPORTED, "range is no source of files and there is no other",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_FILE, 2, 0, &err));
    stk_dataset *pair[] = {data, second}, *both;
    EXPECT_OK(stk_dataset_zip(&both, pair, 2, &err));
    EXPECT_REFUSED(STK_E_UNSUPPORTED, "range is no source of files: every worker would have all",
                   stk_dataset_autoshard(&both, STK_AUTOSHARD_FILE, 2, 0, &err));
    EXPECT_GIVES("(1 'b0') (3 'c0') (5 'c2') .", part_of(both, STK_AUTOSHARD_AUTO, 2, 1));
    stk_dataset_unref(data);
    stk_dataset_unref(second);
}

/* Both workers have the same directory and the whole of it, whoever fills it. */
STK_TEST(what_is_kept_on_disk_is_parted_above_it)
{
    const stk_cache_options disk = {.directory = stk_test_path("kept")};
    stk_error               err;
    stk_dataset            *data = records();
    APPLY(data, batch, 5, NULL);
    APPLY(data, cache, &disk);
    EXPECT_REFUSED(STK_E_UNSUPPORTED, "keeps elements on disk",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_FILE, 2, 0, &err));
    stk_dataset *first = part_of(stk_dataset_ref(data), STK_AUTOSHARD_AUTO, 2, 0);
    stk_dataset *second = part_of(data, STK_AUTOSHARD_AUTO, 2, 1);
    EXPECT_STR_EQ("['a0' 'b0' 'b1' 'c0' 'c1'] ['e0' 'e1' 'e2' 'e3' 'e4'] .",
                  stk_test_run(first, NULL, 100));
    EXPECT_STR_EQ("['c2' 'd0' 'd1' 'd2' 'd3'] .", stk_test_run(second, NULL, 100));
    stk_dataset_unref(first);
    stk_dataset_unref(second);
}

/* Parts of one dataset object: a cache that all shared would give them the first one's elements. */
STK_TEST(a_memory_cache_is_not_shared_between_parts)
{
    stk_dataset *data = RANGE(4);
    APPLY(data, cache, NULL);
    APPLY(data, batch, 4, NULL);
    stk_dataset *first = part_of(stk_dataset_ref(data), STK_AUTOSHARD_DATA, 2, 0);
    EXPECT_STR_EQ("[0 2] .", stk_test_run(first, NULL, 10));
    EXPECT_GIVES("[1 3] .", part_of(data, STK_AUTOSHARD_DATA, 2, 1));
    stk_dataset_unref(first);
    stk_dataset *files = records();
    APPLY(files, cache, NULL);
    first = part_of(stk_dataset_ref(files), STK_AUTOSHARD_FILE, 4, 1);
    EXPECT_STR_EQ("'b0' 'b1' .", stk_test_run(first, NULL, 10));
    EXPECT_GIVES("'c0' 'c1' 'c2' .", part_of(files, STK_AUTOSHARD_FILE, 4, 2));
    stk_dataset_unref(first);
}

STK_TEST(off_changes_nothing)
{
    stk_dataset *data = RANGE(3), *before = data;
    data = part_of(data, STK_AUTOSHARD_OFF, 2, 1);
    EXPECT(data == before);
    stk_dataset_unref(data);
}

STK_TEST(autoshard_refuses_bad_numbers)
{
    stk_error    err;
    stk_dataset *data = RANGE(5);
    EXPECT_REFUSED(STK_E_INVALID, "the number of workers is 0; it must be at least 1",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_OFF, 0, 0, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the index is 2; with 2 workers it is 0 to 1",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_AUTO, 2, 2, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the index is -1",
                   stk_dataset_autoshard(&data, STK_AUTOSHARD_DATA, 2, -1, &err));
    EXPECT_REFUSED(STK_E_INVALID, "there is no mode number 9",
                   stk_dataset_autoshard(&data, (stk_autoshard)9, 2, 1, &err));
    EXPECT_GIVES("0 1 2 3 4 .", data);
}

STK_TEST(parts_have_other_fingerprints)
{
    stk_dataset *first = part_of(records(), STK_AUTOSHARD_FILE, 2, 0);
    stk_dataset *second = part_of(records(), STK_AUTOSHARD_FILE, 2, 1);
    EXPECT(stk_dataset_fingerprint(first) != stk_dataset_fingerprint(second));
    stk_dataset_unref(first);
    stk_dataset_unref(second);
}

/* Only built: a reader gets by without the memory to read ahead. */
static stk_status build_files(void *paths, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_tfrecord_files(&data, NULL, paths, FILES, NULL, err));
    stk_status st = stk_dataset_batch(&data, 2, NULL, err);
    if (!st) st = stk_dataset_autoshard(&data, STK_AUTOSHARD_FILE, 2, 1, err);
    stk_dataset_unref(data);
    return st;
}

static stk_status build_indexed(void *pattern, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_tfrecord_indexed(&data, NULL, pattern, NULL, err));
    stk_status st = stk_dataset_autoshard(&data, STK_AUTOSHARD_FILE, 2, 1, err);
    stk_dataset_unref(data);
    return st;
}

static stk_status build_data(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 10, 1, err));
    STK_TRY(stk_dataset_batch(out, 2, NULL, err));
    return stk_dataset_autoshard(out, STK_AUTOSHARD_AUTO, 3, 0, err);
}

STK_TEST(autoshard_survives_want_of_memory)
{
    const char *paths[FILES];
    write_files(paths);
    stk_test_fail_each_allocation(build_files, paths);
    stk_test_fail_each_allocation(build_indexed, (void *)(uintptr_t)stk_test_path("*.rec"));
    stk_test_without_memory(build_data, 2);
}
