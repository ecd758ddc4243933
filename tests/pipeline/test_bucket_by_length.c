#include "pipeline_support.h"

/* The length of a vector. */
static stk_status length(void *context, const stk_call *call, const stk_element *element,
                         int64_t *out, stk_error *err)
{
    (void)context;
    (void)call;
    (void)err;
    *out = stk_element_value(element, 0)->shape.dim[0];
    return STK_OK;
}

/* The number itself. */
static stk_status number(void *context, const stk_call *call, const stk_element *element,
                         int64_t *out, stk_error *err)
{
    (void)context;
    (void)call;
    (void)err;
    *out = stk_test_number(element);
    return STK_OK;
}

/* Vectors of given lengths; every number in one is its length. */
static stk_dataset *vectors(size_t count, const size_t *lengths)
{
    int64_t numbers[256];
    size_t  total = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lengths[i]; k++)
            numbers[total++] = (int64_t)lengths[i];
    return stk_test_vectors(count, lengths, numbers);
}
#define VECTORS(...)                                                                               \
    vectors(sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (size_t[]){__VA_ARGS__})

static const int64_t            boundaries[] = {10, 20, 30}, sizes[] = {2, 2, 2, 2};
static const stk_bucket_options plain = {.boundaries = boundaries,
                                         .boundary_count = 3,
                                         .batch_sizes = sizes,
                                         .batch_size_count = 4,
                                         .no_padding = true};

static stk_function *lengths(void)
{
    return stk_test_key("length", length, NULL);
}

STK_TEST(lengths_fall_into_buckets_by_their_boundaries) /* 34 */
{
    stk_dataset *data = NUMBERS(9, 10, 30, 19, 1, 20, 100, 29, 5, 12);
    APPLY(data, bucket_by_length, stk_test_key("number", number, NULL), &plain);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("[10 19] [9 1] [30 100] [20 29] [5] [12] .", data);
}

STK_TEST(each_bucket_has_its_batch_size) /* 34 */
{
    const int64_t      own[] = {3, 2, 1};
    stk_bucket_options options = {.boundaries = boundaries,
                                  .boundary_count = 2,
                                  .batch_sizes = own,
                                  .batch_size_count = 3,
                                  .no_padding = true};
    stk_dataset       *data = NUMBERS(1, 12, 25, 2, 13, 3, 26, 4, 14);
    APPLY(data, bucket_by_length, stk_test_key("number", number, NULL), &options);
    EXPECT_GIVES("[25] [12 13] [1 2 3] [26] [4] [14] .", data);
}

STK_TEST(what_is_left_is_dropped_where_that_is_wanted) /* 34 */
{
    stk_bucket_options options = plain;
    options.drop_remainder = true;
    stk_dataset *data = NUMBERS(9, 10, 30, 19, 1, 20, 100, 29, 5, 12);
    APPLY(data, bucket_by_length, stk_test_key("number", number, NULL), &options);
    EXPECT_INT_EQ(-1, stk_dataset_spec(data)->values[0].shape.dim[0]); /* as TensorFlow's */
    EXPECT_GIVES("[10 19] [9 1] [30 100] [20 29] .", data);
}

STK_TEST(buckets_of_equal_sizes_are_ragged_rows_too) /* as TensorFlow's */
{
    stk_bucket_options options = plain;
    options.drop_remainder = true;
    stk_dataset *data = NUMBERS(9, 10, 30, 19, 1, 20, 100, 29, 5, 12);
    APPLY(data, bucket_by_length, stk_test_key("number", number, NULL), &options);
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_INT_EQ(STK_VALUE_RAGGED, stk_dataset_spec(data)->values[0].kind);
    EXPECT_GIVES("{[10 19][9 1]} {[30 100][20 29]} .", data);
}

STK_TEST(batches_are_padded_to_their_longest) /* 34, 29 */
{
    const int64_t            at[] = {3, 5};
    const stk_bucket_options options = {
        .boundaries = at, .boundary_count = 2, .batch_sizes = sizes, .batch_size_count = 3};
    stk_dataset *data = VECTORS(1, 4, 2, 3, 6, 2, 7, 5);
    APPLY(data, bucket_by_length, lengths(), &options);
    EXPECT_GIVES("[[1 0][2 2]] [[4 4 4 4][3 3 3 0]] [[6 6 6 6 6 6 0][7 7 7 7 7 7 7]] [[2 2]] "
                 "[[5 5 5 5 5]] .",
                 data);
}

