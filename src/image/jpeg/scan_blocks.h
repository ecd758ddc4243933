/* Taking blocks from the bits: the body of both kernels, compiled once with and once without the
 * instructions that shift by any register.
 * The time goes into one chain: look at bits, load an entry, shift by what it says. Everything else
 * is arranged to stay off it: entries hold several symbols, values are worked out beside the chain,
 * and a coefficient that an entry does not have is written as a 0 where one stands anyway. */
#ifndef STK_IMAGE_JPEG_SCAN_BLOCKS_H
#define STK_IMAGE_JPEG_SCAN_BLOCKS_H

#include "image/jpeg/jpeg_scan.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 64, ENDED = BLOCK + 1, BROKEN = BLOCK + 2 };

typedef struct bits {
    uint64_t       window, left;
    const uint8_t *next;
} bits;

INLINE bits take_bits(const stk_jpeg_scan *scan)
{
    return (bits){scan->window, scan->left, scan->next};
}

INLINE void give_bits(stk_jpeg_scan *scan, const bits *b)
{
    scan->window = b->window;
    scan->left = b->left;
    scan->next = b->next;
}

/* At least 56 bits: whole bytes are added without asking how many are missing. */
INLINE void refill(bits *b)
{
    uint64_t bytes;
    memcpy(&bytes, b->next, sizeof bytes);
    b->window |= __builtin_bswap64(bytes) >> (b->left & 63);
    b->next += ~b->left >> 3 & 7;
    b->left |= 56;
}

/* Only the low 6 bits of length, and of left, count: an entry need not be masked. */
INLINE void drop(bits *b, uint64_t length)
{
    b->window <<= length & 63;
    b->left -= length;
}

/* The signed number whose size bits are the last of the first length bits: a number without its
 * highest bit is negative. */
INLINE int32_t number_at(uint64_t window, uint64_t length, uint32_t size)
{
    const int32_t number = (int32_t)((window >> (-length & 63)) & ((1u << size) - 1));
    const int32_t negative = number + stk_scan_constants.lowest[size];
    return number + negative > 0 ? number : negative;
}

/* One symbol by its code: how far it brings a block that stands at place at, ENDED, or BROKEN. */
static __attribute__((noinline)) uint32_t step_slowly(bits *b, const stk_scan_tables *tables,
                                                      uint32_t at, int16_t *block)
{
    int length = 0;
    refill(b);
    const stk_huffman_code *code = at ? &tables->ac->code : &tables->dc->code;
    const int               symbol = stk_huffman_symbol(code, (uint32_t)(b->window >> 48), &length);
    const uint32_t          run = at ? (uint32_t)symbol >> 4 : 0, size = (uint32_t)symbol & 15;
    if (symbol < 0) return BROKEN;
    drop(b, (uint64_t)length);
    if (at && !size && run != 15) return ENDED;
    if (at + run >= BLOCK) return BROKEN;
    refill(b);
    if (block)
        block[stk_scan_constants.order[at + run]] = (int16_t)number_at(b->window, size, size);
    drop(b, size);
    return at + run + 1;
}

/* A copy goes out, so that the bits themselves stay in registers. */
INLINE uint32_t step(bits *b, const stk_scan_tables *tables, uint32_t at, int16_t *block)
{
    bits           copy = *b;
    const uint32_t behind = step_slowly(&copy, tables, at, block);
    *b = copy;
    return behind;
}

/* A DC difference. Leaves 31 bits at least. False: broken. */
INLINE bool take_difference(bits *b, const stk_scan_tables *tables, int16_t *difference)
{
    refill(b);
    const stk_huffman_entries *entries = &tables->dc->entry;
    const uint64_t             index = b->window >> (64 - STK_DC_BITS);
    const uint64_t             length = entries->length[index];
    if (__builtin_expect(!length, 0)) return step(b, tables, 0, difference) != BROKEN;
    *difference = (int16_t)number_at(b->window, length, entries->size[index]);
    drop(b, length);
    return true;
}

/* One entry's coefficients. Returns the place behind them; with the end of the block
 * STK_HUFFMAN_END more. */
