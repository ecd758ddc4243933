/* Large blocks mapped from the system and unmapped when freed. malloc keeps freed memory per
 * thread: blocks of 8 MB that come and go on two threads hold three times the ledger's bytes.
 * Smaller blocks use malloc. */
#ifndef STK_BASE_LARGE_H
#define STK_BASE_LARGE_H

#include <stddef.h>

enum {
    STK_LARGE_BYTES_MIN = 1 << 20,
    STK_LARGE_ALIGNMENT = 64 /* minimum, of all blocks */
};

/* NULL without memory. size is a multiple of the alignment. */
void *stk_large_new(size_t size);
/* size must be the block's size. NULL is fine. */
void stk_large_free(void *block, size_t size);
/* As realloc, for blocks without alignment; size is that of the block, 0 for NULL. stk_large_free
 * frees these too. */
void *stk_large_resize(void *block, size_t size, size_t wanted);

/* Returns the memory that malloc keeps of freed small blocks to the system. Takes milliseconds. */
void stk_large_trim(void);

#endif
