/* Copies many small records into one shared buffer: an element is then a view and needs no
 * allocation for its bytes. */
#ifndef STK_PIPELINE_SUPPORT_RECORD_BLOCK_H
#define STK_PIPELINE_SUPPORT_RECORD_BLOCK_H

#include <stoker/element.h>

/* Starts zeroed. */
typedef struct stk_record_block {
    stk_buffer *buffer; /* being filled; shared with the values that view it */
    size_t      used;
} stk_record_block;

/* Makes value a copy of bytes. On failure value is unchanged. */
STK_NODISCARD stk_status stk_record_block_put(stk_record_block *block, stk_ledger *ledger,
                                              stk_bytes bytes, stk_value *value, stk_error *err);
void                     stk_record_block_release(stk_record_block *block);

#endif
