/* Types have sizes and names; shapes count their elements or say why not. */
#include "harness.h"

#include <string.h>

STK_TEST(every_type_has_a_size_and_a_name_that_leads_back)
{
    for (int i = STK_DTYPE_NONE + 1; i < STK_DTYPE_COUNT; i++) {
        EXPECT(stk_dtype_bytes((stk_dtype)i) > 0);
        EXPECT_INT_EQ(i, stk_dtype_from_name(stk_dtype_name((stk_dtype)i)));
    }
    EXPECT_INT_EQ(2, stk_dtype_bytes(STK_DTYPE_BF16));
    EXPECT_INT_EQ(8, stk_dtype_bytes(STK_DTYPE_F64));
    EXPECT_INT_EQ(sizeof(stk_bytes), stk_dtype_bytes(STK_DTYPE_BYTES));
    EXPECT_STR_EQ("uint8", stk_dtype_name(STK_DTYPE_U8));
    EXPECT_STR_EQ("float32", stk_dtype_name(STK_DTYPE_F32));
}

STK_TEST(no_type_has_no_size_and_unknown_names_are_no_type)
{
    EXPECT_INT_EQ(0, stk_dtype_bytes(STK_DTYPE_NONE));
    EXPECT_INT_EQ(0, stk_dtype_bytes((stk_dtype)99));
    EXPECT_STR_EQ("unknown", stk_dtype_name((stk_dtype)-1));
    EXPECT_INT_EQ(STK_DTYPE_NONE, stk_dtype_from_name("float31"));
    EXPECT_INT_EQ(STK_DTYPE_NONE, stk_dtype_from_name(""));
    EXPECT_INT_EQ(STK_DTYPE_NONE, stk_dtype_from_name(NULL));
}

static int64_t count_of(stk_shape shape)
{
    stk_error err;
    int64_t   count;
    EXPECT_OK(stk_shape_count(&shape, &count, &err));
    return count;
}

STK_TEST(shape_counts_its_elements)
{
    EXPECT_INT_EQ(1, count_of(stk_shape_scalar()));
    EXPECT_INT_EQ(5, count_of(stk_shape_1d(5)));
    EXPECT_INT_EQ(3 * 224 * 224, count_of(stk_shape_3d(3, 224, 224)));
    EXPECT_INT_EQ(0, count_of(stk_shape_4d(2, 0, 3, 4)));
    EXPECT_INT_EQ(INT64_MAX, count_of(stk_shape_2d(1, INT64_MAX)));
    EXPECT_INT_EQ(0, count_of(stk_shape_3d(INT64_MAX, INT64_MAX, 0)));
    EXPECT_INT_EQ(256, count_of((stk_shape){8, {2, 2, 2, 2, 2, 2, 2, 2}}));
}

static void expect_refused(stk_shape shape, const char *message)
{
    stk_error err;
    int64_t   count;
    EXPECT_STATUS(STK_E_SHAPE, stk_shape_count(&shape, &count, &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT_INT_EQ(0, count);
}

STK_TEST(shape_refuses_what_cannot_be_counted)
{
    expect_refused(stk_shape_2d(3, -1), "dimension 1 is -1");
    expect_refused(stk_shape_2d(0, -1), "dimension 1 is -1");
    expect_refused((stk_shape){9, {1}}, "9 dimensions; 0 to 8");
    expect_refused((stk_shape){-1, {1}}, "-1 dimensions");
    expect_refused(stk_shape_2d(INT64_MAX, 2), "more elements");
    expect_refused(stk_shape_3d(1ll << 31, 1ll << 31, 2), "more elements");
    stk_error err;
    int64_t   count;
    stk_shape shape = stk_shape_2d(1ll << 62, 2);
    EXPECT_STATUS(STK_E_SHAPE, stk_shape_count(&shape, &count, &err));
    EXPECT_STR_EQ("[4611686018427387904,2]", err.where);
}

STK_TEST(shapes_are_equal_when_rank_and_used_dimensions_are)
{
    stk_shape a = stk_shape_2d(3, 4), b = stk_shape_2d(3, 4), c = stk_shape_3d(3, 4, 1);
    b.dim[5] = 77;
    EXPECT(stk_shape_equal(&a, &b));
    EXPECT(!stk_shape_equal(&a, &c));
    b.dim[1] = 5;
    EXPECT(!stk_shape_equal(&a, &b));
}

STK_TEST(shape_text_is_terminated_in_any_room)
{
    char      text[300];
    stk_shape image = stk_shape_3d(3, 224, 224), scalar = stk_shape_scalar();
    EXPECT_STR_EQ("[3,224,224]", stk_shape_text(&image, text, sizeof text));
    EXPECT_STR_EQ("[]", stk_shape_text(&scalar, text, sizeof text));
    EXPECT_STR_EQ("[3,2", stk_shape_text(&image, text, 5));
    EXPECT_STR_EQ("", stk_shape_text(&image, text, 1));
    EXPECT(stk_shape_text(&image, text, 0) == text);
    stk_shape widest = {8, {0}}, wild = {1000, {0}};
    for (int i = 0; i < 8; i++)
        widest.dim[i] = INT64_MIN;
    EXPECT_INT_EQ(8 * 21 + 1, strlen(stk_shape_text(&widest, text, sizeof text)));
    EXPECT_STR_EQ("[0,0,0,0,0,0,0,0]", stk_shape_text(&wild, text, sizeof text));
}
