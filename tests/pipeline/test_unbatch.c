#include "values_support.h"

#define UNBATCH(data) EXPECT_OK(stk_dataset_unbatch(&(data), &err))

STK_TEST(unbatch_gives_the_rows) /* 33 */
{
    stk_error    err;
    stk_dataset *data = DATA(ELEMENT(MATRIX(2, 4, 0, 1, 2, 3, 4, 5, 6, 7)));
    UNBATCH(data);
    EXPECT_GIVES("[0 1 2 3] [4 5 6 7] .", data);
    data = RANGE(7);
    PUT(data, batch, 3, NULL);
    UNBATCH(data);
    EXPECT_GIVES("0 1 2 3 4 5 6 .", data);
}

STK_TEST(unbatch_of_several_values_and_strings)
{
    stk_error    err;
    stk_dataset *data = DATA(ELEMENT(VECTOR(1, 2), STRINGS("a", "a rather long text, longer than "
                                                                "what fits in a value")),
                             ELEMENT(VECTOR(3), STRINGS("")));
    UNBATCH(data);
    EXPECT_GIVES("(1 'a') (2 'a rather long text, longer than what fits in a value') (3 '') .",
                 data);
}

STK_TEST(batches_without_rows_give_nothing) /* 33 */
{
    stk_error    err;
    stk_dataset *data = DATA(ELEMENT(EMPTY_VECTOR()), ELEMENT(VECTOR(1)), ELEMENT(EMPTY_VECTOR()));
    UNBATCH(data);
    EXPECT_GIVES("1 .", data);
}

STK_TEST(components_of_different_length_are_an_error_in_their_place) /* 33 */
{
    stk_error    err;
    stk_dataset *data = DATA(ELEMENT(VECTOR(1), VECTOR(1)), ELEMENT(VECTOR(2, 3), VECTOR(2)),
                             ELEMENT(VECTOR(4), VECTOR(4)));
    UNBATCH(data);
    EXPECT_GIVES("(1 1) !invalid_argument (4 4) .", data);
    data = DATA(ELEMENT(VECTOR(2, 3), VECTOR(2)), ELEMENT(VECTOR(2), VECTOR(2)));
    UNBATCH(data);
    stk_test_fails(data, STK_E_INVALID, "component 0 has 2 rows, component 1 has 1");
}

STK_TEST(unbatch_refuses_what_is_known_to_have_no_rows)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_unbatch(&data, &err));
    EXPECT_CONTAINS("is a scalar", err.message);
    PUT(data, map, stk_test_add(1), NULL);
    UNBATCH(data);
    stk_test_fails(data, STK_E_INVALID, "component 0 is a scalar");
    data = DATA(ELEMENT(VECTOR(1, 2), VECTOR(1, 2, 3)));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_unbatch(&data, &err));
    EXPECT_CONTAINS("value 0 has 2 rows, value 1 has 3", err.message);
    stk_dataset_unref(data);
    const stk_shape row = stk_shape_1d(-1);
    data = DATA(ELEMENT(VECTOR(1, 2)));
    PUT(data, sparse_batch, 1, &row);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_unbatch(&data, &err));
    EXPECT_CONTAINS("is sparse", err.message);
    stk_dataset_unref(data);
}

