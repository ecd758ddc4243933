/* Zeros are the defaults of every options struct: what NULL gives, all zero gives, too. */
#include "pipeline_support.h"

#include "pipeline/plan/operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The whole plan as text, with the parameters of its stages. Takes over data. */
static char *plan_of(stk_dataset *data)
{
    stk_error err;
    stk_blob  text;
    char      number[32];
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_dataset_explain(data, 0, &text, &err));
    snprintf(number, sizeof number, " %016llx", (unsigned long long)stk_dataset_fingerprint(data));
    EXPECT_OK(stk_blob_append(&text, number, strlen(number) + 1, &err));
    char *copy = strdup((const char *)text.data);
    stk_blob_release(&text);
    stk_dataset_unref(data);
    return copy;
}

static void expect_same(stk_dataset *a, stk_dataset *b)
{
    char *x = plan_of(a), *y = plan_of(b);
    EXPECT_STR_EQ(x, y);
    free(x);
    free(y);
}

/* Operators that take a dataset, parameters and options. */
#define EXPECT_ZEROS(type, op, ...)                                                                \
    do {                                                                                           \
        stk_dataset *with_null = input(), *with_zeros = input();                                   \
        const type   zeros = {0};                                                                  \
        APPLY(with_null, op, __VA_ARGS__ NULL);                                                    \
        APPLY(with_zeros, op, __VA_ARGS__ &zeros);                                                 \
        expect_same(with_null, with_zeros);                                                        \
    } while (0)
#define WITH(...) __VA_ARGS__,
#define ALONE

static stk_dataset *input(void)
{
    return RANGE(20);
}

