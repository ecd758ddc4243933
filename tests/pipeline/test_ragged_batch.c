#include "values_support.h"

#include <stoker/functions.h>

STK_TEST(ragged_batch_keeps_rows_of_their_length) /* 32 */
{
    stk_dataset *data = stk_test_vectors(3, (const size_t[]){1, 2, 0}, (const int64_t[]){1, 2, 3});
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(STK_VALUE_RAGGED, stk_dataset_spec(data)->values[0].kind);
    EXPECT_GIVES("{[1][2 3]} {[]} .", data);
}

STK_TEST(ragged_batch_of_strings_beside_scalars)
{
    stk_dataset *data =
        DATA(ELEMENT(STRINGS("a", "b"), SCALAR(1)), ELEMENT(STRINGS("c"), SCALAR(2)));
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_INT_EQ(STK_VALUE_DENSE, stk_dataset_spec(data)->values[1].kind);
    EXPECT_GIVES("({['a' 'b']['c']} [1 2]) .", data);
}

STK_TEST(ragged_rows_may_have_inner_dimensions)
{
    stk_dataset *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 2, 3, 4, 5, 6)));
    APPLY(data, ragged_batch, 2, NULL);
    const stk_value_spec *spec = &stk_dataset_spec(data)->values[0];
    EXPECT_INT_EQ(2, spec->shape.rank);
    EXPECT_INT_EQ(-1, spec->shape.dim[0]);
    EXPECT_INT_EQ(2, spec->shape.dim[1]);
    EXPECT_GIVES("{[[1 2]][[3 4][5 6]]} .", data);
}

STK_TEST(values_of_known_shape_stay_dense)
{
    stk_dataset *data = DATA(ELEMENT(VECTOR(1, 2)), ELEMENT(VECTOR(3, 4)));
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_INT_EQ(STK_VALUE_DENSE, stk_dataset_spec(data)->values[0].kind);
    EXPECT_GIVES("[[1 2][3 4]] .", data);
}

STK_TEST(ragged_batch_drops_the_remainder_if_told)
{
    stk_dataset *data = stk_test_vectors(3, (const size_t[]){1, 2, 0}, (const int64_t[]){1, 2, 3});
    APPLY(data, ragged_batch, 2, &(stk_batch_options){.drop_remainder = true});
    EXPECT_INT_EQ(1, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(2, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("{[1][2 3]} .", stk_dataset_ref(data));
    stk_error err;
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data)); /* as TensorFlow's */
    EXPECT_GIVES("[1] [2 3] .", data);
}

static stk_status copies_of(void *context, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    const int64_t   count = stk_test_number(*element);
    const stk_shape shape = stk_shape_1d(count);
    stk_value       value = {0};
    int64_t        *out;
    (void)context;
    STK_TRY(stk_element_make_unique(element, err));
    STK_TRY(stk_value_dense(&value, call->ledger, STK_DTYPE_I64, &shape, (void **)&out, err));
    for (int64_t i = 0; i < count; i++)
        out[i] = count;
    *stk_element_edit(*element, 0) = value;
    return STK_OK;
}

/* Copies of 1, 2, ...; an error in place of some. */
static stk_dataset *copies_but(int64_t first, int64_t second, bool behind_a_queue)
{
    stk_dataset  *data = stk_test_range(1, 8, 1);
    stk_function *ragged = stk_test_map("copies", copies_of, NULL, STK_FUNCTION_PURE);
    APPLY(data, map, stk_test_fail_on(first), NULL);
    APPLY(data, map, stk_test_fail_on(second), NULL);
    APPLY(data, map, ragged, NULL);
    if (behind_a_queue) APPLY(data, prefetch, 1);
    APPLY(data, ragged_batch, 2, NULL);
    return data;
}

STK_TEST(an_error_costs_its_ragged_batch_and_no_other) /* as TensorFlow's */
{
    for (int i = 0; i < 2; i++) {
        EXPECT_GIVES("!invalid_argument {[3 3 3][4 4 4 4]} {[5 5 5 5 5][6 6 6 6 6 6]} "
                     "{[7 7 7 7 7 7 7]} .",
                     copies_but(1, 9, i));
        EXPECT_GIVES("!invalid_argument {[3 3 3][4 4 4 4]} !invalid_argument {[7 7 7 7 7 7 7]} .",
                     copies_but(2, 5, i));
        EXPECT_GIVES("!invalid_argument {[3 3 3][4 4 4 4]} {[5 5 5 5 5][6 6 6 6 6 6]} "
                     "{[7 7 7 7 7 7 7]} .",
                     copies_but(1, 2, i));
        EXPECT_GIVES("{[1][2 2]} {[3 3 3][4 4 4 4]} {[5 5 5 5 5][6 6 6 6 6 6]} "
                     "!invalid_argument .",
                     copies_but(7, 9, i));
    }
}

