#include "values_support.h"

static stk_dataset *vectors(void)
{
    return stk_test_vectors(3, (const size_t[]){1, 2, 0}, (const int64_t[]){7, 0, 9});
}

STK_TEST(sparse_batch_keeps_every_value_with_its_place) /* 32 */
{
    const stk_shape row = stk_shape_1d(4);
    stk_dataset    *data = vectors();
    APPLY(data, sparse_batch, 2, &row);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    const stk_value_spec *spec = &stk_dataset_spec(data)->values[0];
    EXPECT_INT_EQ(STK_VALUE_SPARSE, spec->kind);
    EXPECT_INT_EQ(4, spec->shape.dim[1]);
    EXPECT_GIVES("sparse[2,4]{(0,0)7 (1,0)0 (1,1)9} sparse[1,4]{} .", data);
}

STK_TEST(sparse_batch_takes_the_largest_in_the_batch)
{
    const stk_shape row = stk_shape_1d(-1);
    stk_dataset    *data = vectors();
    APPLY(data, sparse_batch, 3, &row);
    EXPECT_GIVES("sparse[3,2]{(0,0)7 (1,0)0 (1,1)9} .", data);
}

STK_TEST(sparse_batch_of_matrices_and_of_strings)
{
    const stk_shape square = stk_shape_2d(2, -1), line = stk_shape_1d(3);
    stk_dataset    *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 1, 3, 4)));
    APPLY(data, sparse_batch, 2, &square);
    EXPECT_GIVES("sparse[2,2,2]{(0,0,0)1 (0,0,1)2 (1,0,0)3 (1,1,0)4} .", data);
    data = DATA(ELEMENT(STRINGS("a", "b")), ELEMENT(STRINGS("c")));
    APPLY(data, sparse_batch, 2, &line);
    EXPECT_GIVES("sparse[2,3]{(0,0)'a' (0,1)'b' (1,0)'c'} .", data);
}

STK_TEST(sparse_batch_of_scalars)
{
    const stk_shape row = stk_shape_scalar();
    stk_dataset    *data = RANGE(3);
    APPLY(data, sparse_batch, 2, &row);
    EXPECT_GIVES("sparse[2]{(0)0 (1)1} sparse[1]{(0)2} .", data);
}

STK_TEST(an_element_larger_than_the_row_shape_costs_its_batch) /* 32 */
{
    const stk_shape row = stk_shape_1d(1);
    stk_dataset    *data = vectors();
    APPLY(data, sparse_batch, 2, &row);
    EXPECT_GIVES("!damaged_data sparse[1,1]{} .", data);
    data = vectors();
    APPLY(data, sparse_batch, 2, &row);
    stk_test_fails(data, STK_E_DATALOSS,
                   "element 1 of the batch has shape [2], larger than the row shape [1]");
}

STK_TEST(the_batch_after_an_error_begins_with_the_element_after_it)
{
    const stk_shape row = stk_shape_1d(1), flat = stk_shape_scalar();
    stk_dataset    *data = stk_test_vectors(5, (const size_t[]){2, 1, 1, 1, 2},
                                            (const int64_t[]){1, 1, 2, 3, 4, 5, 5});
    APPLY(data, sparse_batch, 2, &row);
    EXPECT_GIVES("!damaged_data sparse[2,1]{(0,0)2 (1,0)3} !damaged_data .", data);
    data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(0), NULL);
    APPLY(data, sparse_batch, 3, &flat);
    EXPECT_GIVES("!invalid_argument sparse[3]{(0)1 (1)2 (2)3} sparse[2]{(0)4 (1)5} .", data);
}

STK_TEST(sparse_batch_refuses_what_makes_no_sense)
{
    stk_error       err;
    const stk_shape row = stk_shape_1d(3), low = stk_shape_1d(-2), deep = stk_shape_2d(3, 3);
    const stk_shape wide = {.rank = STK_MAX_RANK};
    stk_dataset    *data = vectors();
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sparse_batch(&data, 0, &row, &err));
    EXPECT_CONTAINS("the batch size is 0", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sparse_batch(&data, 2, NULL, &err));
    EXPECT_CONTAINS("no row shape", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sparse_batch(&data, 2, &low, &err));
    EXPECT_CONTAINS("[-2]", err.message);
    EXPECT_STATUS(STK_E_SHAPE, stk_dataset_sparse_batch(&data, 2, &wide, &err));
    EXPECT_CONTAINS("rank 8", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sparse_batch(&data, 2, &deep, &err));
    EXPECT_CONTAINS("the row shape [3,3] has another rank than values of shape [-1]", err.message);
    stk_dataset_unref(data);
    data = DATA(ELEMENT(VECTOR(1), VECTOR(2)));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sparse_batch(&data, 2, &row, &err));
    EXPECT_CONTAINS("elements have 2 values", err.message);
    stk_dataset_unref(data);
    data = DATA(ELEMENT(VECTOR(1)), ELEMENT(MATRIX(1, 1, 1)));
    PUT(data, sparse_batch, 2, &row);
    stk_test_fails(data, STK_E_INVALID,
                   "element 1 of the batch has shape [1,1], the row shape is "
                   "[3]");
}

static stk_status build_and_run(void *context, stk_error *err)
{
    const stk_shape row = stk_shape_1d(-1);
    stk_dataset    *data = stk_dataset_ref(context);
    stk_status      st = stk_dataset_sparse_batch(&data, 2, &row, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    return stk_test_drain(data, err);
}

STK_TEST(sparse_batch_survives_every_failing_allocation)
{
    stk_dataset *data = vectors();
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
}
