/* Where files lie is no part of what a pipeline is. */
#include "file_support.h"
#include "pipeline/plan/operator.h"

#include <dirent.h>
#include <stoker/dataset_sources.h>
#include <stoker/iterator.h>
#include <sys/stat.h>

enum { FILES = 3, RECORDS = 7 };

/* Records of the same names and bytes in a folder of its own, unless prefix is another. */
static stk_dataset *records_in(const char *folder, const char *name, const char *prefix)
{
    const char *paths[FILES];
    mkdir(stk_test_path(folder), 0777);
    for (int i = 0; i < FILES; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s-%d", folder, name, i);
        paths[i] = write_named(path, prefix, RECORDS, NULL);
    }
    return records_of(paths, FILES, NULL);
}

static stk_dataset *shuffled(stk_dataset *data)
{
    stk_error err;
    EXPECT_OK(stk_dataset_shuffle(&data, 10, NULL, &err));
    return data;
}

/* All records as one text; data is given away. */
static void read_all(stk_dataset *data, char *text, size_t capacity)
{
    stk_error     err;
    stk_iterator *it;
    size_t        used = 0;
    text[0] = 0;
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.seed = 5}, &err));
    for (;;) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        const stk_bytes *bytes = stk_value_data(stk_element_value(element, 0));
        used += (size_t)snprintf(text + used, capacity - used, "%.*s ", (int)bytes->size,
                                 (const char *)bytes->data);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(files_that_were_moved_together_are_the_same_pipeline)
{
    char         a[1024], b[1024];
    stk_dataset *here = shuffled(records_in("here", "part", "r"));
    stk_dataset *there = shuffled(records_in("some other place", "part", "r"));
    EXPECT(stk_dataset_fingerprint(here) == stk_dataset_fingerprint(there));
    read_all(here, a, sizeof a);
    read_all(there, b, sizeof b);
    EXPECT_STR_EQ(a, b);
}

STK_TEST(other_names_are_another_pipeline)
{
    stk_dataset *one = records_in("one", "part", "r"), *two = records_in("two", "piece", "r");
    EXPECT(stk_dataset_fingerprint(one) != stk_dataset_fingerprint(two));
    stk_dataset_unref(one);
    stk_dataset_unref(two);
}

/* Below the folder that they have in common, folders count. */
STK_TEST(files_of_several_folders_count_from_where_they_meet)
{
    static const char *const splits_or_indices[][2] = {
        {"x/p/a", "x/q/a"}, {"y/p/a", "y/q/a"}, {"z/p/a", "z/r/a"}};
    uint64_t prints[3];
    for (size_t i = 0; i < 3; i++) {
        const char *paths[2];
        for (size_t k = 0; k < 2; k++) {
            char folder[8];
            snprintf(folder, sizeof folder, "%.1s", splits_or_indices[i][k]);
            mkdir(stk_test_path(folder), 0777);
            snprintf(folder, sizeof folder, "%.3s", splits_or_indices[i][k]);
            mkdir(stk_test_path(folder), 0777);
            paths[k] = write_named(splits_or_indices[i][k], "r", 2, NULL);
        }
        stk_dataset *data = records_of(paths, 2, NULL);
        prints[i] = stk_dataset_fingerprint(data);
        stk_dataset_unref(data);
    }
    EXPECT(prints[0] == prints[1]);
    EXPECT(prints[0] != prints[2]);
}

STK_TEST(people_see_where_files_lie_and_no_marks)
{
    stk_error    err;
    stk_blob     text;
    stk_dataset *data = shuffled(records_in("shown", "part", "r"));
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_dataset_explain(data, STK_PASS_ALL, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_CONTAINS("/shown/part-0 and 2 more", (const char *)text.data);
    for (size_t i = 0; i + 1 < text.size; i++)
        EXPECT(text.data[i] >= ' ' || text.data[i] == '\n');
    stk_blob_release(&text);
    stk_dataset_unref(data);
}

static void keep(stk_dataset **data, const char *directory, bool snapshot)
{
    stk_error err;
    if (snapshot)
        EXPECT_OK(
            stk_dataset_snapshot(data, &(stk_snapshot_options){.directory = directory}, &err));
    else
        EXPECT_OK(stk_dataset_cache(data, &(stk_cache_options){.directory = directory}, &err));
}

static int count_entries(const char *path)
{
    DIR *folder = opendir(path);
    int  count = 0;
    EXPECT(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

STK_TEST(a_snapshot_is_of_what_files_hold)
{
    char        text[3][1024];
    const char *directory = stk_test_path("snapshots");
    mkdir(directory, 0777);
    const char *folders[] = {"old", "moved", "new"}, *prefixes[] = {"r", "r", "s"};
    for (size_t i = 0; i < 3; i++) {
        stk_dataset *data = records_in(folders[i], "part", prefixes[i]);
        keep(&data, directory, true);
        read_all(data, text[i], sizeof text[i]);
    }
    EXPECT_STR_EQ(text[0], text[1]);
    EXPECT(strcmp(text[0], text[2]) != 0);
    EXPECT_INT_EQ(2, count_entries(directory)); /* those that were moved have the first one's */
}

/* What is kept serves without the files; where they are back and other, it does not. */
STK_TEST(a_cache_outlives_its_files_and_refuses_others)
{
    char          first[1024], again[1024];
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    const char   *directory = stk_test_path("kept");
    stk_dataset  *data = records_in("gone", "part", "r");
    keep(&data, directory, false);
    stk_dataset_ref(data);
    read_all(data, first, sizeof first);
    for (int i = 0; i < FILES; i++) {
        char path[64];
        snprintf(path, sizeof path, "gone/part-%d", i);
        EXPECT_INT_EQ(0, remove(stk_test_path(path)));
    }
    read_all(stk_dataset_ref(data), again, sizeof again);
    EXPECT_STR_EQ(first, again);
    stk_dataset_unref(records_in("gone", "part", "s"));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("over other files", err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status look_at_content(void *context, stk_error *err)
{
    uint64_t content;
    STK_TRY(stk_dataset_content(context, &content, err));
    EXPECT(content != 0);
    return STK_OK;
}

STK_TEST(looking_at_content_passes_over_no_failed_allocation)
{
    stk_dataset *data = records_in("content", "part", "r");
    stk_test_fail_each_allocation(look_at_content, data);
    stk_dataset_unref(data);
}
