/* Each code but the first defines another: what the one before stands for, and the first index of
 * this one. So a string is found from its end to its beginning. */
#include "image/codec/gif_codes.h"

enum { BITS_MAX = 12 };

static int clear_code(const stk_gif_codes *c)
{
    return 1 << c->index_bits;
}

static void reset(stk_gif_codes *c)
{
    c->size = c->index_bits + 1;
    c->next = clear_code(c) + 2;
    c->before = -1;
}

bool stk_gif_codes_init(stk_gif_codes *codes, stk_bytes pieces)
{
    codes->pieces = pieces;
    codes->at = 1;
    codes->left = 0;
    codes->bits = codes->count = 0;
    codes->index_bits = pieces.size ? pieces.data[0] : 0;
    if (codes->index_bits < 1 || codes->index_bits > 8) return false;
    reset(codes);
    return true;
}

/* One byte more; false at the last piece or where the bytes end. */
static bool take_byte(stk_gif_codes *c)
{
    if (!c->left) {
        if (c->at >= c->pieces.size || !c->pieces.data[c->at]) return false;
        c->left = c->pieces.data[c->at++];
    }
    if (c->at >= c->pieces.size) return false;
    c->bits |= (uint32_t)c->pieces.data[c->at++] << c->count;
    c->count += 8;
    c->left--;
    return true;
}

/* -1: there is none. */
static int take_code(stk_gif_codes *c)
{
    while (c->count < (uint32_t)c->size)
        if (!take_byte(c)) return -1;
    const int code = (int)(c->bits & ((1u << c->size) - 1));
    c->bits >>= c->size;
    c->count -= (uint32_t)c->size;
    return code;
}

static void define(stk_gif_codes *c)
{
    if (c->next >= STK_GIF_CODES) return;
    c->prefix[c->next] = (uint16_t)c->before;
    c->suffix[c->next] = c->first;
    if (++c->next == 1 << c->size && c->size < BITS_MAX) c->size++;
}

/* Writes the string of a code to the end of string. An undefined code is the former string followed
 * by its first index. */
static int spell(stk_gif_codes *c, int code, const uint8_t **indices)
{
    uint8_t *end = c->string + sizeof c->string, *at = end;
    if (code == c->next) {
        *--at = c->first;
        code = c->before;
    }
    for (; code >= clear_code(c); code = c->prefix[code])
        *--at = c->suffix[code];
    *--at = c->first = (uint8_t)code;
    *indices = at;
    return (int)(end - at);
}

int stk_gif_codes_next(stk_gif_codes *codes, const uint8_t **indices)
{
    int code = take_code(codes);
    while (code == clear_code(codes)) {
        reset(codes);
        code = take_code(codes);
    }
    const bool begins = codes->before < 0;
    if (code < 0 || code == clear_code(codes) + 1) return 0;
    if (begins ? code >= clear_code(codes)
               : code > codes->next || (code == codes->next && codes->next == STK_GIF_CODES))
        return 0;
    const int count = spell(codes, code, indices);
    if (!begins) define(codes);
    codes->before = code;
    return count;
}
