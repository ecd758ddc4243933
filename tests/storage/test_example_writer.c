/* Writing Examples: known bytes, types, refusals, and back through the parser. */
#include "storage/example_records.h"

#include <stdio.h>
#include <stdlib.h>

static void expect_written(const stk_field *fields, size_t count, stk_bytes expected)
{
    stk_blob blob = {0};
    add_example(&blob, fields, count);
    EXPECT_INT_EQ(expected.size, blob.size);
    EXPECT_MEM_EQ(expected.data, blob.data, expected.size);
    stk_blob_release(&blob);
}

STK_TEST(written_bytes_are_the_known_ones)
{
    const int64_t   ints[] = {1, 2, 300}, minus_one = -1;
    const int32_t   small[] = {1, 2, 300};
    const float     one = 1;
    const stk_bytes x = BYTES_OF("x");
    const stk_field a = field_of("a", STK_DTYPE_I64, ints, 3);
    const stk_field b = field_of("a", STK_DTYPE_I32, small, 3);
    const stk_field f = field_of("f", STK_DTYPE_F32, &one, 1);
    const stk_field s = field_of("s", STK_DTYPE_BYTES, &x, 1);
    const stk_field u = field_of("s", STK_DTYPE_U8, "x", 1);
    const stk_field m = field_of("a", STK_DTYPE_I64, &minus_one, 1);
    const stk_field e = field_of("a", STK_DTYPE_I64, NULL, 0);
    const stk_bytes three =
        BYTES_OF("\x0a\x0f\x0a\x0d\x0a\x01\x61\x12\x08\x1a\x06\x0a\x04\x01\x02\xac\x02");
    const stk_bytes string = BYTES_OF("\x0a\x0c\x0a\x0a\x0a\x01\x73\x12\x05\x0a\x03\x0a\x01\x78");
    expect_written(&a, 1, three);
    expect_written(&b, 1, three);
    expect_written(
        &f, 1, BYTES_OF("\x0a\x0f\x0a\x0d\x0a\x01\x66\x12\x08\x12\x06\x0a\x04\x00\x00\x80\x3f"));
    expect_written(&s, 1, string);
    expect_written(&u, 1, string);
    expect_written(&m, 1,
                   BYTES_OF("\x0a\x15\x0a\x13\x0a\x01\x61\x12\x0e\x1a\x0c\x0a\x0a\xff\xff\xff\xff"
                            "\xff\xff\xff\xff\xff\x01"));
    expect_written(&e, 1, BYTES_OF("\x0a\x09\x0a\x07\x0a\x01\x61\x12\x02\x1a\x00"));
    expect_written(NULL, 0, BYTES_OF("\x0a\x00"));
}

STK_TEST(written_bytes_are_those_of_tensorflow)
{
    const stk_bytes strings[] = {BYTES_OF("x"), BYTES_OF("")};
    const float     floats[] = {1.0f, -2.5f};
    const int64_t   ints[] = {1, 2, 300, -1};
    uint8_t         pixels[200];
    for (int i = 0; i < 200; i++)
        pixels[i] = (uint8_t)i;
    const stk_field fields[] = {
        field_of("bytes", STK_DTYPE_BYTES, strings, 2), field_of("float", STK_DTYPE_F32, floats, 2),
        field_of("int", STK_DTYPE_I64, ints, 4), field_of("pixels", STK_DTYPE_U8, pixels, 200)};
    expect_written(fields, 4, stk_test_read_file(STK_TEST_DATA "/example/written.pb"));
}

STK_TEST(written_values_of_every_size_come_back)
{
    int64_t          values[129];
    stk_blob         blob = {0};
    stk_error        err;
    stk_feature_spec spec = dense("k", STK_DTYPE_I64);
    for (int i = 0; i < 64; i++) {
        values[2 * i] = (int64_t)(UINT64_C(1) << i);
        values[2 * i + 1] = (int64_t)((UINT64_C(1) << i) - 1);
    }
    values[128] = -1;
    for (size_t count = 1; count <= 129; count += count < 20 ? 1 : 109) {
        stk_example_parser *parser;
        stk_example_batch  *batch;
        stk_feature_values  read;
        const stk_field     field = field_of("k", STK_DTYPE_I64, values + 129 - count, count);
        spec.shape = stk_shape_1d((int64_t)count);
        blob.size = 0;
        add_example(&blob, &field, 1);
        const stk_bytes record = stk_blob_bytes(&blob);
        EXPECT_OK(stk_example_parser_new(&parser, &spec, 1, &err));
        EXPECT_OK(stk_example_batch_new(&batch, parser, NULL, &err));
        EXPECT_OK(stk_example_parse(batch, &record, 1, NULL, &err));
        stk_example_batch_values(batch, 0, &read);
        EXPECT_MEM_EQ(field.data, read.data, count * sizeof values[0]);
        stk_example_batch_free(batch);
        stk_example_parser_free(parser);
    }
    stk_blob_release(&blob);
}