INLINE uint32_t take_entry(bits *b, const stk_huffman_entries *entries, uint32_t at, int16_t *block)
{
    const stk_scan_lists *lists = &stk_scan_constants;
    const uint64_t        window = b->window, index = window >> (64 - STK_AC_BITS);
    const uint64_t        length = entries->length[index];
    const uint32_t        behind = at + entries->passed[index];
    drop(b, length);
    /* The last first: of a coefficient given by value alone it is a 0 in its place. */
    block[lists->order[behind - 1]] = (int16_t)number_at(window, length, entries->size[index]);
    block[lists->order[at + entries->before[index]]] = entries->value[index];
    return behind;
}

/* After an entry that passed the end of the block: true when the block is done, at its end or by a
 * last coefficient. */
INLINE bool is_done(uint32_t passed, uint32_t behind)
{
    if (passed & STK_HUFFMAN_END)
        return passed != STK_HUFFMAN_ESCAPE && behind < BLOCK + STK_HUFFMAN_END;
    return behind == BLOCK;
}

/* The AC coefficients of a block that is zero. False: broken. */
INLINE bool take_block(bits *b, const stk_scan_tables *tables, int16_t *block)
{
    const stk_huffman *ac = tables->ac;
    uint32_t           at = 1, behind;
    uint64_t           before;
    for (;;) {
        before = b->window;
        behind = take_entry(b, &ac->entry, at, block);
        if (behind < BLOCK) {
            at = behind;
            refill(b);
            before = b->window;
            behind = take_entry(b, &ac->entry, at, block);
            if (behind < BLOCK) {
                at = behind;
                before = b->window;
                behind = take_entry(b, &ac->entry, at, block);
                if (behind < BLOCK) {
                    at = behind;
                    continue;
                }
            }
        }
        const uint64_t index = before >> (64 - STK_AC_BITS);
        if (__builtin_expect(is_done(ac->entry.passed[index], behind), 1)) return true;
        /* The entry may have run over the end of the block, or has no symbol: back, and by code. */
        b->window = before;
        b->left += ac->entry.length[index];
        at = step(b, tables, at, block);
        if (at >= BLOCK) return at != BROKEN;
    }
}

/* Goes over the AC coefficients of a block, as many symbols at a time as entries have. */
INLINE bool skip_block(bits *b, const stk_scan_tables *tables)
{
    const stk_huffman *ac = tables->ac;
    uint32_t           at = 1, entry;
    uint64_t           before;
    for (;;) {
        before = b->window;
        entry = ac->skip[before >> (64 - STK_SKIP_BITS)];
        drop(b, entry);
        at += entry >> STK_SKIP_PASSED;
        if (at < BLOCK) {
            refill(b);
            before = b->window;
            entry = ac->skip[before >> (64 - STK_SKIP_BITS)];
            drop(b, entry);
            at += entry >> STK_SKIP_PASSED;
            if (at < BLOCK) continue;
        }
        const uint32_t passed = entry >> STK_SKIP_PASSED;
        if (__builtin_expect(at - (passed & STK_SKIP_END) < BLOCK || at == BLOCK, 1)) return true;
        b->window = before;
        b->left += entry;
        at = step(b, tables, at - passed, NULL);
        if (at >= BLOCK) return at != BROKEN;
    }
}

INLINE bool take_blocks(stk_jpeg_scan *scan, int16_t (*coefficients)[BLOCK], int count)
{
    const stk_scan_tables *tables = scan->tables;
    bits                   b = take_bits(scan);
    for (int i = 0; i < count; i++, tables = tables->next)
        if (!take_difference(&b, tables, coefficients[i]) ||
            !take_block(&b, tables, coefficients[i]))
            return false;
    give_bits(scan, &b);
    return true;
}

INLINE bool skip_blocks(stk_jpeg_scan *scan, int16_t *differences, int count)
{
    const stk_scan_tables *tables = scan->tables;
    bits                   b = take_bits(scan);
    for (int i = 0; i < count; i++, tables = tables->next)
        if (!take_difference(&b, tables, &differences[i]) || !skip_block(&b, tables)) return false;
    give_bits(scan, &b);
    return true;
}

#endif
