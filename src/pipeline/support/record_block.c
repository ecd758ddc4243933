/* Blocks of records. One live record keeps its block alive, for example in a shuffle buffer. So
 * blocks are only large enough to amortise their own cost. */
#include "pipeline/support/record_block.h"

#include "base/ledger_pressure.h"

enum {
    FIRST_BLOCK = 8 << 10, /* sources of a few records need no more; others double it */
    LARGEST_BLOCK = 64 << 10,
    LARGEST_SHARED = 8 << 10, /* longer records have a buffer of their own */
    ALIGNMENT = 16            /* of each record, for aligned loads of its first words */
};

static stk_status begin_block(stk_record_block *block, stk_ledger *ledger, stk_error *err)
{
    size_t size = block->buffer ? 2 * stk_buffer_size(block->buffer) : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    stk_buffer *buffer;
    STK_TRY(stk_buffer_new(&buffer, ledger, STK_MEMORY_RECORD, size, err));
    stk_buffer_unref(block->buffer);
    *block = (stk_record_block){.buffer = buffer};
    return STK_OK;
}

stk_status stk_record_block_put(stk_record_block *block, stk_ledger *ledger, stk_bytes bytes,
                                stk_value *value, stk_error *err)
{
    if (bytes.size > LARGEST_SHARED || !bytes.size || stk_ledger_is_pressed(ledger))
        return stk_value_bytes(value, ledger, bytes, err);
    if (!block->buffer || stk_buffer_size(block->buffer) - block->used < bytes.size)
        STK_TRY(begin_block(block, ledger, err));
    uint8_t *end = stk_buffer_data(block->buffer) + block->used;
    memcpy(end, bytes.data, bytes.size);
    block->used += (bytes.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    stk_value_view(value, stk_bytes_of(end, bytes.size), block->buffer);
    return STK_OK;
}

void stk_record_block_release(stk_record_block *block)
{
    stk_buffer_unref(block->buffer);
    *block = (stk_record_block){0};
}
