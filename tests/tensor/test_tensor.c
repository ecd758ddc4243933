/* Tensors share storage, count it, and refuse shapes that do not fit. */
#include "harness.h"

#include <string.h>

static uint64_t held(stk_ledger *ledger)
{
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    return report.bytes;
}

STK_TEST(tensor_has_storage_for_its_shape_and_gives_it_back)
{
    stk_error   err;
    stk_ledger *ledger;
    stk_tensor  tensor;
    stk_shape   shape = stk_shape_4d(2, 3, 4, 5);
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    EXPECT_OK(stk_tensor_init(&tensor, ledger, STK_MEMORY_BATCH, STK_DTYPE_F32, &shape, &err));
    EXPECT_INT_EQ(480, stk_tensor_bytes(&tensor));
    EXPECT_INT_EQ(0, (uintptr_t)stk_tensor_data(&tensor) % STK_BUFFER_ALIGNMENT);
    memset(stk_tensor_data(&tensor), 1, 480);
    EXPECT(held(ledger) >= 480);
    stk_tensor second = stk_tensor_ref(&tensor);
    stk_tensor_release(&tensor);
    EXPECT(!tensor.storage && !stk_tensor_data(&tensor) && !stk_tensor_bytes(&tensor));
    EXPECT(held(ledger) >= 480);
    EXPECT_INT_EQ(1, ((uint8_t *)stk_tensor_data(&second))[479]);
    stk_tensor_release(&second);
    EXPECT_INT_EQ(0, held(ledger));
    stk_tensor_release(&second); /* again is fine */
    stk_ledger_unref(ledger);
}

STK_TEST(rows_are_views_that_keep_the_storage_alive)
{
    stk_error  err;
    stk_tensor batch, image, line, pixel;
    stk_shape  shape = stk_shape_4d(2, 3, 4, 3);
    EXPECT_OK(stk_tensor_init(&batch, NULL, STK_MEMORY_BATCH, STK_DTYPE_I32, &shape, &err));
    batch.layout = STK_LAYOUT_NHWC;
    for (int i = 0; i < 72; i++)
        ((int32_t *)stk_tensor_data(&batch))[i] = i;
    EXPECT_OK(stk_tensor_row(&batch, 1, &image, &err));
    stk_tensor_release(&batch);
    EXPECT_INT_EQ(3, image.shape.rank);
    EXPECT_INT_EQ(STK_LAYOUT_NHWC, image.layout);
    EXPECT_INT_EQ(36 * 4, stk_tensor_bytes(&image));
    EXPECT_INT_EQ(36, *(int32_t *)stk_tensor_data(&image));
    EXPECT_OK(stk_tensor_row(&image, 2, &line, &err));
    EXPECT_INT_EQ(STK_LAYOUT_NONE, line.layout);
    EXPECT_INT_EQ(36 + 24, *(int32_t *)stk_tensor_data(&line));
    EXPECT_OK(stk_tensor_row(&line, 3, &pixel, &err));
    stk_tensor_release(&image);
    stk_tensor_release(&line);
    EXPECT_INT_EQ(36 + 24 + 9, *(int32_t *)stk_tensor_data(&pixel));
    EXPECT_OK(stk_tensor_row(&pixel, 2, &image, &err)); /* down to a scalar */
    EXPECT_INT_EQ(0, image.shape.rank);
    EXPECT_INT_EQ(4, stk_tensor_bytes(&image));
    EXPECT_INT_EQ(71, *(int32_t *)stk_tensor_data(&image));
    stk_tensor_release(&pixel);
    stk_tensor_release(&image);
}

