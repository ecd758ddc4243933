/* Huffman tables made for speed: one look gives a whole symbol and more.
 * They are kept by content, because small images with everybody's tables would otherwise spend
 * most of their time building them. */
#ifndef STK_IMAGE_JPEG_HUFFMAN_H
#define STK_IMAGE_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stoker/bytes.h>

enum {
    STK_HUFFMAN_LENGTHS = 16,
    STK_HUFFMAN_SYMBOLS = 256,
    STK_HUFFMAN_KEPT = 6, /* tables of a class; an image has at most 4 */

    STK_DC_BITS = 10,
    STK_AC_BITS = 10, /* larger ones need fewer looks, but push each other out of a near cache */
    STK_SKIP_BITS = 12,

    STK_HUFFMAN_END = 64,        /* in what an entry passes: the block ends */
    STK_HUFFMAN_ESCAPE = 127,    /* instead: the entry has no symbol; take it by its code */
    STK_HUFFMAN_LENGTH_MAX = 18, /* of an entry, so that three follow each other without a refill */

    /* Of a 16-bit entry for skipping; below are 6 bits of length. */
    STK_SKIP_PASSED = 6,
    STK_SKIP_END = 256,   /* in what it passes */
    STK_SKIP_ESCAPE = 512 /* instead */
};

/* The code itself, for what the tables leave out. */
typedef struct stk_huffman_code {
    uint32_t limit[STK_HUFFMAN_LENGTHS + 2]; /* codes of length l, in 16 bits, are below limit[l] */
    int32_t  offset[STK_HUFFMAN_LENGTHS + 2]; /* from a code to its symbol's place */
    uint8_t  symbols[STK_HUFFMAN_SYMBOLS];
    uint8_t  counts[STK_HUFFMAN_LENGTHS + 1];
    int      count;
} stk_huffman_code;

/* entry: what the first bits of the stream say. Up to two coefficients, the first given by its
 * value, the last by the size of its bits (which are the last that the entry stands for), then
 * perhaps the end of the block. A coefficient that is missing is a 0 for a place that holds one
 * anyway. DC differences are such last coefficients. A field an array: each is one load, which
 * costs less than taking numbers apart. */
typedef struct stk_huffman_entries {
    uint8_t length[1 << STK_AC_BITS]; /* bits; DC: 0 means that the table has no symbol */
    uint8_t passed[1 << STK_AC_BITS]; /* places, and STK_HUFFMAN_END */
    uint8_t size[1 << STK_AC_BITS];   /* of the last */
    uint8_t before[1 << STK_AC_BITS]; /* places before the first */
    int8_t  value[1 << STK_AC_BITS];  /* the first */
} stk_huffman_entries;

typedef struct stk_huffman {
    stk_huffman_entries entry;                    /* of DC the first 1 << STK_DC_BITS */
    uint16_t            skip[1 << STK_SKIP_BITS]; /* of AC: as many symbols as there are */
    stk_huffman_code    code;
    uint64_t            used; /* when last; 0: empty */
    bool                has_skip;
} stk_huffman;

typedef enum stk_huffman_class { STK_HUFFMAN_DC, STK_HUFFMAN_AC } stk_huffman_class;

/* One thread's. All zero is empty. */
typedef struct stk_huffman_cache {
    stk_huffman tables[2][STK_HUFFMAN_KEPT];
    uint64_t    clock;
} stk_huffman_cache;

/* table: the content of a DHT segment: 16 counts, symbols. NULL if libjpeg would reject it. skips:
 * with the table for skipping, not needed for full decoding and absent for DC. Borrowed until
 * STK_HUFFMAN_KEPT - 1 further requests of the class. */
const stk_huffman *stk_huffman_find(stk_huffman_cache *cache, stk_huffman_class class,
                                    stk_bytes table, bool skips);

/* The symbol whose code the 16 bits begin with, and its length; -1 when none does. */
static inline int stk_huffman_symbol(const stk_huffman_code *code, uint32_t bits16, int *length)
{
    for (int l = 1; l <= STK_HUFFMAN_LENGTHS; l++) {
        if (bits16 >= code->limit[l]) continue;
        *length = l;
        return code->symbols[code->offset[l] + (int32_t)(bits16 >> (STK_HUFFMAN_LENGTHS - l))];
    }
    return -1;
}

#endif
