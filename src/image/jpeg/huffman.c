/* Building the tables. An image with tables of its own pays for them, so that the large ones are
 * filled run by run: all entries that begin with the same symbol differ only in what follows it,
 * and that was worked out once for each number of bits left. */
#include "image/jpeg/huffman.h"

enum {
    VALUE_SIZE_MAX = 7, /* of a coefficient given by value: 8 bits with its sign */
    DC_SIZE_MAX = 15,

    /* Entries while they are built: adding what follows to a first coefficient adds all fields. */
    PASSED = 8,
    BEFORE = 16,
    SIZE = 20,
    VALUE = 24
};

typedef struct symbol_code {
    uint8_t length, symbol;
} symbol_code;

static bool make_code(stk_huffman_code *code, stk_bytes table)
{
    uint32_t next = 0;
    int      at = 0;
    *code = (stk_huffman_code){.count = (int)table.size - STK_HUFFMAN_LENGTHS};
    memcpy(code->counts + 1, table.data, STK_HUFFMAN_LENGTHS);
    memcpy(code->symbols, table.data + STK_HUFFMAN_LENGTHS, (size_t)code->count);
    for (int l = 1; l <= STK_HUFFMAN_LENGTHS; l++, next <<= 1) {
        code->offset[l] = at - (int32_t)next;
        next += code->counts[l];
        at += code->counts[l];
        /* The code of ones only is not allowed. */
        if (code->counts[l] && next >= (uint32_t)1 << l) return false;
        code->limit[l] = next << (STK_HUFFMAN_LENGTHS - l);
    }
    return true;
}

static bool same_code(const stk_huffman_code *code, stk_bytes table)
{
    return (size_t)code->count + STK_HUFFMAN_LENGTHS == table.size &&
           !memcmp(code->counts + 1, table.data, STK_HUFFMAN_LENGTHS) &&
           !memcmp(code->symbols, table.data + STK_HUFFMAN_LENGTHS, (size_t)code->count);
}

/* Zeros and a coefficient, or sixteen zeros; 0: the end of the block. */
static uint32_t advance_of(uint8_t symbol)
{
    return (symbol & 15) || symbol >> 4 == 15 ? (symbol >> 4) + 1u : 0;
}

/* A symbol behind another: its bits follow and are not looked at. */
static uint32_t following(symbol_code s)
{
    const uint32_t size = s.symbol & 15, advance = advance_of(s.symbol);
    if (!advance) return s.length | (uint32_t)STK_HUFFMAN_END << PASSED;
    return (s.length + size) | advance << PASSED | size << SIZE;
}

/* The same as the only one. A first coefficient of 0 goes to where a 0 stands: before the last one,
 * or behind it. */
static uint32_t alone(symbol_code s)
{
    if (s.length + (s.symbol & 15) > STK_HUFFMAN_LENGTH_MAX) return STK_HUFFMAN_ESCAPE << PASSED;
    return following(s) | (advance_of(s.symbol) == 1 ? 1u << BEFORE : 0);
}

static void fill(uint32_t *entries, uint32_t value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i] = value;
}

/* tails[(1 << left) + i]: what follows a first coefficient when the next left bits are i. What
 * would make the entry too long follows by itself. */
static void make_tails(uint32_t *tails, const stk_huffman_code *code)
{
    for (int left = 0; left <= STK_AC_BITS; left++) {
        uint32_t *const end = tails + (2 << left), *at = tails + (1 << left);
        int             symbol = 0;
        for (int l = 1; l <= left; l++)
            for (int i = 0; i < code->counts[l]; i++, at += 1 << (left - l)) {
                const symbol_code s = {(uint8_t)l, code->symbols[symbol++]};
                const bool        fits =
                    STK_AC_BITS - left + l + (s.symbol & 15) <= STK_HUFFMAN_LENGTH_MAX;
                fill(at, fits ? following(s) : 0, (size_t)1 << (left - l));
            }
        fill(at, 0, (size_t)(end - at));
    }
}

static int extend(int bits, int size)
{
    return bits < (1 << size) >> 1 ? bits - (1 << size) + 1 : bits;
}

/* The entries that begin with one AC symbol; returns where they end. */
static uint32_t *fill_ac(uint32_t *at, symbol_code s, const uint32_t *tails)
{
    const int      size = s.symbol & 15, left = STK_AC_BITS - s.length - size;
    const uint32_t advance = advance_of(s.symbol);
    if (!advance || left < 0 || size > VALUE_SIZE_MAX) {
        fill(at, alone(s), (size_t)1 << (STK_AC_BITS - s.length));
        return at + (1 << (STK_AC_BITS - s.length));
    }
    for (int bits = 0; bits < 1 << size; bits++, at += 1 << left) {
        const uint32_t first = (uint32_t)(s.length + size) | advance << PASSED |
                               (advance - 1) << BEFORE | (uint32_t)extend(bits, size) << VALUE;
        for (int i = 0; i < 1 << left; i++)
            at[i] = first + tails[(1 << left) + i];
    }
    return at;
}

