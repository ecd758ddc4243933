/* Blobs, buffers and arenas: growth, accounting, refusals. */
#include "base/arena.h"
#include "base/buffer_adopt.h"
#include "harness.h"

#include <string.h>

static void expect_held(stk_ledger *ledger, uint64_t bytes)
{
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(bytes, report.bytes);
}

STK_TEST(blob_grows_keeps_its_bytes_and_gives_all_back)
{
    stk_error   err;
    stk_ledger *ledger;
    stk_blob    blob;
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    stk_blob_init(&blob, ledger, STK_MEMORY_READ);
    for (int i = 0; i < 5000; i++)
        EXPECT_OK(stk_blob_append(&blob, &(char){(char)i}, 1, &err));
    for (int i = 0; i < 5000; i++)
        EXPECT_INT_EQ((uint8_t)i, blob.data[i]);
    expect_held(ledger, blob.capacity);
    EXPECT_STATUS(STK_E_CEILING, stk_blob_reserve(&blob, 2 << 20, &err));
    EXPECT_INT_EQ(5000, blob.size);
    stk_blob_release(&blob);
    expect_held(ledger, 0);
    stk_ledger_unref(ledger);
}

STK_TEST(blob_near_the_ceiling_grows_by_what_is_needed)
{
    stk_error   err;
    stk_ledger *ledger;
    stk_blob    blob;
    EXPECT_OK(stk_ledger_new(&ledger, 900, &err));
    stk_blob_init(&blob, ledger, STK_MEMORY_READ);
    EXPECT_OK(stk_blob_reserve(&blob, 640, &err));
    EXPECT_OK(stk_blob_reserve(&blob, 700, &err)); /* half as much again would be 960 */
    expect_held(ledger, 700);
    EXPECT_STATUS(STK_E_CEILING, stk_blob_reserve(&blob, 901, &err));
    EXPECT_CONTAINS("201 bytes asked, 700 held, the ceiling is 900", err.message);
    EXPECT_OK(stk_blob_reserve(&blob, 900, &err));
    stk_blob_release(&blob);
    expect_held(ledger, 0);
    stk_ledger_unref(ledger);
}

