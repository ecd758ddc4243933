/* The plain forms: memchr finds what is rare. */
#include "image/jpeg/unstuff.h"

stk_unstuffed stk_unstuff_plain(uint8_t *dst, size_t capacity, stk_bytes src)
{
    size_t read = 0, written = 0;
    while (read < src.size && written < capacity) {
        const size_t left = src.size - read,
                     max = left < capacity - written ? left : capacity - written;
        const uint8_t *ff = memchr(src.data + read, 0xff, max);
        const size_t   run = ff ? (size_t)(ff - src.data) - read : max;
        memcpy(dst + written, src.data + read, run);
        read += run;
        written += run;
        if (!ff) continue;
        if (left - run < 2 || ff[1]) return (stk_unstuffed){read, written, true};
        dst[written++] = 0xff;
        read += 2;
    }
    return (stk_unstuffed){read, written, read >= src.size};
}

size_t stk_find_marker_plain(stk_bytes src)
{
    for (size_t at = 0; at + 1 < src.size; at++) {
        const uint8_t *ff = memchr(src.data + at, 0xff, src.size - 1 - at);
        if (!ff) break;
        at = (size_t)(ff - src.data);
        if (ff[1] != 0 && ff[1] != 0xff) return at;
    }
    return src.size;
}
