/* CRC-32C: published values, and every implementation against the definition. */
#include "base/crc32c.h"
#include "harness.h"

#include <string.h>

enum { LONGEST = 4096, OFFSETS = 16 };

/* One bit at a time, as the polynomial says. */
static uint32_t by_definition(uint32_t crc, const uint8_t *data, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

static void fill(uint8_t *data, size_t size)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (uint8_t)(state >> 24);
    }
}

static void expect_published_values(stk_crc32c_fn crc)
{
    uint8_t bytes[32] = {0};
    EXPECT_INT_EQ(0, crc(0, "", 0));
    EXPECT_INT_EQ(0, crc(0, NULL, 0));
    EXPECT_INT_EQ(0xE3069283, crc(0, "123456789", 9));
    EXPECT_INT_EQ(0x8A9136AA, crc(0, bytes, 32));
    memset(bytes, 0xFF, sizeof bytes);
    EXPECT_INT_EQ(0x62A8AB43, crc(0, bytes, 32));
}

STK_TEST(crc32c_gives_the_published_values)
{
    expect_published_values(stk_crc32c);
    expect_published_values(stk_crc32c_table());
    if (stk_crc32c_sse42()) expect_published_values(stk_crc32c_sse42());
}

STK_TEST(crc32c_mask_is_tfrecords_and_can_be_undone)
{
    EXPECT_INT_EQ(0xC78AB0E5, stk_crc32c_mask(0xE3069283));
    EXPECT_INT_EQ(0xA282EAD8, stk_crc32c_mask(0));
    const uint8_t length[8] = {3};
    EXPECT_INT_EQ(0x0E4999B0, stk_crc32c_mask(stk_crc32c(0, length, 8)));
    EXPECT_INT_EQ(0x21F1576E, stk_crc32c_mask(stk_crc32c(0, "abc", 3)));
    for (uint32_t i = 0; i < 1000; i++)
        EXPECT_INT_EQ(i * 0x9E3779B9u, stk_crc32c_unmask(stk_crc32c_mask(i * 0x9E3779B9u)));
}

static void expect_like_the_definition(stk_crc32c_fn crc)
{
    static uint8_t data[LONGEST + OFFSETS];
    fill(data, sizeof data);
    for (size_t offset = 0; offset < OFFSETS; offset++) {
        uint32_t expected = 0;
        for (size_t size = 0; size <= LONGEST; size++) {
            if (crc(0, data + offset, size) != expected)
                fail_msg("wrong at offset %zu, size %zu", offset, size);
            if (size < LONGEST) expected = by_definition(expected, data + offset + size, 1);
        }
    }
}

STK_TEST(crc32c_agrees_with_its_definition_at_every_size_and_offset)
{
    expect_like_the_definition(stk_crc32c_table());
    if (stk_crc32c_sse42()) expect_like_the_definition(stk_crc32c_sse42());
}

static void expect_continuing_is_the_same(stk_crc32c_fn crc)
{
    static uint8_t data[20000];
    fill(data, sizeof data);
    const uint32_t whole = by_definition(0, data, sizeof data);
    EXPECT_INT_EQ(whole, crc(0, data, sizeof data));
    for (size_t split = 0; split <= sizeof data; split += split < 2000 ? 1 : 97)
        EXPECT_INT_EQ(whole, crc(crc(0, data, split), data + split, sizeof data - split));
}

STK_TEST(crc32c_may_be_continued_at_any_byte)
{
    expect_continuing_is_the_same(stk_crc32c_table());
    if (stk_crc32c_sse42()) expect_continuing_is_the_same(stk_crc32c_sse42());
}