STK_TEST(writer_refuses_what_an_example_cannot_hold_and_leaves_the_blob)
{
    stk_error        err;
    stk_blob         blob = {0};
    const double     real = 1;
    const stk_field  wide = field_of("x", STK_DTYPE_F64, &real, 1);
    const stk_field  twice[] = {field_of("x", STK_DTYPE_U8, &real, 1),
                                field_of("x", STK_DTYPE_U8, &real, 2)};
    const stk_field  nameless = field_of(NULL, STK_DTYPE_U8, &real, 1);
    const stk_bytes  strings[] = {stk_bytes_of("x", SIZE_MAX - 1), stk_bytes_of("y", 1000)};
    const stk_field  huge = field_of("x", STK_DTYPE_BYTES, strings, 2);
    const stk_sample samples[] = {{.fields = &wide, .field_count = 1},
                                  {.fields = twice, .field_count = 2},
                                  {.fields = &nameless, .field_count = 1},
                                  {.fields = &huge, .field_count = 1}};
    EXPECT_OK(stk_blob_append(&blob, "before", 6, &err));
    EXPECT_STATUS(STK_E_TYPE, stk_example_write(&blob, &samples[0], &err));
    EXPECT_STR_EQ("x", err.where);
    EXPECT_CONTAINS("cannot hold float64", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_example_write(&blob, &samples[1], &err));
    EXPECT_CONTAINS("fields 0 and 1 have the same name", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_example_write(&blob, &samples[2], &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_example_write(&blob, &samples[3], &err));
    EXPECT_CONTAINS("2147483647", err.message);
    EXPECT_INT_EQ(6, blob.size);
    EXPECT_MEM_EQ("before", blob.data, 6);
    stk_blob_release(&blob);
}

/* Names "0", "1", ... for count fields of one number each; the caller's to free. */
static stk_field *number_fields(size_t count, char (*names)[8])
{
    static const int64_t value = 1;
    stk_field           *fields = calloc(count, sizeof *fields);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        fields[i] = field_of(names[i], STK_DTYPE_I64, &value, 1);
    }
    return fields;
}

STK_TEST(a_name_that_is_there_twice_is_found_among_few_and_many)
{
    static const size_t counts[] = {2, 32, 33, 64, 65, 20000};
    static char         names[20000][8];
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        stk_error        err;
        stk_blob         blob = {0};
        char             expected[64];
        stk_field       *fields = number_fields(counts[i], names);
        const stk_sample sample = {.fields = fields, .field_count = counts[i]};
        EXPECT_OK(stk_example_write(&blob, &sample, &err));
        fields[counts[i] - 1].name = "0";
        EXPECT_STATUS(STK_E_INVALID, stk_example_write(&blob, &sample, &err));
        snprintf(expected, sizeof expected, "fields 0 and %zu have the same name", counts[i] - 1);
        EXPECT_CONTAINS(expected, err.message);
        stk_blob_release(&blob);
        free(fields);
    }
}

static stk_status write_many(void *context, stk_error *err)
{
    const stk_sample *sample = context;
    stk_blob          blob = {0};
    const stk_status  st = stk_example_write(&blob, sample, err);
    stk_blob_release(&blob);
    return st;
}

STK_TEST(writing_many_fields_survives_every_failed_allocation)
{
    static char names[40][8];
    stk_field  *fields = number_fields(40, names);
    stk_sample  sample = {.fields = fields, .field_count = 40};
    stk_test_fail_each_allocation(write_many, &sample);
    free(fields);
}

static stk_status write_one(void *context, stk_error *err)
{
    static const int64_t values[100];
    const stk_field      field = field_of("k", STK_DTYPE_I64, values, 100);
    const stk_sample     sample = {.fields = &field, .field_count = 1};
    stk_blob             blob = {0};
    (void)context;
    const stk_status st = stk_example_write(&blob, &sample, err);
    stk_blob_release(&blob);
    return st;
}

STK_TEST(writer_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(write_one, NULL);
}
