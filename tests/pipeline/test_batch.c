#include "values_support.h"

#include <stdlib.h>

STK_TEST(batch_puts_elements_below_one_another) /* 25 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, batch, 2, NULL);
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    EXPECT_GIVES("[0 1] [2 3] [4] .", data);
    data = RANGE(5);
    APPLY(data, batch, 2, &(stk_batch_options){.drop_remainder = true});
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(2, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("[0 1] [2 3] .", data);
}

STK_TEST(batch_of_0_is_refused) /* 26 */
{
    stk_error    err;
    stk_dataset *data = RANGE(5);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_batch(&data, 0, NULL, &err));
    EXPECT_CONTAINS("the batch size is 0", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_batch(&data, -5, NULL, &err));
    EXPECT_CONTAINS("the batch size is -5", err.message);
    stk_dataset_unref(data);
}

STK_TEST(batch_of_the_largest_size_makes_one_batch) /* 26 */
{
    stk_dataset *data = RANGE(10);
    APPLY(data, batch, INT64_MAX, NULL);
    EXPECT_INT_EQ(1, stk_dataset_cardinality(data));
    EXPECT_GIVES("[0 1 2 3 4 5 6 7 8 9] .", data);
    data = RANGE(4);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, batch, INT64_MAX, NULL);
    EXPECT_GIVES("[1 2 3 4] .", data);
}

STK_TEST(batch_names_component_elements_and_shapes_that_differ) /* 27 */
{
    stk_dataset *data = DATA(ELEMENT(SCALAR(0), VECTOR(1, 2)), ELEMENT(SCALAR(0), VECTOR(1, 2)),
                             ELEMENT(SCALAR(0), VECTOR(1, 2, 3)), ELEMENT(SCALAR(1), VECTOR(4)));
    APPLY(data, batch, 3, NULL);
    stk_test_fails(stk_dataset_ref(data), STK_E_INVALID,
                   "component 1: the first element has shape [2], element 2 has shape [3]");
    EXPECT_GIVES("!invalid_argument ([1] [[4]]) .", data);
}

static stk_status change_type(void *context, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)context;
    if (call->index != 1) return STK_OK;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_f32(stk_element_edit(*element, 0), 1);
    return STK_OK;
}

STK_TEST(batch_names_types_that_differ)
{
    stk_dataset *data = RANGE(3);
    APPLY(data, map, stk_test_map("change_type", change_type, NULL, 0), NULL);
    APPLY(data, batch, 2, NULL);
    stk_test_fails(
        stk_dataset_ref(data), STK_E_TYPE,
        "component 0 is dense int64 in the first element and dense float32 in element 1");
    EXPECT_GIVES("!wrong_type [2] .", data);
}

STK_TEST(batch_of_strings_and_matrices)
{
    stk_dataset *data = DATA(ELEMENT(STRINGS("a", "bb"), MATRIX(1, 2, 1, 2)),
                             ELEMENT(STRINGS("", "dddd"), MATRIX(1, 2, 3, 4)));
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("([['a' 'bb']['' 'dddd']] [[[1 2]][[3 4]]]) .", data);
}

STK_TEST(an_error_over_a_map_costs_its_batch_and_no_other)
{
    stk_dataset *data = RANGE(7);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("[0 1] !invalid_argument [4 5] [6] .", data);
    data = RANGE(7);
    APPLY(data, map, stk_test_fail_on(3), &(stk_map_options){.parallel = 1});
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("[0 1] !invalid_argument [4 5] [6] .", data);
}

STK_TEST(an_error_elsewhere_ends_the_batch_at_hand)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    APPLY(data, filter, stk_test_divides(1));
    APPLY(data, batch, 3, NULL);
    EXPECT_GIVES("[0 1 2] !invalid_argument [5 6 7] .", data); /* 3 went with 4 */
}

STK_TEST(two_errors_over_a_map_are_one_batch_or_two)
{
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(0), NULL);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("!invalid_argument [2 3] [4 5] .", data);
}