STK_TEST(zeros_are_the_defaults_of_operators)
{
    const int64_t labels[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    EXPECT_ZEROS(stk_map_options, map, WITH(stk_test_add(1)));
    EXPECT_ZEROS(stk_interleave_options, interleave, WITH(stk_test_copies()));
    EXPECT_ZEROS(stk_batch_options, batch, WITH(3));
    EXPECT_ZEROS(stk_padded_batch_options, padded_batch, WITH(3));
    EXPECT_ZEROS(stk_window_options, window, WITH(3));
    EXPECT_ZEROS(stk_shuffle_options, shuffle, WITH(3));
    EXPECT_ZEROS(stk_shuffle_options, global_shuffle, ALONE);
    EXPECT_ZEROS(stk_shuffle_options, balance, WITH(labels, 20, 2));
    EXPECT_ZEROS(stk_cache_options, cache, ALONE);
    EXPECT_ZEROS(stk_pipeline_options, options, ALONE);
}

STK_TEST(zeros_are_the_defaults_of_batches_of_rows)
{
    const int64_t           sizes[] = {2, 1};
    const stk_batch_options zeros = {0};
    stk_dataset            *a = RANGE(9), *b = RANGE(9);
    APPLY(a, batch, 4, NULL);
    APPLY(b, batch, 4, &zeros);
    APPLY(a, ragged_batch, 2, NULL);
    APPLY(b, ragged_batch, 2, &zeros);
    expect_same(a, b);
    a = RANGE(9);
    b = RANGE(9);
    APPLY(a, batch, 4, NULL);
    APPLY(b, batch, 4, NULL);
    APPLY(a, rebatch, sizes, 2, NULL);
    APPLY(b, rebatch, sizes, 2, &zeros);
    expect_same(a, b);
}

STK_TEST(zeros_are_the_defaults_of_operators_of_several_inputs)
{
    stk_error    err;
    stk_dataset *inputs[] = {RANGE(3), RANGE(3)}, *choices = RANGE(2), *a, *b;
    EXPECT_OK(stk_dataset_sample_from(&a, inputs, 2, NULL, &err));
    EXPECT_OK(stk_dataset_sample_from(&b, inputs, 2, &(stk_sample_options){0}, &err));
    expect_same(a, b);
    EXPECT_OK(stk_dataset_choose_from(&a, inputs, 2, choices, NULL, &err));
    EXPECT_OK(stk_dataset_choose_from(&b, inputs, 2, choices, &(stk_choose_options){0}, &err));
    expect_same(a, b);
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    stk_dataset_unref(choices);
}

STK_TEST(zeros_are_the_defaults_of_sources)
{
    const stk_bytes           file = stk_test_read_file(STK_TEST_DATA "/tfrecord/sizes.tfrecord");
    const char *const         paths[] = {stk_test_path("records.tfrecord")};
    const stk_records_options records = {0};
    stk_error                 err;
    stk_dataset              *a, *b;
    stk_test_write_file(paths[0], file.data, file.size);
    EXPECT_OK(stk_dataset_files(&a, NULL, STK_TEST_DATA, NULL, &err));
    EXPECT_OK(stk_dataset_files(&b, NULL, STK_TEST_DATA, &(stk_files_options){0}, &err));
    expect_same(a, b);
    EXPECT_OK(stk_dataset_tfrecord_files(&a, NULL, paths, 1, NULL, &err));
    EXPECT_OK(stk_dataset_tfrecord_files(&b, NULL, paths, 1, &records, &err));
    expect_same(a, b);
    EXPECT_OK(stk_dataset_tfrecord_indexed_files(&a, NULL, paths, 1, NULL, &err));
    EXPECT_OK(stk_dataset_tfrecord_indexed_files(&b, NULL, paths, 1, &records, &err));
    expect_same(a, b);
    EXPECT_OK(stk_dataset_text(&a, NULL, paths, 1, NULL, &err));
    EXPECT_OK(stk_dataset_text(&b, NULL, paths, 1, &records, &err));
    expect_same(a, b);
    EXPECT_OK(stk_dataset_fixed_length_records(&a, NULL, paths, 1, 7, NULL, &err));
    EXPECT_OK(stk_dataset_fixed_length_records(&b, NULL, paths, 1, 7,
                                               &(stk_fixed_length_options){0}, &err));
    expect_same(a, b);
}

static void expect_same_functions(stk_function *a, stk_function *b)
{
    const stk_function_info *x = stk_function_info_of(a), *y = stk_function_info_of(b);
    EXPECT_STR_EQ(x->details, y->details);
    EXPECT_INT_EQ(x->traits, y->traits);
    stk_function_unref(a);
    stk_function_unref(b);
}

STK_TEST(zeros_are_the_defaults_of_functions)
{
    const stk_records_options records = {0};
    stk_error                 err;
    stk_function             *a, *b;
    EXPECT_OK(stk_function_decode_image(&a, 0, NULL, &err));
    EXPECT_OK(stk_function_decode_image(&b, 0, &(stk_decode_image_options){0}, &err));
    expect_same_functions(a, b);
    EXPECT_OK(stk_function_read_file(&a, 0, NULL, &err));
    EXPECT_OK(stk_function_read_file(&b, 0, &(stk_read_file_options){0}, &err));
    expect_same_functions(a, b);
    EXPECT_OK(stk_function_tfrecord(&a, 0, NULL, NULL, NULL, &err));
    EXPECT_OK(stk_function_tfrecord(&b, 0, NULL, NULL, &records, &err));
    expect_same_functions(a, b);
    EXPECT_OK(stk_function_text(&a, 0, NULL, NULL, NULL, &err));
    EXPECT_OK(stk_function_text(&b, 0, NULL, NULL, &records, &err));
    expect_same_functions(a, b);
}

STK_TEST(zeros_are_the_defaults_of_presets)
{
    const stk_preset *preset = stk_preset_at(0);
    stk_error         err;
    char              path[512];
    snprintf(path, sizeof path, "%s/images", stk_test_folder());
    EXPECT_INT_EQ(0, mkdir(path, 0755));
    for (int i = 0; i < 2; i++) {
        char name[600];
        snprintf(name, sizeof name, "%s/class%d", path, i);
        EXPECT_INT_EQ(0, mkdir(name, 0755));
        strcat(name, "/image.png");
        stk_test_write_file(name, "\x89PNG\r\n\x1a\n", 8);
    }
    for (int turn = 0; turn < 2; turn++) {
        stk_dataset *data[2];
        for (int zeros = 0; zeros < 2; zeros++) {
            const stk_images_options images = {0};
            const stk_preset_options options = {0};
            EXPECT_OK(stk_dataset_images(&data[zeros], path, zeros ? &images : NULL, &err));
            if (turn)
                EXPECT_OK(stk_dataset_preset(&data[zeros], preset, zeros ? &options : NULL, &err));
        }
        expect_same(data[0], data[1]);
    }
}

STK_TEST(zeros_are_the_defaults_of_iterators)
{
    const stk_iterator_options zeros = {0};
    stk_dataset               *a = RANGE(5), *b = RANGE(5);
    char                      *text = strdup(stk_test_run(a, NULL, 0));
    EXPECT_STR_EQ(text, stk_test_run(b, &zeros, 0));
    free(text);
    stk_dataset_unref(a);
    stk_dataset_unref(b);
}
