/* Memory freed all at once: a list of blocks, the newest of which is being filled. */
#include "base/arena.h"

#include "base/checked.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct stk_arena_block {
    alignas(max_align_t) stk_arena_block *older;
    size_t total; /* bytes allocated, header included */
};

void stk_arena_init(stk_arena *arena, stk_ledger *ledger, stk_memory memory)
{
    *arena = (stk_arena){.ledger = ledger, .memory = memory, .block_bytes = FIRST_BLOCK};
}

static stk_status add_block(stk_arena *arena, size_t at_least, stk_error *err)
{
    size_t total = at_least > arena->block_bytes ? at_least : arena->block_bytes;
    if (stk_add_overflows(total, sizeof(stk_arena_block), &total))
        return stk_fail(err, STK_E_LIMIT, "memory", NULL, "%zu bytes do not fit in memory",
                        at_least);
    STK_TRY(stk_ledger_reserve(arena->ledger, arena->memory, total, err));
    stk_arena_block *block = malloc(total);
    if (!block) {
        stk_ledger_release(arena->ledger, arena->memory, total);
        return stk_fail(err, STK_E_NOMEM, "memory", NULL, "no memory for %zu bytes", total);
    }
    block->older = arena->blocks;
    block->total = total;
    arena->blocks = block;
    arena->next = (uint8_t *)(block + 1);
    arena->left = total - sizeof *block;
    /* Blocks double, so that a listing of millions of names is a few dozen allocations. */
    if (arena->block_bytes < LARGEST_BLOCK) arena->block_bytes *= 2;
    return STK_OK;
}

void *stk_arena_alloc(stk_arena *arena, size_t size, stk_error *err)
{
    const size_t unit = alignof(max_align_t);
    size_t       rounded;
    if (stk_add_overflows(size, unit - 1, &rounded)) {
        stk_fail(err, STK_E_LIMIT, "memory", NULL, "%zu bytes do not fit in memory", size);
        return NULL;
    }
    rounded &= ~(unit - 1);
    if (!rounded) rounded = unit; /* NULL means failure, so even zero bytes have an address */
    if (rounded > arena->left && add_block(arena, rounded, err)) return NULL;
    void *result = arena->next;
    arena->next += rounded;
    arena->left -= rounded;
    return result;
}

void *stk_arena_array(stk_arena *arena, size_t count, size_t size, stk_error *err)
{
    size_t bytes;
    if (stk_mul_overflows(count, size, &bytes)) {
        stk_fail(err, STK_E_LIMIT, "memory", NULL, "%zu elements of %zu bytes do not fit in memory",
                 count, size);
        return NULL;
    }
    return stk_arena_alloc(arena, bytes, err);
}

char *stk_arena_text(stk_arena *arena, const char *text, size_t length, stk_error *err)
{
    size_t bytes;
    if (stk_add_overflows(length, 1, &bytes)) {
        stk_fail(err, STK_E_LIMIT, "memory", NULL, "%zu bytes do not fit in memory", length);
        return NULL;
    }
    char *copy = stk_arena_alloc(arena, bytes, err);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void stk_arena_release(stk_arena *arena)
{
    while (arena->blocks) {
        stk_arena_block *older = arena->blocks->older;
        stk_ledger_release(arena->ledger, arena->memory, arena->blocks->total);
        free(arena->blocks);
        arena->blocks = older;
    }
    stk_arena_init(arena, arena->ledger, arena->memory);
}