STK_TEST(batches_are_padded_to_the_boundary_where_that_is_wanted) /* 34 */
{
    const int64_t            at[] = {3, 6};
    const stk_bucket_options options = {.boundaries = at,
                                        .boundary_count = 2,
                                        .batch_sizes = sizes,
                                        .batch_size_count = 3,
                                        .pad_to_boundary = true};
    stk_dataset             *data = VECTORS(1, 4, 1, 6, 3);
    APPLY(data, bucket_by_length, lengths(), &options);
    EXPECT_GIVES("[[1 0][1 0]] !invalid_argument [[4 4 4 4 0][3 3 3 0 0]] .", data);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    data = VECTORS(6, 7);
    APPLY(data, bucket_by_length, lengths(), &options);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("the length is 6, but to be padded to a boundary", err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(padding_may_be_any_value)
{
    const int64_t   at[] = {3};
    const stk_shape shape = stk_shape_1d(4);
    stk_value       minus = {0};
    stk_value_i64(&minus, -1);
    const stk_bucket_options options = {.boundaries = at,
                                        .boundary_count = 1,
                                        .batch_sizes = sizes,
                                        .batch_size_count = 2,
                                        .shapes = &shape,
                                        .padding = &minus,
                                        .value_count = 1};
    stk_dataset             *data = VECTORS(1, 4, 2);
    APPLY(data, bucket_by_length, lengths(), &options);
    EXPECT_GIVES("[[1 -1 -1 -1][2 2 -1 -1]] [[4 4 4 4]] .", data);
}

static void expect_refusal(const stk_bucket_options *options, const char *message)
{
    stk_error    err;
    stk_dataset *data = VECTORS(1, 2);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_bucket_by_length(&data, lengths(), options, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_dataset_unref(data);
}

STK_TEST(bucket_by_length_refuses_senseless_options) /* 34 */
{
    const int64_t      descending[] = {5, 5}, none[] = {1, 0, 1, 1};
    stk_bucket_options options = plain;
    expect_refusal(NULL, "one batch size more than boundaries");
    options.batch_sizes = NULL;
    expect_refusal(&options, "one batch size more than boundaries");
    options = plain;
    options.batch_sizes = none;
    expect_refusal(&options, "the batch size of bucket 1 is 0");
    options = plain;
    options.boundaries = descending;
    options.boundary_count = 2;
    options.batch_size_count = 3;
    expect_refusal(&options, "boundary 1 is 5 after 5");
    options = plain;
    options.batch_size_count = 3;
    expect_refusal(&options, "3 boundaries make 4 buckets, but there are 3 batch sizes");
    options = plain;
    options.pad_to_boundary = true;
    expect_refusal(&options, "there must be padding");
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_bucket_by_length(&data, stk_test_add(1), &plain, &err));
    EXPECT_CONTAINS("no key function", err.message);
    stk_dataset_unref(data);
}

STK_TEST(other_buckets_have_other_fingerprints)
{
    const int64_t      at[] = {10, 20, 31}, other[] = {2, 2, 2, 3};
    stk_bucket_options all[4] = {plain, plain, plain, plain};
    uint64_t           seen[4];
    all[1].boundaries = at;
    all[2].batch_sizes = other;
    all[3].drop_remainder = true;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        stk_dataset *data = RANGE(3);
        APPLY(data, bucket_by_length, stk_test_key("number", number, NULL), &all[i]);
        seen[i] = stk_dataset_fingerprint(data);
        stk_dataset_unref(data);
        for (size_t k = 0; k < i; k++)
            EXPECT(seen[i] != seen[k]);
    }
}

static stk_function *numbering;

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 8, 13, 1, err));
    return stk_dataset_bucket_by_length(out, numbering, &plain, err);
}

STK_TEST(bucket_by_length_survives_every_failing_allocation)
{
    numbering = stk_test_key("number", number, NULL);
    stk_test_without_memory(build, 3);
}

STK_TEST(damaged_checkpoints_of_bucket_by_length_are_harmless)
{
    stk_test_watchdog(60);
    stk_dataset *data = NUMBERS(9, 10, 30, 19, 1, 20, 100, 29, 5, 12);
    APPLY(data, bucket_by_length, stk_test_key("number", number, NULL), &plain);
    stk_test_damage(data, 1);
}