STK_TEST(unbatch_knows_its_number_where_batches_are_of_one_size)
{
    stk_error    err;
    stk_dataset *data = RANGE(7);
    PUT(data, batch, 3, &(stk_batch_options){.drop_remainder = true});
    UNBATCH(data);
    EXPECT_INT_EQ(6, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(0, stk_dataset_spec(data)->values[0].shape.rank);
    EXPECT_GIVES("0 1 2 3 4 5 .", data);
    data = RANGE(7);
    PUT(data, batch, 3, NULL);
    UNBATCH(data);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = RANGE(7);
    PUT(data, repeat, -1);
    PUT(data, batch, 3, NULL);
    UNBATCH(data);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(9, "0 1 2 3 4 5 6 0 1 ...", data);
}

STK_TEST(errors_of_the_input_pass_through_unbatch)
{
    stk_error    err;
    stk_dataset *data = RANGE(7);
    PUT(data, map, stk_test_fail_on(3), NULL);
    PUT(data, batch, 2, NULL);
    UNBATCH(data);
    EXPECT_GIVES("0 1 !invalid_argument 4 5 6 .", data);
}

/* A batch of 4 rows of 8 KB each. */
static stk_status widen(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    const int64_t   number = stk_test_number(*element);
    const stk_shape shape = stk_shape_2d(4, 1024);
    void           *to;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value *value = stk_element_edit(*element, 0);
    STK_TRY(stk_value_dense(value, call->ledger, STK_DTYPE_I64, &shape, &to, err));
    for (int64_t i = 0; i < 4096; i++)
        ((int64_t *)to)[i] = number * 10 + i / 1024;
    return STK_OK;
}

static stk_status narrow(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    const int64_t number = stk_test_number(*element);
    STK_TRY(stk_element_make_unique(element, err));
    stk_value *value = stk_element_edit(*element, 0);
    stk_value_release(value);
    stk_value_i64(value, number);
    return STK_OK;
}

static stk_dataset *large_batches(void)
{
    stk_error    err;
    stk_dataset *data = RANGE(4);
    PUT(data, map, stk_test_map("widen", widen, NULL, 0), NULL);
    UNBATCH(data);
    return data;
}

STK_TEST(rows_of_large_batches_survive_checkpoints)
{
    stk_dataset *data = large_batches();
    APPLY(data, map, stk_test_map("narrow", narrow, NULL, 0), NULL);
    EXPECT_GIVES("0 1 2 3 10 11 12 13 20 21 22 23 30 31 32 33 .", data);
}

STK_TEST(checkpoints_inside_large_batches_stay_small)
{
    stk_error                  err;
    stk_iterator              *it;
    stk_element               *element;
    stk_blob                   saved;
    stk_dataset               *data = large_batches();
    const stk_iterator_options options = {.threads = 1, .passes_off = STK_PASS_ALL};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int i = 0; i < 10; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        EXPECT(saved.size < 200);
        stk_blob_release(&saved);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_unbatch_are_refused)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_blob      saved;
    stk_dataset  *data = RANGE(6);
    PUT(data, batch, 3, NULL);
    UNBATCH(data);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    for (size_t size = 0; size < saved.size; size++)
        EXPECT(stk_iterator_restore(it, stk_bytes_of(saved.data, size), &err) != STK_OK);
    EXPECT_OK(stk_iterator_next(it, &element, &err)); /* as it was */
    EXPECT_INT_EQ(1, stk_test_number(element));
    stk_element_unref(element);
    stk_blob_release(&saved);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status stop_after_a_while(void *cancel, const stk_call *call, stk_element **element,
                                     stk_error *err)
{
    (void)element;
    (void)err;
    if (call->epoch == 1000) stk_cancel_request(cancel);
    return STK_OK;
}

STK_TEST(batches_without_rows_for_ever_can_be_stopped)
{
    stk_test_watchdog(60);
    stk_error    err;
    stk_cancel   cancel = {0};
    stk_element *element;
    stk_dataset *data = DATA(ELEMENT(EMPTY_VECTOR()));
    PUT(data, map, stk_test_map("stop", stop_after_a_while, &cancel, 0),
        &(stk_map_options){.parallel = 1});
    PUT(data, repeat, -1);
    UNBATCH(data);
    stk_iterator              *it;
    const stk_iterator_options options = {.threads = 1, .cancel = &cancel};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(turned_bits_in_checkpoints_of_unbatch_are_harmless)
{
    stk_test_watchdog(120);
    stk_error    err;
    stk_dataset *data =
        DATA(ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "b", "c")), ELEMENT(VECTOR(4), STRINGS("d")));
    UNBATCH(data);
    stk_test_damage(data, 1);
    data = stk_test_vectors(3, (const size_t[]){1, 2, 0}, (const int64_t[]){1, 2, 3});
    PUT(data, ragged_batch, 3, NULL);
    UNBATCH(data);
    stk_test_damage(data, 1);
    stk_test_damage(large_batches(), 6);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    for (int i = 0; i < 2; i++) {
        stk_dataset *data = stk_dataset_ref(context);
        stk_status   st = stk_dataset_unbatch(&data, err);
        if (st) {
            stk_dataset_unref(data);
            return st;
        }
        STK_TRY(i ? stk_test_drain(data, err) : stk_test_save_and_drain(data, 1, err));
    }
    return STK_OK;
}

STK_TEST(unbatch_survives_every_failing_allocation)
{
    stk_dataset *data =
        DATA(ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "b", "c")), ELEMENT(VECTOR(4), STRINGS("d")));
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
    data = stk_test_vectors(2, (const size_t[]){1, 2}, (const int64_t[]){1, 2, 3});
    APPLY(data, ragged_batch, 2, NULL);
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
}
