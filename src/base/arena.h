/* An arena: memory freed all at once, for the lifetime of a listing, plan or document. One thread
 * at a time. */
#ifndef STK_BASE_ARENA_H
#define STK_BASE_ARENA_H

#include <stoker/ledger.h>

typedef struct stk_arena_block stk_arena_block;

typedef struct stk_arena {
    stk_arena_block *blocks; /* newest first */
    uint8_t         *next;   /* free part of the newest block */
    size_t           left;
    size_t           block_bytes;
    stk_ledger      *ledger; /* borrowed */
    stk_memory       memory;
} stk_arena;

/* Allocates nothing yet. */
void stk_arena_init(stk_arena *arena, stk_ledger *ledger, stk_memory memory);

/* Allocates size bytes, aligned for any type, not cleared. NULL with err filled on failure. */
void *stk_arena_alloc(stk_arena *arena, size_t size, stk_error *err);

/* count elements of size bytes; the product is checked. */
void *stk_arena_array(stk_arena *arena, size_t count, size_t size, stk_error *err);

/* A terminated copy of length bytes of text. */
char *stk_arena_text(stk_arena *arena, const char *text, size_t length, stk_error *err);

/* Frees everything; the arena is as after init. */
void stk_arena_release(stk_arena *arena);

#endif
