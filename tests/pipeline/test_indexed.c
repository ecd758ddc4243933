#include "values_support.h"

static stk_status square(void *context, const stk_call *call, uint64_t index, stk_element **out,
                         stk_error *err)
{
    (void)call;
    const int64_t bad = *(const int64_t *)context;
    if ((int64_t)index == bad)
        return stk_fail(err, STK_E_DATALOSS, "test", NULL, "element %d is damaged", (int)index);
    if ((int64_t)index == -bad) return STK_OK;
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0), (int64_t)(index * index));
    return STK_OK;
}

static stk_indexed_info info_of(int64_t *bad, uint64_t count)
{
    return (stk_indexed_info){.name = "squares", .context = bad, .count = count, .read = square};
}

static stk_dataset *indexed(int64_t *bad, uint64_t count)
{
    stk_error              err;
    stk_dataset           *data;
    const stk_indexed_info info = info_of(bad, count);
    EXPECT_OK(stk_dataset_indexed(&data, &info, &err));
    return data;
}

static int64_t none = INT64_MAX;

STK_TEST(indexed_reads_number_after_number)
{
    stk_dataset *data = indexed(&none, 5);
    EXPECT_INT_EQ(5, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 1 4 9 16 .", data);
}

STK_TEST(indexed_of_nothing_and_repeated)
{
    stk_dataset *data = indexed(&none, 0);
    EXPECT_GIVES(".", data);
    data = indexed(&none, 3);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("0 1 4 0 1 4 .", data);
}

STK_TEST(indexed_errors_have_their_place)
{
    int64_t bad = 2;
    EXPECT_GIVES("0 1 !damaged_data 9 .", indexed(&bad, 4));
}

STK_TEST(indexed_source_that_gives_nothing_is_an_error)
{
    int64_t       bad = -1;
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = indexed(&bad, 3);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("gave no element", err.message);
    EXPECT_STR_EQ("squares: element 1 of epoch 0", err.where);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(indexed_by_number_and_past_the_end) /* 74 */
{
    int64_t      bad = 1;
    stk_error    err;
    stk_element *element;
    stk_dataset *data = indexed(&bad, 4);
    EXPECT_OK(stk_dataset_at(data, 3, &element, &err));
    EXPECT_INT_EQ(9, stk_test_number(element));
    EXPECT_INT_EQ(3, stk_element_origin(element)->index);
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_DATALOSS, stk_dataset_at(data, 1, &element, &err));
    assert_null(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 4, &element, &err));
    EXPECT_CONTAINS("there are 4", err.message);
    stk_dataset_unref(data);
}

STK_TEST(indexed_goes_through_map_and_batch_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = indexed(&none, 5);
    PUT(data, map, stk_test_add(100), NULL);
    PUT(data, batch, 2, NULL);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(1, stk_element_value(element, 0)->shape.dim[0]);
    EXPECT_INT_EQ(116, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(indexed_refuses_what_makes_no_sense)
{
    stk_error        err;
    stk_dataset     *data;
    stk_indexed_info info = info_of(&none, 1);
    info.read = NULL;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_indexed(&data, &info, &err));
    EXPECT_CONTAINS("no read", err.message);
    info = info_of(&none, UINT64_MAX);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_indexed(&data, &info, &err));
    EXPECT_CONTAINS("18446744073709551615", err.message);
    info = info_of(&none, 1);
    info.name = "";
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_indexed(&data, &info, &err));
    EXPECT_CONTAINS("no name", err.message);
}

STK_TEST(indexed_fingerprints_differ_by_number_and_version)
{
    stk_error        err;
    stk_dataset     *a = indexed(&none, 3), *b = indexed(&none, 4), *c;
    stk_indexed_info info = info_of(&none, 3);
    info.version = 1;
    EXPECT_OK(stk_dataset_indexed(&c, &info, &err));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(c));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    stk_dataset           *data;
    const stk_indexed_info info = info_of(context, 3);
    STK_TRY(stk_dataset_indexed(&data, &info, err));
    return stk_test_drain(data, err);
}

STK_TEST(indexed_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(build_and_run, &none);
}
