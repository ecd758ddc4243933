/* Looking inside Examples without a spec. */
#include "storage/example_records.h"

#include <stdio.h>

/* What the visitor saw, as text. */
typedef struct seen {
    char   text[512];
    size_t calls;
    int    fail_at; /* 0: never */
} seen;

static stk_status note(void *context, const stk_feature_view *feature, stk_error *err)
{
    seen        *s = context;
    const size_t used = strlen(s->text);
    int64_t      ints[8];
    float        floats[8];
    stk_bytes    strings[8];
    size_t       count = 0;
    if (++s->calls == (size_t)s->fail_at)
        return stk_fail(err, STK_E_CANCELLED, "test", NULL, "enough");
    if (feature->dtype == STK_DTYPE_I64)
        STK_TRY(stk_feature_decode_ints(feature, ints, 8, &count, err));
    if (feature->dtype == STK_DTYPE_F32)
        STK_TRY(stk_feature_decode_floats(feature, floats, 8, &count, err));
    if (feature->dtype == STK_DTYPE_BYTES)
        STK_TRY(stk_feature_decode_bytes(feature, strings, 8, &count, err));
    EXPECT_INT_EQ(feature->count, count);
    snprintf(s->text + used, sizeof s->text - used, "%.*s:%s:%zu ", (int)feature->name.size,
             (const char *)feature->name.data, stk_dtype_name(feature->dtype), count);
    return STK_OK;
}

STK_TEST(visit_shows_every_entry_in_order_with_its_values)
{
    stk_error       err;
    seen            s = {0};
    stk_blob        blob = {0};
    const int64_t   ints[] = {1, -1};
    const float     real = 2.5f;
    const stk_bytes strings[] = {BYTES_OF("ab"), BYTES_OF(""), BYTES_OF("c")};
    const stk_field fields[] = {field_of("i", STK_DTYPE_I64, ints, 2),
                                field_of("f", STK_DTYPE_F32, &real, 1),
                                field_of("s", STK_DTYPE_BYTES, strings, 3)};
    add_example(&blob, fields, 3);
    EXPECT_OK(stk_blob_append(&blob, "\x0a\x07\x0a\x05\x0a\x01u\x12\x00", 9, &err));
    EXPECT_OK(stk_blob_append(&blob, FIVE FIVE, 28, &err));
    EXPECT_OK(stk_example_visit(stk_blob_bytes(&blob), "here", note, &s, &err));
    EXPECT_STR_EQ("i:int64:2 f:float32:1 s:bytes:3 u:none:0 k:int64:1 k:int64:1 ", s.text);
    stk_blob_release(&blob);
}

STK_TEST(visit_stops_with_the_error_of_its_callback)
{
    stk_error err;
    seen      s = {.fail_at = 1};
    EXPECT_STATUS(STK_E_CANCELLED, stk_example_visit(BYTES_OF(FIVE FIVE), NULL, note, &s, &err));
    EXPECT_INT_EQ(1, s.calls);
}

STK_TEST(visit_refuses_damage_in_any_feature_and_names_it)
{
    stk_error err;
    seen      s = {0};
    EXPECT_STATUS(
        STK_E_INVALID,
        stk_example_visit(BYTES_OF("\x0a\x0c\x0a\x0a\x0a\x01k\x12\x05\x1a\x03\x0a\x02\x05"),
                          "a.tfrecord: record 7", note, &s, &err));
    EXPECT_STR_EQ("a.tfrecord: record 7: feature 'k'", err.where);
    EXPECT_CONTAINS("a length passes the end of its message (2 bytes claimed, 1 left) at byte 12",
                    err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_example_visit(BYTES_OF("\x0a\x05"), NULL, note, &s, &err));
    EXPECT_STR_EQ("", err.where);
}

static stk_status keep_view(void *context, const stk_feature_view *feature, stk_error *err)
{
    (void)err;
    *(stk_feature_view *)context = *feature;
    return STK_OK;
}

STK_TEST(decoders_stop_at_their_room_and_refuse_other_types)
{
    stk_error        err;
    stk_feature_view view;
    int64_t          values[3] = {-9, -9, -9};
    float            real;
    size_t           count;
    const stk_bytes  record = /* {k: [1, 2, 300] in two chunks} */
        BYTES_OF("\x0a\x12\x0a\x10\x0a\x01k\x12\x0b\x1a\x09\x0a\x02\x01\x02\x0a\x03\xac\x02\x04");
    EXPECT_OK(stk_example_visit(record, NULL, keep_view, &view, &err));
    EXPECT_INT_EQ(4, view.count);
    EXPECT_OK(stk_feature_decode_ints(&view, values, 3, &count, &err));
    EXPECT_INT_EQ(3, count);
    EXPECT_INT_EQ(300, values[2]);
    EXPECT_OK(stk_feature_decode_ints(&view, NULL, 0, &count, &err));
    EXPECT_INT_EQ(0, count);
    EXPECT_STATUS(STK_E_TYPE, stk_feature_decode_floats(&view, &real, 1, &count, &err));
    EXPECT_CONTAINS("type int64 but type float is expected", err.message);
    EXPECT_STR_EQ("feature 'k'", err.where);
}
