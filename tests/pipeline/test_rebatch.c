#include "values_support.h"

static stk_dataset *batches(int64_t count, int64_t size)
{
    stk_dataset *data = RANGE(count);
    APPLY(data, batch, size, NULL);
    return data;
}

#define REBATCH(data, drop, ...)                                                                   \
    APPLY(data, rebatch, NUMBERS_OF(__VA_ARGS__), HOW_MANY(int64_t, __VA_ARGS__),                  \
          &(stk_batch_options){.drop_remainder = (drop)})

STK_TEST(rebatch_cuts_batches_anew) /* 28 */
{
    stk_dataset *data = batches(8, 4);
    REBATCH(data, false, 2, 2);
    EXPECT_GIVES("[0 1] [2 3] [4 5] [6 7] .", data);
    data = batches(5, 4);
    REBATCH(data, false, 2, 2);
    EXPECT_GIVES("[0 1] [2 3] [4] .", data);
    data = batches(5, 4);
    REBATCH(data, true, 2, 2);
    EXPECT_INT_EQ(2, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("[0 1] [2 3] .", data);
    data = batches(12, 4);
    REBATCH(data, false, 6);
    EXPECT_GIVES("[0 1 2 3 4 5] [6 7 8 9 10 11] .", data);
}

STK_TEST(rebatch_uses_its_sizes_in_turn) /* 28 */
{
    stk_dataset *data = batches(12, 5);
    REBATCH(data, false, 1, 2, 4);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("[0] [1 2] [3 4 5 6] [7] [8 9] [10 11] .", data);
}

static void expect_leading(int64_t expected, int64_t size, bool drop, int64_t cut)
{
    stk_dataset *data = RANGE(24);
    APPLY(data, batch, size, &(stk_batch_options){.drop_remainder = drop});
    REBATCH(data, false, cut, cut);
    EXPECT_INT_EQ(expected, stk_dataset_spec(data)->values[0].shape.dim[0]);
    stk_dataset_unref(data);
}

STK_TEST(the_size_is_known_where_every_input_is_cut_evenly) /* as TensorFlow's */
{
    expect_leading(2, 4, true, 2);
    expect_leading(4, 4, true, 4);
    expect_leading(-1, 4, true, 3);
    expect_leading(-1, 4, true, 8);
    expect_leading(-1, 4, true, 0);
    expect_leading(-1, 4, false, 2);
}

/* As TensorFlow 2.21 does: before the end is seen an empty batch has its turn, after it not. */
STK_TEST(a_size_of_0_gives_empty_batches_until_the_end_is_seen) /* 28 */
{
    stk_dataset *data = batches(4, 4);
    REBATCH(data, false, 2, 0);
    EXPECT_GIVES("[0 1] [] [2 3] [] .", data);
    data = batches(5, 4);
    REBATCH(data, false, 2, 0);
    EXPECT_GIVES("[0 1] [] [2 3] [] [4] .", data);
    data = batches(4, 4);
    REBATCH(data, false, 0, 2);
    EXPECT_GIVES("[] [0 1] [] [2 3] [] .", data);
    data = batches(3, 4);
    REBATCH(data, true, 2, 0, 0);
    EXPECT_GIVES("[0 1] [] [] .", data);
    data = batches(0, 2);
    REBATCH(data, false, 0, 3);
    EXPECT_GIVES("[] .", data);
    data = batches(2, 2);
    REBATCH(data, false, 0);
    EXPECT_BEGINS(4, "[] [] [] [] ...", data);
}

STK_TEST(empty_batches_keep_their_inner_dimensions)
{
    stk_dataset *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 2, 3, 4, 5, 6)));
    REBATCH(data, false, 0, 2);
    stk_element     *batch = stk_test_first(stk_dataset_ref(data));
    const stk_shape *shape = &stk_element_value(batch, 0)->shape;
    EXPECT_INT_EQ(0, shape->dim[0]);
    EXPECT_INT_EQ(2, shape->dim[1]);
    stk_element_unref(batch);
    EXPECT_GIVES("[] [[1 2][3 4]] [] [[5 6]] .", data);
}

STK_TEST(rebatch_joins_and_cuts_strings_and_several_values)
{
    stk_dataset *data = DATA(ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "bb", "ccc")),
                             ELEMENT(VECTOR(4, 5), STRINGS("dddd", "")));
    REBATCH(data, false, 2);
    EXPECT_GIVES("([1 2] ['a' 'bb']) ([3 4] ['ccc' 'dddd']) ([5] ['']) .", data);
}