static void split(stk_huffman_entries *out, const uint32_t *entries, int count)
{
    for (int i = 0; i < count; i++) {
        out->length[i] = (uint8_t)entries[i];
        out->passed[i] = (uint8_t)(entries[i] >> PASSED);
        out->size[i] = entries[i] >> SIZE & 15;
        out->before[i] = entries[i] >> BEFORE & 15;
        out->value[i] = (int8_t)(entries[i] >> VALUE);
    }
}

static void make_ac(stk_huffman *h)
{
    uint32_t tails[2 << STK_AC_BITS], entries[1 << STK_AC_BITS], *at = entries;
    int      symbol = 0;
    make_tails(tails, &h->code);
    for (int l = 1; l <= STK_AC_BITS; l++)
        for (int i = 0; i < h->code.counts[l]; i++)
            at = fill_ac(at, (symbol_code){(uint8_t)l, h->code.symbols[symbol++]}, tails);
    fill(at, STK_HUFFMAN_ESCAPE << PASSED, (size_t)(entries + (1 << STK_AC_BITS) - at));
    split(&h->entry, entries, 1 << STK_AC_BITS);
}

static bool make_dc(stk_huffman *h)
{
    uint32_t entries[1 << STK_DC_BITS], *at = entries;
    for (int i = 0; i < h->code.count; i++)
        if (h->code.symbols[i] > DC_SIZE_MAX) return false;
    int symbol = 0;
    for (int l = 1; l <= STK_DC_BITS; l++)
        for (int i = 0; i < h->code.counts[l]; i++, at += 1 << (STK_DC_BITS - l)) {
            const uint32_t size = h->code.symbols[symbol++];
            fill(at, ((uint32_t)l + size) | size << SIZE, (size_t)1 << (STK_DC_BITS - l));
        }
    fill(at, 0, (size_t)(entries + (1 << STK_DC_BITS) - at));
    split(&h->entry, entries, 1 << STK_DC_BITS);
    return true;
}

/* The chains of left bits that begin with one symbol; returns where they end. */
static uint16_t *fill_chains(uint16_t *at, symbol_code s, int left, const uint16_t *chains)
{
    const int      size = s.symbol & 15, rest = left - s.length - size;
    const uint32_t advance = advance_of(s.symbol);
    const int      begin = advance ? (s.length + size) | (int)advance << STK_SKIP_PASSED
                                   : s.length | STK_SKIP_END << STK_SKIP_PASSED;
    const int      repeats = advance && rest > 0 ? 1 << size : 0;
    for (int k = 0; k < repeats; k++, at += 1 << rest)
        for (int i = 0; i < 1 << rest; i++)
            at[i] = (uint16_t)(begin + chains[(1 << rest) + i]);
    for (int i = repeats ? 0 : 1 << (left - s.length); i; i--)
        *at++ = (uint16_t)begin;
    return at;
}

/* chains[(1 << left) + i]: all symbols whose codes the left bits i hold, until the block's end. */
static void make_skip(stk_huffman *h)
{
    uint16_t chains[2 << STK_SKIP_BITS];
    for (int left = 0; left <= STK_SKIP_BITS; left++) {
        const uint16_t none = left == STK_SKIP_BITS ? STK_SKIP_ESCAPE << STK_SKIP_PASSED : 0;
        uint16_t      *at = chains + (1 << left);
        int            symbol = 0;
        for (int l = 1; l <= left; l++)
            for (int i = 0; i < h->code.counts[l]; i++)
                at = fill_chains(at, (symbol_code){(uint8_t)l, h->code.symbols[symbol++]}, left,
                                 chains);
        while (at < chains + (2 << left))
            *at++ = none;
    }
    memcpy(h->skip, chains + (1 << STK_SKIP_BITS), sizeof h->skip);
    h->has_skip = true;
}

static bool make(stk_huffman *h, stk_huffman_class class, stk_bytes table)
{
    if (!make_code(&h->code, table)) return false;
    if (class == STK_HUFFMAN_DC) return make_dc(h);
    make_ac(h);
    return true;
}

const stk_huffman *stk_huffman_find(stk_huffman_cache *cache, stk_huffman_class class,
                                    stk_bytes table, bool skips)
{
    stk_huffman *all = cache->tables[class], *found = all;
    bool         same = false;
    for (stk_huffman *h = all; h < all + STK_HUFFMAN_KEPT && !same; h++) {
        same = h->used && same_code(&h->code, table);
        if (same || h->used < found->used) found = h;
    }
    if (!same) {
        found->has_skip = false;
        found->used = 0;
        if (!make(found, class, table)) return NULL;
    }
    if (skips && class == STK_HUFFMAN_AC && !found->has_skip) make_skip(found);
    found->used = ++cache->clock;
    return found;
}
