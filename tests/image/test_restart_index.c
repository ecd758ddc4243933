/* The index of restarts: what was written comes back, and bytes that are none are refused. */
#include "harness.h"
#include "image/jpeg/restart_index.h"

#include <stdlib.h>

enum { MOST = 300 };

typedef struct written {
    stk_blob bytes;
    uint32_t lengths[MOST];
    uint32_t count, end;
} written;

static void write_index(written *w, uint32_t interval, uint32_t first, uint32_t count)
{
    stk_error err;
    stk_blob_init(&w->bytes, NULL, STK_MEMORY_OUTPUT);
    w->count = count;
    w->end = first;
    for (uint32_t i = 0; i < count; i++) {
        w->lengths[i] = 3 + i * i * 5;
        w->end += w->lengths[i];
    }
    EXPECT_OK(stk_restart_index_write(&w->bytes, interval, first, w->lengths, count, &err));
}

static void expect_read_back(uint32_t interval, uint32_t first, uint32_t count)
{
    written           w;
    stk_restart_index index;
    uint32_t          places[MOST + 1], place = first;
    write_index(&w, interval, first, count);
    EXPECT(stk_restart_index_read(&index, stk_blob_bytes(&w.bytes)));
    EXPECT_INT_EQ(interval, index.interval);
    EXPECT_INT_EQ(first, index.first);
    EXPECT_INT_EQ(count, index.count);
    EXPECT(stk_restart_index_offsets(&index, w.end, places));
    for (uint32_t i = 0; i < count; place += w.lengths[i++])
        EXPECT_INT_EQ(place, places[i]);
    EXPECT_INT_EQ(place, places[count]);
    EXPECT(!stk_restart_index_offsets(&index, w.end - 1, places));
    stk_blob_release(&w.bytes);
}

STK_TEST(what_was_written_is_read_back)
{
    expect_read_back(1, 0, 1);
    expect_read_back(8, 623, 2);
    expect_read_back(127, 128, 127);
    expect_read_back(65535, 16384, MOST);
}

STK_TEST(places_past_four_gigabytes_are_refused)
{
    const uint32_t    lengths[] = {UINT32_MAX, UINT32_MAX};
    uint32_t          places[3];
    stk_error         err;
    stk_blob          bytes;
    stk_restart_index index;
    stk_blob_init(&bytes, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_restart_index_write(&bytes, 1, 600, lengths, 2, &err));
    EXPECT(stk_restart_index_read(&index, stk_blob_bytes(&bytes)));
    EXPECT(!stk_restart_index_offsets(&index, UINT32_MAX, places));
    stk_blob_release(&bytes);
}

static bool is_index(const uint8_t *bytes, size_t size)
{
    stk_restart_index index;
    uint32_t          places[MOST + 1];
    uint8_t          *copy = malloc(size ? size : 1); /* so that a read past the end shows */
    EXPECT(copy != NULL);
    if (size) memcpy(copy, bytes, size);
    bool is = stk_restart_index_read(&index, stk_bytes_of(copy, size));
    is = is && index.count <= MOST && stk_restart_index_offsets(&index, UINT32_MAX, places);
    for (uint32_t i = 0; is && i < index.count; i++)
        EXPECT(places[i] < places[i + 1]);
    free(copy);
    return is;
}

STK_TEST(every_cut_and_every_byte_too_many_is_seen)
{
    written w;
    write_index(&w, 8, 623, 40);
    EXPECT(is_index(w.bytes.data, w.bytes.size));
    for (size_t size = 0; size < w.bytes.size; size++)
        EXPECT(!is_index(w.bytes.data, size));
    stk_error err;
    EXPECT_OK(stk_blob_append(&w.bytes, "\5", 1, &err));
    EXPECT(!is_index(w.bytes.data, w.bytes.size));
    stk_blob_release(&w.bytes);
}

STK_TEST(nonsense_is_refused)
{
    static const uint8_t cases[][9] = {
        {2, 8, 1, 9, 9},                            /* another version */
        {1, 0, 1, 9, 9},                            /* no MCU per segment */
        {1, 8, 0, 9, 9},                            /* no segment */
        {1, 8, 1, 9, 2},                            /* no room for codes and a marker */
        {1, 8, 0xff, 0xff, 0xff, 0xff, 0x0f, 9, 9}, /* more segments than bytes */
        {1, 0xff, 0xff, 0xff, 0xff, 0x1f, 1, 9, 9}, /* a number of 33 bits */
        {1, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1, 9}, /* one of six bytes */
    };
    static const size_t sizes[] = {5, 5, 5, 5, 9, 9, 9};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT(!is_index(cases[i], sizes[i]));
    EXPECT(is_index((const uint8_t[]){1, 8, 1, 9, 9}, 5));
}

STK_TEST(flipped_bits_never_read_past_the_end)
{
    written w;
    write_index(&w, 8, 623, 40);
    for (size_t bit = 0; bit < 8 * w.bytes.size; bit++) {
        w.bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)is_index(w.bytes.data, w.bytes.size);
        w.bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    stk_blob_release(&w.bytes);
}

static stk_status write_some(void *context, stk_error *err)
{
    const uint32_t lengths[] = {5, 1000, 100000, 7};
    stk_blob       bytes;
    (void)context;
    stk_blob_init(&bytes, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_restart_index_write(&bytes, 8, 623, lengths, 4, err);
    stk_blob_release(&bytes);
    return st;
}

STK_TEST(no_allocation_may_fail_unseen)
{
    stk_test_fail_each_allocation(write_some, NULL);
}