STK_TEST(row_refuses_what_is_not_there)
{
    stk_error  err;
    stk_tensor tensor, none = {0}, out;
    stk_shape  shape = stk_shape_2d(3, 2), scalar = stk_shape_scalar(), empty = stk_shape_2d(0, 2);
    EXPECT_OK(stk_tensor_init(&tensor, NULL, STK_MEMORY_BATCH, STK_DTYPE_U8, &shape, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_tensor_row(&tensor, 3, &out, &err));
    EXPECT_CONTAINS("row 3 of 3", err.message);
    EXPECT_STR_EQ("[3,2]", err.where);
    EXPECT(!out.storage);
    EXPECT_STATUS(STK_E_RANGE, stk_tensor_row(&tensor, -1, &out, &err));
    stk_tensor_release(&tensor);
    EXPECT_STATUS(STK_E_INVALID, stk_tensor_row(&none, 0, &out, &err));
    EXPECT_OK(stk_tensor_init(&tensor, NULL, STK_MEMORY_BATCH, STK_DTYPE_U8, &scalar, &err));
    EXPECT_STATUS(STK_E_SHAPE, stk_tensor_row(&tensor, 0, &out, &err));
    EXPECT_CONTAINS("scalar", err.message);
    stk_tensor_release(&tensor);
    EXPECT_OK(stk_tensor_init(&tensor, NULL, STK_MEMORY_BATCH, STK_DTYPE_U8, &empty, &err));
    EXPECT_INT_EQ(0, stk_tensor_bytes(&tensor));
    EXPECT_STATUS(STK_E_RANGE, stk_tensor_row(&tensor, 0, &out, &err));
    stk_tensor_release(&tensor);
}

static void expect_refused(stk_status status, stk_dtype dtype, stk_shape shape, const char *message)
{
    stk_error  err;
    stk_tensor tensor = {.offset = 7};
    EXPECT_STATUS(status, stk_tensor_init(&tensor, NULL, STK_MEMORY_BATCH, dtype, &shape, &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT(!tensor.storage && !tensor.offset);
}

STK_TEST(tensor_refuses_types_without_size_and_shapes_that_do_not_fit)
{
    expect_refused(STK_E_TYPE, STK_DTYPE_NONE, stk_shape_1d(1), "(none) has no size");
    expect_refused(STK_E_TYPE, (stk_dtype)77, stk_shape_1d(1), "77 (unknown)");
    expect_refused(STK_E_SHAPE, STK_DTYPE_U8, stk_shape_1d(-5), "is -5");
    expect_refused(STK_E_SHAPE, STK_DTYPE_F64, stk_shape_1d(INT64_MAX), "8 bytes do not fit");
    expect_refused(STK_E_SHAPE, STK_DTYPE_U8, stk_shape_2d(INT64_MAX, 3), "more elements");
    stk_error   err;
    stk_ledger *ledger;
    stk_tensor  tensor;
    stk_shape   shape = stk_shape_1d(1000);
    EXPECT_OK(stk_ledger_new(&ledger, 500, &err));
    EXPECT_STATUS(STK_E_CEILING,
                  stk_tensor_init(&tensor, ledger, STK_MEMORY_BATCH, STK_DTYPE_U8, &shape, &err));
    stk_ledger_unref(ledger);
}

STK_TEST(tensor_of_byte_strings_begins_with_no_values)
{
    stk_error  err;
    stk_tensor tensor;
    stk_shape  shape = stk_shape_1d(5);
    EXPECT_OK(stk_tensor_init(&tensor, NULL, STK_MEMORY_BATCH, STK_DTYPE_BYTES, &shape, &err));
    const stk_bytes *values = stk_tensor_data(&tensor);
    for (int i = 0; i < 5; i++)
        EXPECT(!values[i].data && !values[i].size);
    stk_tensor_release(&tensor);
}

static stk_status make_tensor(void *context, stk_error *err)
{
    stk_tensor tensor;
    STK_TRY(stk_tensor_init(&tensor, NULL, STK_MEMORY_BATCH, STK_DTYPE_U8, context, err));
    stk_tensor_release(&tensor);
    return STK_OK;
}

STK_TEST(tensor_survives_every_failing_allocation)
{
    stk_shape shape = stk_shape_2d(10, 10);
    stk_test_fail_each_allocation(make_tensor, &shape);
}

STK_TEST(sample_finds_its_fields_by_name)
{
    const stk_field  fields[] = {{.name = "image"}, {.name = "label"}};
    const stk_sample sample = {.fields = fields, .field_count = 2}, none = {0};
    EXPECT(stk_sample_field(&sample, "label") == &fields[1]);
    EXPECT(!stk_sample_field(&sample, "lab"));
    EXPECT(!stk_sample_field(&none, "label"));
}
