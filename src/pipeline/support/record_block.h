/* Records copied once, many into one shared buffer: an element of a small record is then a view,
 * and costs no allocation for its bytes. */
#ifndef STK_PIPELINE_SUPPORT_RECORD_BLOCK_H
#define STK_PIPELINE_SUPPORT_RECORD_BLOCK_H

#include <stoker/element.h>

/* All zero to begin with. */
typedef struct stk_record_block {
    stk_buffer *buffer; /* being filled; shared with the values that point into it */
    size_t      used;
} stk_record_block;

/* A copy of bytes. On failure value is as before. */
STK_NODISCARD stk_status stk_record_block_put(stk_record_block *block, stk_ledger *ledger,
                                              stk_bytes bytes, stk_value *value, stk_error *err);
void                     stk_record_block_release(stk_record_block *block);

#endif