STK_TEST(batch_by_number_and_past_the_end) /* 74 */
{
    stk_error    err;
    stk_element *batch;
    stk_dataset *data = RANGE(5);
    PUT(data, batch, 2, NULL);
    EXPECT_OK(stk_dataset_at(data, 2, &batch, &err));
    EXPECT_INT_EQ(1, stk_element_value(batch, 0)->shape.dim[0]);
    EXPECT_INT_EQ(4, stk_test_number(batch));
    stk_element_unref(batch);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &batch, &err));
    EXPECT_CONTAINS("batch 3 was asked for; there are 3", err.message);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, UINT64_MAX, &batch, &err));
    stk_dataset_unref(data);
    data = RANGE(5);
    PUT(data, batch, 2, &(stk_batch_options){.drop_remainder = true});
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 2, &batch, &err));
    stk_dataset_unref(data);
}

STK_TEST(values_that_are_not_dense_cannot_be_batched)
{
    const stk_shape row = stk_shape_1d(2);
    stk_dataset    *data = stk_test_vectors(2, (const size_t[]){1, 2}, (const int64_t[]){1, 2, 3});
    APPLY(data, sparse_batch, 1, &row);
    APPLY(data, batch, 2, NULL);
    stk_test_fails(data, STK_E_UNSUPPORTED, "component 0 is sparse");
}

static stk_status widen(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    const int64_t   number = stk_test_number(*element);
    const stk_shape shape = stk_shape_1d(4096);
    void           *to;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value *value = stk_element_edit(*element, 0);
    STK_TRY(stk_value_dense(value, call->ledger, STK_DTYPE_I64, &shape, &to, err));
    for (int64_t i = 0; i < 4096; i++)
        ((int64_t *)to)[i] = number * 4096 + i;
    return STK_OK;
}

static void expect_large_batches(int threads, unsigned passes_off, bool over_map)
{
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = RANGE(200);
    PUT(data, map, stk_test_map("widen", widen, NULL, 0), NULL);
    if (!over_map) PUT(data, filter, stk_test_divides(1));
    PUT(data, batch, 64, NULL); /* 2 MiB */
    const stk_iterator_options options = {.threads = threads, .passes_off = passes_off};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    int64_t next = 0;
    for (;;) {
        stk_element *batch;
        EXPECT_OK(stk_iterator_next(it, &batch, &err));
        if (!batch) break;
        const stk_value *value = stk_element_value(batch, 0);
        const int64_t   *numbers = stk_value_data(value);
        for (int64_t i = 0; i < stk_value_elements(value); i++)
            if (numbers[i] != next++) fail_msg("number %d is wrong", (int)(next - 1));
        stk_element_unref(batch);
    }
    EXPECT_INT_EQ(200 * 4096, next);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(batches_over_a_mebibyte_are_whole_however_they_are_copied) /* 78 */
{
    for (int threads = 1; threads <= 4; threads += 3)
        for (int over_map = 0; over_map < 2; over_map++) {
            expect_large_batches(threads, 0, over_map);
            expect_large_batches(threads, STK_PASS_PARALLEL_BATCH | STK_PASS_MAP_BATCH, over_map);
        }
}

STK_TEST(a_batch_past_the_memory_ceiling_is_an_error_that_says_so)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *batch;
    stk_dataset  *data = RANGE(1 << 20);
    PUT(data, filter, stk_test_divides(1));
    PUT(data, batch, INT64_MAX, NULL);
    const stk_iterator_options options = {
        .threads = 1, .passes_off = STK_PASS_ALL, .memory_bytes = 8 << 20};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_STATUS(STK_E_CEILING, stk_iterator_next(it, &batch, &err));
    EXPECT_CONTAINS("ceiling", err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(turned_bits_in_checkpoints_of_batches_are_harmless)
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(9);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, batch, 2, NULL);
    APPLY(data, prefetch, 2);
    stk_test_damage(data, 2);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    stk_dataset *data = stk_dataset_ref(context);
    stk_status   st = stk_dataset_batch(&data, 2, NULL, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    return stk_test_drain(data, err);
}

STK_TEST(batch_survives_every_failing_allocation)
{
    stk_dataset *data =
        DATA(ELEMENT(VECTOR(1, 2, 3), STRINGS("a")), ELEMENT(VECTOR(4, 5, 6), STRINGS("b")),
             ELEMENT(VECTOR(7, 8, 9), STRINGS("c")));
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
}