STK_TEST(batches_without_rows_are_passed_over)
{
    stk_dataset *data = DATA(ELEMENT(EMPTY_VECTOR()), ELEMENT(VECTOR(1)), ELEMENT(EMPTY_VECTOR()),
                             ELEMENT(VECTOR(2, 3)));
    REBATCH(data, false, 2);
    EXPECT_GIVES("[1 2] [3] .", data);
}

STK_TEST(an_error_loses_the_rows_gathered_before_it)
{
    stk_dataset *data = NUMBERS(1, 2, 3, 4, 5, 6, 7);
    APPLY(data, batch, 1, NULL);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    REBATCH(data, false, 2);
    EXPECT_GIVES("[1 2] !invalid_argument [5 6] [7] .", data); /* 3 went with 4 */
}

STK_TEST(rows_that_cannot_be_joined_are_an_error)
{
    stk_dataset *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(1, 1, 3)));
    REBATCH(data, false, 2);
    stk_test_fails(data, STK_E_INVALID,
                   "component 0: one batch has shape [1,2], the next has shape [1,1]");
    data = DATA(ELEMENT(VECTOR(1, 2), VECTOR(1)), ELEMENT(VECTOR(1), VECTOR(1)));
    REBATCH(data, false, 2);
    EXPECT_GIVES("!invalid_argument ([1] [1]) .", data);
}

#define EMPTY(columns) stk_test_tensor(stk_shape_2d(0, (columns)), NULL)

STK_TEST(a_batch_without_rows_says_what_rows_would_be) /* as TensorFlow's */
{
    stk_dataset *data =
        DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(EMPTY(3)), ELEMENT(MATRIX(2, 2, 3, 4, 5, 6)));
    REBATCH(data, false, 2);
    EXPECT_GIVES("!invalid_argument [[5 6]] .", data);
    data = DATA(ELEMENT(EMPTY(3)), ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(1, 2, 3, 4)));
    REBATCH(data, false, 1);
    EXPECT_GIVES("!invalid_argument [[3 4]] .", data);
    data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(EMPTY(2)), ELEMENT(MATRIX(1, 2, 3, 4)));
    REBATCH(data, false, 2);
    EXPECT_GIVES("[[1 2][3 4]] .", data);
    data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(EMPTY(3)), ELEMENT(EMPTY(4)));
    REBATCH(data, false, 1);
    EXPECT_GIVES("[[1 2]] .", data);
    data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(EMPTY(3)));
    REBATCH(data, false, 2);
    EXPECT_GIVES("!invalid_argument .", data);
    data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(EMPTY(3)));
    REBATCH(data, true, 2);
    EXPECT_GIVES(".", data);
}

STK_TEST(rebatch_refuses_what_makes_no_sense)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_rebatch(&data, NUMBERS_OF(2), 1, NULL, &err));
    EXPECT_CONTAINS("is a scalar", err.message);
    stk_dataset_unref(data);
    data = batches(4, 2);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_rebatch(&data, NULL, 0, NULL, &err));
    EXPECT_CONTAINS("no sizes", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_rebatch(&data, NUMBERS_OF(2, -1), 2, NULL, &err));
    EXPECT_CONTAINS("size 1 is -1", err.message);
    PUT(data, map, stk_test_fail_on(9), NULL);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_rebatch(&data, NUMBERS_OF(2, 0), 2, NULL, &err));
    EXPECT_CONTAINS("the types of the input are not known", err.message);
    stk_dataset_unref(data);
}

STK_TEST(rebatch_fingerprints_tell_sizes_apart)
{
    stk_dataset *a = batches(4, 2), *b = batches(4, 2), *c = batches(4, 2);
    REBATCH(a, false, 1, 2);
    REBATCH(b, false, 2, 1);
    REBATCH(c, true, 1, 2);
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(c));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
}

STK_TEST(turned_bits_in_checkpoints_of_rebatch_are_harmless)
{
    stk_test_watchdog(120);
    stk_dataset *data = DATA(ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "b", "c")),
                             ELEMENT(VECTOR(4, 5), STRINGS("d", "e")));
    REBATCH(data, false, 2, 0);
    stk_test_damage(data, 2);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    static const int64_t sizes[] = {2, 0, 3};
    for (int i = 0; i < 2; i++) {
        stk_dataset *data = stk_dataset_ref(context);
        stk_status   st = stk_dataset_rebatch(&data, sizes, 3, NULL, err);
        if (st) {
            stk_dataset_unref(data);
            return st;
        }
        STK_TRY(i ? stk_test_drain(data, err) : stk_test_save_and_drain(data, 1, err));
    }
    return STK_OK;
}

STK_TEST(rebatch_survives_every_failing_allocation)
{
    stk_dataset *data = DATA(ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "b", "c")),
                             ELEMENT(VECTOR(4, 5, 6, 7), STRINGS("d", "e", "f", "g")));
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
}
