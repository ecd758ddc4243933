/* Large blocks of memory straight from the system, and back there when they are freed. malloc keeps
 * what it was given back, for each thread: blocks of 8 MB that come and go on two threads hold
 * three times what the ledger says. Smaller blocks are malloc's. */
#ifndef STK_BASE_LARGE_H
#define STK_BASE_LARGE_H

#include <stddef.h>

enum {
    STK_LARGE_BYTES_MIN = 1 << 20,
    STK_LARGE_ALIGNMENT = 64 /* at least, of all */
};

/* NULL without memory. size is a multiple of the alignment. */
void *stk_large_new(size_t size);
/* Of exactly the size that it has. NULL is fine. */
void stk_large_free(void *block, size_t size);
/* As realloc, for blocks that need no alignment; the old size is what it was made with, 0 for NULL.
 * stk_large_free frees those too. */
void *stk_large_resize(void *block, size_t size, size_t wanted);

/* What malloc keeps of small blocks that were freed goes back to the system. Takes milliseconds. */
void stk_large_trim(void);

#endif
