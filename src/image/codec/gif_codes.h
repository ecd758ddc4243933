/* The LZW decoder of GIF: codes of 3 to 12 bits, in blocks of up to 255 bytes, to indices. */
#ifndef STK_IMAGE_CODEC_GIF_CODES_H
#define STK_IMAGE_CODEC_GIF_CODES_H

#include <stdbool.h>
#include <stoker/bytes.h>

enum { STK_GIF_CODES = 4096 };

typedef struct stk_gif_codes {
    stk_bytes pieces;
    size_t    at;               /* in pieces */
    size_t    left;             /* bytes of the piece that is being read */
    uint32_t  bits, count;      /* that were read and not used */
    int       index_bits, size; /* bits of an index; of a code now */
    int       next, before;     /* the code that is defined next; the one before, -1: none */
    uint8_t   first;            /* the index that it begins with */
    uint16_t  prefix[STK_GIF_CODES];
    uint8_t   suffix[STK_GIF_CODES], string[STK_GIF_CODES + 1];
} stk_gif_codes;

/* pieces begins with the code size; false if it is invalid. */
bool stk_gif_codes_init(stk_gif_codes *codes, stk_bytes pieces);

/* Decodes the next code; returns the number of indices, borrowed until the next call; 0 at the end
 * or on invalid codes. */
int stk_gif_codes_next(stk_gif_codes *codes, const uint8_t **indices);

#endif