static stk_status refuse_0(void *context, const stk_call *call, const stk_element *element,
                           bool *keep, stk_error *err)
{
    (void)context;
    (void)call;
    *keep = true;
    return stk_test_number(element) ? STK_OK
                                    : stk_fail(err, STK_E_INVALID, "test", NULL, "this is 0");
}

STK_TEST(an_error_ends_a_ragged_batch_that_has_nothing_to_make_ragged) /* as TensorFlow's */
{
    stk_dataset *data = RANGE(6);
    APPLY(data, filter, stk_test_test("refuse_0", refuse_0, NULL));
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_GIVES("!invalid_argument [1 2] [3 4] [5] .", data);
}

STK_TEST(ragged_batches_come_apart_again)
{
    stk_error    err;
    stk_dataset *data =
        stk_test_vectors(4, (const size_t[]){1, 2, 0, 3}, (const int64_t[]){1, 2, 3, 4, 5, 6});
    PUT(data, ragged_batch, 3, NULL);
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT_INT_EQ(STK_VALUE_DENSE, stk_dataset_spec(data)->values[0].kind);
    EXPECT_GIVES("[1] [2 3] [] [4 5 6] .", data);
}

STK_TEST(without_a_spec_the_elements_tell)
{
    stk_dataset *data = stk_test_vectors(2, (const size_t[]){1, 1}, (const int64_t[]){1, 2});
    APPLY(data, map, stk_test_fail_on(9), NULL);
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_GIVES("{[1][2]} .", data);
    data = RANGE(3);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_GIVES("!invalid_argument [2] .", data);
}

STK_TEST(inner_dimensions_that_are_not_known_are_ragged_too) /* as TensorFlow's */
{
    stk_dataset *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 1, 3, 4)));
    APPLY(data, ragged_batch, 2, NULL);
    const stk_value_spec *spec = &stk_dataset_spec(data)->values[0];
    EXPECT_INT_EQ(2, spec->ragged);
    EXPECT_INT_EQ(1, spec->shape.rank);
    EXPECT_GIVES("{{[1 2]}{[3][4]}} .", data);
    data = DATA(ELEMENT(MATRIX(2, 1, 1, 2)), ELEMENT(MATRIX(2, 2, 3, 4, 5, 6)));
    APPLY(data, ragged_batch, 2, NULL);
    EXPECT_GIVES("{{[1][2]}{[3 4][5 6]}} .", data);
}

/* Without a spec only the leading dimension can be ragged. */
STK_TEST(ragged_batch_names_inner_shapes_that_differ)
{
    stk_dataset *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(1, 1, 3)));
    APPLY(data, map, stk_test_fail_on(9), NULL);
    APPLY(data, ragged_batch, 2, NULL);
    stk_test_fails(data, STK_E_INVALID,
                   "component 0: one batch has shape [1,2], the next has "
                   "shape [1,1]");
}

static stk_dataset *ragged(int64_t size)
{
    stk_dataset *data =
        stk_test_vectors(4, (const size_t[]){1, 2, 0, 3}, (const int64_t[]){1, 2, 3, 4, 5, 6});
    APPLY(data, ragged_batch, size, NULL);
    return data;
}

