#include "base/threads.h"
#include "file_support.h"

#include <sys/stat.h>

/* A folder of files with so many records each, named file0.tfrecord ... */
static const char *make_folder(const char *name, const int *counts, int files)
{
    char text[64];
    mkdir(stk_test_path(name), 0777);
    for (int i = 0; i < files; i++) {
        snprintf(text, sizeof text, "%s/file%03d.tfrecord", name, i);
        char prefix[16];
        snprintf(prefix, sizeof prefix, "%c", 'a' + i % 26);
        write_named(text, prefix, counts[i], NULL);
    }
    return stk_test_path(name);
}

static stk_dataset *indexed(const char *path)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_tfrecord_indexed(&data, NULL, path, NULL, &err));
    return data;
}

static void expect_at(stk_dataset *data, uint64_t index, const char *expected)
{
    stk_error    err;
    stk_element *element;
    EXPECT_OK(stk_dataset_at(data, index, &element, &err));
    const stk_bytes *bytes = stk_value_data(stk_element_value(element, 0));
    EXPECT_INT_EQ(strlen(expected), bytes->size);
    EXPECT_MEM_EQ(expected, bytes->data, bytes->size);
    stk_element_unref(element);
}

STK_TEST(records_are_numbered_over_all_files)
{
    stk_test_watchdog(120);
    stk_dataset *data = indexed(make_folder("n", (int[]){0, 3, 0, 0, 2, 0}, 6));
    EXPECT_INT_EQ(5, stk_dataset_cardinality(data));
    expect_at(data, 0, "b0");
    expect_at(data, 4, "e1");
    expect_at(data, 2, "b2");
    expect_at(data, 3, "e0");
    stk_error    err;
    stk_element *element;
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 5, &element, &err));
    EXPECT_CONTAINS("record 5 was asked for; there are 5", err.message);
    EXPECT_GIVES("'b0' 'b1' 'b2' 'e0' 'e1' .", data);
}

STK_TEST(nothing_but_empty_files_is_empty)
{
    stk_dataset *data = indexed(make_folder("none", (int[]){0, 0}, 2));
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
}

STK_TEST(a_damaged_record_is_an_error_of_its_own)
{
    const char *folder = make_folder("hurt", (int[]){3, 1}, 2);
    damage_byte(stk_test_path("hurt/file000.tfrecord"), frame_of(2) + STK_TFRECORD_HEADER);
    EXPECT_GIVES("'a0' !damaged_data 'a2' 'b0' .", indexed(folder));
}

STK_TEST(compressed_files_are_refused)
{
    stk_error                  err;
    stk_dataset               *data;
    const stk_tfrecord_options gzip = {.compression = STK_COMPRESSION_GZIP};
    const char                *path = write_named("packed.tfrecord", "p", 2, &gzip);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_dataset_tfrecord_indexed(&data, NULL, path, NULL, &err));
    EXPECT_CONTAINS("packed.tfrecord", err.where);
}

STK_TEST(origins_name_file_record_and_offset)
{
    stk_dataset *data = indexed(make_folder("o", (int[]){2, 2}, 2));
    stk_error    err;
    stk_element *element;
    char         where[512];
    EXPECT_OK(stk_dataset_at(data, 3, &element, &err));
    EXPECT_CONTAINS("o/file001.tfrecord: record 1 at byte 18",
                    stk_element_where(element, where, sizeof where));
    stk_element_unref(element);
    stk_dataset_unref(data);
}

typedef struct asker {
    stk_dataset *data;
    unsigned     seed;
    int          wrong;
    stk_thread   thread;
} asker;

static void *ask(void *context)
{
    asker *a = context;
    for (int i = 0; i < 400; i++) {
        stk_error      err;
        stk_element   *element;
        const uint64_t index = (a->seed = a->seed * 1664525u + 1013904223u) % 600;
        if (stk_dataset_at(a->data, index, &element, &err)) {
            a->wrong++;
            continue;
        }
        const stk_bytes *bytes = stk_value_data(stk_element_value(element, 0));
        const char       expected[2] = {(char)('a' + index / 2 % 26), (char)('0' + index % 2)};
        a->wrong += bytes->size != 2 || memcmp(bytes->data, expected, 2) != 0;
        stk_element_unref(element);
    }
    return NULL;
}

/* More files than are kept open at a time. */
STK_TEST(many_threads_may_ask_for_records_of_many_files)
{
    enum { FILES = 300, THREADS = 4 };
    int counts[FILES];
    for (int i = 0; i < FILES; i++)
        counts[i] = 2;
    stk_error    err;
    stk_dataset *data = indexed(make_folder("many", counts, FILES));
    asker        askers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        askers[i] = (asker){.data = data, .seed = i};
        EXPECT_OK(stk_thread_start(&askers[i].thread, "ask", ask, &askers[i], &err));
    }
    for (int i = 0; i < THREADS; i++) {
        stk_thread_join(&askers[i].thread);
        EXPECT_INT_EQ(0, askers[i].wrong);
    }
    stk_dataset_unref(data);
}

static stk_status build(void *folder, stk_error *err)
{
    stk_dataset *data = NULL;
    stk_element *element = NULL;
    stk_status   st = stk_dataset_tfrecord_indexed(&data, NULL, folder, NULL, err);
    if (!st) st = stk_dataset_at(data, 1, &element, err);
    if (!st) stk_element_unref(element);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(failed_allocations_are_clean)
{
    const char *folder = make_folder("alloc", (int[]){1, 1}, 2);
    stk_dataset_unref(indexed(folder)); /* so that the indexes are kept already */
    stk_test_fail_each_allocation(build, (void *)(uintptr_t)folder);
}
