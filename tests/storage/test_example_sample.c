/* Examples as samples: one field per key, and what cannot be one. */
#include "example_records.h"
#include "storage/source/example_sample.h"

static stk_status read_sample(stk_example_sample *capacity, stk_bytes record, stk_sample *sample,
                              stk_error *err)
{
    stk_example_sample_init(capacity, NULL);
    *sample = (stk_sample){0};
    return stk_example_sample_read(capacity, record, NULL, 0, "f: record 3", sample, err);
}

STK_TEST(sample_has_a_field_for_each_key_and_the_last_entry_wins)
{
    /* k = [1], then u without a kind, then k = [2, 3] */
    static const char  record[] = "\x0a\x22"
                                  "\x0a\x0c\x0a\x01k\x12\x07\x1a\x05\x0a\x03\x81\x80\x00"
                                  "\x0a\x05\x0a\x01u\x12\x00"
                                  "\x0a\x0b\x0a\x01k\x12\x06\x1a\x04\x0a\x02\x02\x03";
    stk_error          err;
    stk_sample         sample;
    stk_example_sample capacity;
    EXPECT_OK(read_sample(&capacity, stk_bytes_of(record, sizeof record - 1), &sample, &err));
    EXPECT_INT_EQ(1, sample.field_count);
    EXPECT_STR_EQ("k", sample.fields[0].name);
    EXPECT_INT_EQ(2, sample.fields[0].count);
    EXPECT_INT_EQ(3, ((const int64_t *)sample.fields[0].data)[1]);
    stk_example_sample_release(&capacity);
}

STK_TEST(key_with_a_zero_byte_is_refused_and_shown)
{
    static const char  record[] = "\x0a\x0e\x0a\x0c\x0a\x03"
                                  "a\0b\x12\x05\x1a\x03\x0a\x01\x05";
    stk_error          err;
    stk_sample         sample;
    stk_example_sample capacity;
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  read_sample(&capacity, stk_bytes_of(record, sizeof record - 1), &sample, &err));
    EXPECT_STR_EQ("f: record 3", err.where);
    EXPECT_CONTAINS("feature 'a\\x00b': a name with a zero byte", err.message);
    stk_example_sample_release(&capacity);
}