STK_TEST(rows_of_ragged_batches_are_batched_to_ragged_ones_again) /* as TensorFlow's */
{
    stk_error    err;
    stk_dataset *data = ragged(3);
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT_INT_EQ(1, stk_dataset_spec(data)->values[0].ragged);
    PUT(data, batch, 2, NULL);
    EXPECT_INT_EQ(STK_VALUE_RAGGED, stk_dataset_spec(data)->values[0].kind);
    EXPECT_GIVES("{[1][2 3]} {[][4 5 6]} .", data);
    data = ragged(3);
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    PUT(data, enumerate, 7);
    PUT(data, batch, 3, &(stk_batch_options){.drop_remainder = true});
    EXPECT_INT_EQ(3, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("([7 8 9] {[1][2 3][]}) .", data);
}

/* The function is the same for rows and for vectors that were never ragged. */
STK_TEST(functions_of_numbers_leave_rows_of_ragged_values_what_they_are)
{
    stk_error     err;
    stk_function *cast;
    EXPECT_OK(stk_function_cast(&cast, 0, STK_DTYPE_I32, &err));
    stk_dataset *data = stk_test_vectors(2, (const size_t[]){1, 1}, (const int64_t[]){1, 2});
    PUT(data, batch, 1, NULL);
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    PUT(data, map, cast, NULL);
    PUT(data, batch, 2, NULL);
    EXPECT_GIVES("[[1][2]] .", data);
    data = ragged(3);
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    PUT(data, map, cast, NULL);
    PUT(data, batch, 2, NULL);
    EXPECT_GIVES("{[1][2 3]} {[][4 5 6]} .", data);
    stk_function_unref(cast);
}

STK_TEST(ragged_batches_are_batched_and_come_apart_level_by_level) /* as TensorFlow's */
{
    stk_error    err;
    stk_dataset *data = ragged(2);
    PUT(data, batch, 2, NULL);
    EXPECT_INT_EQ(2, stk_dataset_spec(data)->values[0].ragged);
    EXPECT_GIVES("{{[1][2 3]}{[][4 5 6]}} .", stk_dataset_ref(data));
    PUT(data, batch, 1, NULL);
    EXPECT_GIVES("{{{[1][2 3]}{[][4 5 6]}}} .", stk_dataset_ref(data));
    for (int i = 0; i < 2; i++)
        EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT_GIVES("{[1][2 3]} {[][4 5 6]} .", stk_dataset_ref(data));
    for (int i = 0; i < 2; i++)
        EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT_GIVES("1 2 3 4 5 6 .", stk_dataset_ref(data));
    PUT(data, batch, 4, NULL);
    EXPECT_INT_EQ(STK_VALUE_DENSE, stk_dataset_spec(data)->values[0].kind);
    PUT(data, batch, 2, NULL);
    EXPECT_GIVES("{[1 2 3 4][5 6]} .", data);
}

STK_TEST(ragged_batches_are_cut_anew)
{
    stk_error    err;
    stk_dataset *data = ragged(3);
    PUT(data, rebatch, NUMBERS_OF(2), 1, NULL);
    EXPECT_GIVES("{[1][2 3]} {[][4 5 6]} .", data);
    data = ragged(1);
    PUT(data, batch, 3, NULL);
    PUT(data, rebatch, NUMBERS_OF(2), 1, NULL);
    EXPECT_GIVES("{{[1]}{[2 3]}} {{[]}{[4 5 6]}} .", data);
}

static stk_status take_apart(void *context, const stk_call *call, const stk_element *element,
                             stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    *out = stk_dataset_ref(stk_element_value(element, 0)->small.dataset);
    return stk_dataset_ragged_batch(out, 2, NULL, err);
}

/* A window of vectors that happen to be equally long is ragged all the same. */
STK_TEST(windows_know_what_their_input_knows) /* as TensorFlow's */
{
    stk_dataset *data =
        stk_test_vectors(4, (const size_t[]){1, 1, 2, 1}, (const int64_t[]){1, 2, 3, 4, 5});
    APPLY(data, window, 2, NULL);
    APPLY(data, flat_map, stk_test_expand("apart", take_apart, NULL));
    EXPECT_GIVES("{[1][2]} {[3 4][5]} .", data);
    data = stk_test_vectors(4, (const size_t[]){1, 1, 2, 1}, (const int64_t[]){1, 2, 3, 4, 5});
    APPLY(data, window, 2, NULL);
    APPLY(data, shuffle, 1, NULL);
    APPLY(data, flat_map, stk_test_expand("apart", take_apart, NULL));
    EXPECT_GIVES("{[1][2]} {[3 4][5]} .", data);
}

STK_TEST(ragged_batch_refuses_scalars_among_vectors)
{
    stk_dataset *data = DATA(ELEMENT(VECTOR(1)), ELEMENT(SCALAR(2)));
    APPLY(data, ragged_batch, 2, NULL);
    stk_test_fails(data, STK_E_INVALID, "component 0 is a scalar");
}

STK_TEST(ragged_batch_refuses_bad_sizes_and_values)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_ragged_batch(&data, -1, NULL, &err));
    EXPECT_CONTAINS("the batch size is -1", err.message);
    stk_dataset_unref(data);
    const stk_shape row = stk_shape_1d(2);
    data = stk_test_vectors(2, (const size_t[]){1, 0}, (const int64_t[]){1});
    PUT(data, sparse_batch, 2, &row);
    EXPECT_REFUSED(STK_E_TYPE, "the value is sparse",
                   stk_dataset_ragged_batch(&data, 2, NULL, &err));
    stk_dataset_unref(data);
    data = ragged(1);
    for (int i = 1; i < STK_MAX_RANK; i++)
        PUT(data, batch, 1, NULL);
    EXPECT_REFUSED(STK_E_SHAPE, "9 ragged dimensions; at most 8",
                   stk_dataset_batch(&data, 1, NULL, &err));
    stk_dataset_unref(data);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    stk_dataset *data = stk_dataset_ref(context);
    stk_status   st = stk_dataset_ragged_batch(&data, 2, NULL, err);
    if (!st) st = stk_dataset_unbatch(&data, err);
    if (!st) st = stk_dataset_batch(&data, 2, NULL, err);
    if (!st) st = stk_dataset_rebatch(&data, NUMBERS_OF(3), 1, NULL, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    return stk_test_drain(data, err);
}

STK_TEST(ragged_batch_survives_every_failing_allocation)
{
    stk_dataset *data = DATA(ELEMENT(VECTOR(1), STRINGS("a"), SCALAR(1)),
                             ELEMENT(VECTOR(2, 3), STRINGS("b", "c"), SCALAR(2)),
                             ELEMENT(EMPTY_VECTOR(), STRINGS("d"), SCALAR(3)));
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
}
