/* Free blocks are used again, never more than may be kept, and go when memory is wanted. */
#include "base/ledger_block_cache.h"
#include "harness.h"

#include <stdlib.h>

static bool keeps(void)
{
    return stk_block_cache_round(STK_BLOCK_CACHE_BYTES_MIN + 1) !=
           STK_BLOCK_CACHE_BYTES_MIN + 1; /* not under sanitizers */
}

STK_TEST(rounding_loses_at_most_a_quarter_and_is_its_own)
{
    for (size_t size = 1; size < (size_t)200 << 20; size += 1 + size / 7) {
        const size_t rounded = stk_block_cache_round(size);
        EXPECT(rounded >= size && rounded <= size + size / 4);
        EXPECT(stk_block_cache_round(rounded) == rounded);
    }
    EXPECT(stk_block_cache_round(STK_BLOCK_CACHE_BYTES_MIN) == STK_BLOCK_CACHE_BYTES_MIN);
}

STK_TEST(a_buffer_of_the_same_size_gets_the_block_of_the_one_before)
{
    stk_error   err;
    stk_ledger *ledger;
    stk_buffer *one, *two;
    EXPECT_OK(stk_ledger_new(&ledger, 64 << 20, &err));
    EXPECT_OK(stk_buffer_new(&one, ledger, STK_MEMORY_BATCH, 100000, &err));
    const void *place = stk_buffer_data(one);
    stk_buffer_unref(one);
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes); /* what nobody uses is nobody's */
    EXPECT_OK(stk_buffer_new(&two, ledger, STK_MEMORY_BATCH, 101000, &err));
    if (keeps()) EXPECT(stk_buffer_data(two) == place);
    EXPECT_INT_EQ(101000, stk_buffer_size(two));
    stk_buffer_unref(two);
    stk_ledger_unref(ledger);
}

STK_TEST(spare_blocks_make_way_for_what_is_wanted)
{
    enum { BLOCKS = 8, SIZE = 1 << 20, CEILING = 64 << 20 };
    stk_error   err;
    stk_ledger *ledger;
    stk_buffer *list[BLOCKS], *large;
    EXPECT_OK(stk_ledger_new(&ledger, CEILING, &err));
    for (int i = 0; i < BLOCKS; i++)
        EXPECT_OK(stk_buffer_new(&list[i], ledger, STK_MEMORY_BATCH, SIZE, &err));
    for (int i = 0; i < BLOCKS; i++)
        stk_buffer_unref(list[i]);
    const uint64_t spare = stk_ledger_spares(ledger)->bytes;
    EXPECT(spare <= CEILING / 8 && (spare > 0) == keeps());
    EXPECT_OK(stk_buffer_new(&large, ledger, STK_MEMORY_BATCH, CEILING - SIZE, &err));
    EXPECT_INT_EQ(0, stk_ledger_spares(ledger)->bytes);
    stk_buffer_unref(large);
    stk_ledger_unref(ledger);
}