STK_TEST(blob_refuses_sizes_that_overflow)
{
    stk_error err;
    stk_blob  blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    EXPECT_OK(stk_blob_append(&blob, "x", 1, &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_blob_append(&blob, "y", SIZE_MAX, &err));
    stk_blob_release(&blob);
}

STK_TEST(arena_refuses_sizes_that_overflow_and_says_them)
{
    stk_error err;
    stk_arena arena;
    stk_arena_init(&arena, NULL, STK_MEMORY_INDEX);
    EXPECT(!stk_arena_alloc(&arena, SIZE_MAX, &err));
    EXPECT_INT_EQ(STK_E_LIMIT, err.status);
    EXPECT_CONTAINS("18446744073709551615 bytes", err.message);
    EXPECT(!stk_arena_alloc(&arena, SIZE_MAX - 15, &err)); /* fits, but not with its header */
    EXPECT_INT_EQ(STK_E_LIMIT, err.status);
    EXPECT(!stk_arena_array(&arena, SIZE_MAX / 2, 3, &err));
    EXPECT_INT_EQ(STK_E_LIMIT, err.status);
    EXPECT(!stk_arena_text(&arena, "x", SIZE_MAX, &err));
    EXPECT_INT_EQ(STK_E_LIMIT, err.status);
    EXPECT_STR_EQ("x", stk_arena_text(&arena, "xyz", 1, &err)); /* and goes on serving */
    stk_arena_release(&arena);
}

STK_TEST(buffer_is_aligned_shared_and_freed_by_the_last_reference)
{
    stk_error   err;
    stk_ledger *ledger;
    stk_buffer *buffer;
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    EXPECT_OK(stk_buffer_new(&buffer, ledger, STK_MEMORY_BATCH, 1001, &err));
    EXPECT_INT_EQ(0, (uintptr_t)stk_buffer_data(buffer) % STK_BUFFER_ALIGNMENT);
    EXPECT_INT_EQ(1001, stk_buffer_size(buffer));
    memset(stk_buffer_data(buffer), 7, 1001);
    EXPECT(stk_buffer_is_unique(buffer));
    stk_buffer *second = stk_buffer_ref(buffer);
    EXPECT(!stk_buffer_is_unique(buffer));
    stk_buffer_unref(buffer);
    EXPECT_INT_EQ(7, stk_buffer_data(second)[1000]);
    stk_ledger *borrowed = ledger;
    stk_ledger_unref(ledger); /* the buffer keeps its own reference */
    expect_held(borrowed, 64 + 1024);
    stk_buffer_unref(second);
    EXPECT_STATUS(STK_E_LIMIT, stk_buffer_new(&buffer, NULL, STK_MEMORY_BATCH, SIZE_MAX, &err));
    EXPECT(buffer == NULL);
}

STK_TEST(arena_serves_small_and_large_and_frees_all_at_once)
{
    stk_error   err;
    stk_ledger *ledger;
    stk_arena   arena;
    EXPECT_OK(stk_ledger_new(&ledger, 64 << 20, &err));
    stk_arena_init(&arena, ledger, STK_MEMORY_INDEX);
    EXPECT(stk_arena_alloc(&arena, 0, &err) != NULL);
    for (int i = 0; i < 1000; i++) {
        char *text = stk_arena_text(&arena, "name", 4, &err);
        EXPECT_STR_EQ("name", text);
        EXPECT_INT_EQ(0, (uintptr_t)text % _Alignof(max_align_t));
    }
    EXPECT(stk_arena_alloc(&arena, 5 << 20, &err) != NULL);
    EXPECT(stk_arena_array(&arena, SIZE_MAX / 2, 3, &err) == NULL);
    EXPECT_INT_EQ(STK_E_LIMIT, err.status);
    EXPECT(stk_arena_alloc(&arena, 100 << 20, &err) == NULL);
    EXPECT_INT_EQ(STK_E_CEILING, err.status);
    stk_arena_release(&arena);
    expect_held(ledger, 0);
    stk_ledger_unref(ledger);
}

static stk_status use_all_three(void *context, stk_error *err)
{
    (void)context;
    stk_ledger *ledger;
    stk_buffer *buffer = NULL;
    stk_blob    blob;
    stk_arena   arena;
    STK_TRY(stk_ledger_new(&ledger, 1 << 20, err));
    stk_blob_init(&blob, ledger, STK_MEMORY_READ);
    stk_arena_init(&arena, ledger, STK_MEMORY_READ);
    stk_status st = stk_blob_append(&blob, "abc", 3, err);
    if (!st) st = stk_buffer_new(&buffer, ledger, STK_MEMORY_READ, 10, err);
    if (!st && !stk_arena_alloc(&arena, 10, err)) st = err->status;
    stk_arena_release(&arena);
    stk_buffer_unref(buffer);
    stk_blob_release(&blob);
    expect_held(ledger, 0);
    stk_ledger_unref(ledger);
    return st;
}

STK_TEST(memory_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(use_all_three, NULL);
}

STK_TEST(a_buffer_adopts_the_bytes_of_a_blob)
{
    for (int with = 0; with < 2; with++) {
        stk_error   err;
        stk_ledger *ledger = NULL;
        stk_blob    blob;
        stk_buffer *buffer;
        if (with) EXPECT_OK(stk_ledger_new(&ledger, 1 << 24, &err));
        stk_blob_init(&blob, ledger, STK_MEMORY_READ);
        EXPECT_OK(stk_blob_reserve_exact(&blob, (size_t)2 << 20, &err));
        EXPECT_OK(stk_blob_append(&blob, "abc", 3, &err));
        const uint8_t *bytes = blob.data;
        EXPECT_OK(stk_buffer_adopt(&buffer, &blob, &err));
        EXPECT(stk_buffer_data(buffer) == bytes && stk_buffer_size(buffer) == (size_t)2 << 20);
        EXPECT_MEM_EQ("abc", stk_buffer_data(buffer), 3);
        EXPECT(!blob.data && !blob.size && !blob.capacity);
        EXPECT_OK(stk_blob_append(&blob, "other", 5, &err)); /* in bytes of its own */
        EXPECT_MEM_EQ("abc", stk_buffer_data(buffer), 3);
        stk_blob_release(&blob);
        if (with) expect_held(ledger, (uint64_t)2 << 20);
        stk_buffer_unref(buffer);
        if (with) expect_held(ledger, 0);
        stk_ledger_unref(ledger);
    }
}

static stk_status adopt(void *context, stk_error *err)
{
    stk_blob    blob;
    stk_buffer *buffer = NULL;
    (void)context;
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    stk_status st = stk_blob_append(&blob, "abc", 3, err);
    if (!st) st = stk_buffer_adopt(&buffer, &blob, err);
    EXPECT(!st || !buffer);
    stk_buffer_unref(buffer);
    stk_blob_release(&blob);
    return st;
}

STK_TEST(adopting_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(adopt, NULL);
}
