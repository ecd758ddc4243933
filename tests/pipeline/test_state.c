#include "pipeline/element/ragged.h"
#include "pipeline/runtime/state_bytes.h"
#include "pipeline_support.h"

static stk_element *rich_element(void)
{
    stk_error    err;
    stk_element *element, *inner;
    void        *data;
    EXPECT_OK(stk_element_new(&element, 7, &err));
    stk_value_i64(stk_element_edit(element, 0), INT64_MIN);
    const stk_shape shape = stk_shape_2d(3, 5);
    EXPECT_OK(
        stk_value_dense(stk_element_edit(element, 1), NULL, STK_DTYPE_F32, &shape, &data, &err));
    for (int i = 0; i < 15; i++)
        ((float *)data)[i] = (float)i / 3;
    const stk_bytes words[] = {stk_bytes_text("a"), stk_bytes_text(""), stk_bytes_text("longer")};
    const stk_shape three = stk_shape_1d(3);
    EXPECT_OK(stk_value_strings(stk_element_edit(element, 2), NULL, &three, words, &err));
    const int64_t splits[] = {0, 1, 1, 3};
    EXPECT_OK(stk_value_ragged(stk_element_edit(element, 3), NULL, stk_element_value(element, 2),
                               splits, 4, 3, 1, &err));
    const int64_t   splits_or_indices[] = {0, 1, 2, 0, 1, 4};
    const stk_shape dense = stk_shape_2d(3, 5);
    EXPECT_OK(stk_value_sparse(stk_element_edit(element, 4), NULL, stk_element_value(element, 2),
                               &dense, splits_or_indices, 3, &err));
    EXPECT_OK(stk_element_new(&inner, 1, &err));
    EXPECT_OK(stk_value_bytes(stk_element_edit(inner, 0), NULL, stk_bytes_text("inner"), &err));
    stk_dataset *dataset;
    EXPECT_OK(stk_dataset_elements(&dataset, &inner, 1, &err));
    stk_value_dataset(stk_element_edit(element, 5), dataset);
    stk_dataset_unref(dataset);
    stk_element_unref(inner);
    const int64_t nested[] = {0, 1, 2, 0, 2, 3};
    EXPECT_OK(stk_value_ragged(stk_element_edit(element, 6), NULL, stk_element_value(element, 2),
                               nested, 6, 2, 2, &err));
    stk_origin from = {.record = 7, .offset = 99, .epoch = 2, .index = 5};
    EXPECT_OK(stk_buffer_new(&from.file, NULL, STK_MEMORY_INDEX, 4, &err));
    memcpy(stk_buffer_data(from.file), "file", 4);
    stk_element_set_origin(element, &from);
    stk_buffer_unref(from.file);
    return element;
}

STK_TEST(an_element_comes_back_as_it_was)
{
    stk_error     err;
    stk_blob      blob;
    stk_element  *element = rich_element(), *back;
    stk_state_out out = {.blob = &blob};
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_state_put_element(&out, element, &err));
    stk_state_in in = {.left = stk_blob_bytes(&blob), .component = "test"};
    EXPECT_OK(stk_state_get_element(&in, &back, &err));
    EXPECT_INT_EQ(0, in.left.size);
    for (size_t i = 0; i < 5; i++)
        EXPECT(stk_value_equal(stk_element_value(element, i), stk_element_value(back, i)));
    EXPECT_STR_EQ("'inner' .", stk_test_run(stk_element_value(back, 5)->small.dataset, NULL, 0));
    char a[256], b[256];
    EXPECT_STR_EQ(stk_element_where(element, a, sizeof a), stk_element_where(back, b, sizeof b));
    EXPECT_STR_EQ("file: record 7 at byte 99", b);
    stk_element_unref(back);
    stk_element_unref(element);
    stk_blob_release(&blob);
}

STK_TEST(cut_and_changed_bytes_are_errors_and_nothing_else)
{
    stk_error     err;
    stk_blob      blob;
    stk_element  *element = rich_element(), *back;
    stk_state_out out = {.blob = &blob};
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_state_put_element(&out, element, &err));
    for (size_t cut = 0; cut < blob.size; cut++) {
        stk_state_in in = {.left = stk_bytes_of(blob.data, cut), .component = "test"};
        EXPECT_STATUS(STK_E_DATALOSS, stk_state_get_element(&in, &back, &err));
        for (int bit = 0; bit < 8; bit++) {
            blob.data[cut] ^= (uint8_t)(1 << bit);
            stk_state_in changed = {.left = stk_blob_bytes(&blob), .component = "test"};
            if (stk_state_get_element(&changed, &back, &err) == STK_OK) stk_element_unref(back);
            blob.data[cut] ^= (uint8_t)(1 << bit);
        }
    }
    stk_element_unref(element);
    stk_blob_release(&blob);
}

STK_TEST(numbers_of_all_sizes_come_back)
{
    static const int64_t numbers[] = {0, 1, -1, 127, 128, -128, INT64_MAX, INT64_MIN};
    stk_error            err;
    stk_blob             blob;
    stk_state_out        out = {.blob = &blob};
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        EXPECT_OK(stk_state_put_i64(&out, numbers[i], &err));
    stk_state_in in = {.left = stk_blob_bytes(&blob), .component = "test"};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        int64_t number;
        EXPECT_OK(stk_state_get_i64(&in, &number, &err));
        EXPECT_INT_EQ(numbers[i], number);
    }
    const uint8_t endless[11] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    stk_state_in  long_one = {.left = stk_bytes_of(endless, 11), .component = "test"};
    uint64_t      number;
    EXPECT_STATUS(STK_E_DATALOSS, stk_state_get_u64(&long_one, &number, &err));
    stk_blob_release(&blob);
}
