/* Entropy-coded bytes without the zeros that are stuffed behind each 0xff, so that bit readers need
 * not check bytes; and the markers between them. */
#ifndef STK_IMAGE_JPEG_UNSTUFF_H
#define STK_IMAGE_JPEG_UNSTUFF_H

#include <stdbool.h>
#include <stoker/bytes.h>

enum { STK_UNSTUFF_SLACK = 32 }; /* bytes behind what is copied that may be overwritten */

typedef struct stk_unstuffed {
    size_t read, written;
    bool   marker; /* stopped at one, or at the end of src: read is the place of its 0xff */
} stk_unstuffed;

/* Copies at most capacity bytes (dst has STK_UNSTUFF_SLACK more). */
typedef stk_unstuffed (*stk_unstuff_fn)(uint8_t *dst, size_t capacity, stk_bytes src);
stk_unstuffed stk_unstuff_plain(uint8_t *dst, size_t capacity, stk_bytes src);
stk_unstuffed stk_unstuff_avx2(uint8_t *dst, size_t capacity, stk_bytes src);

/* Offset of the next 0xff that is followed by neither 0 nor 0xff, or src.size. */
typedef size_t (*stk_find_marker_fn)(stk_bytes src);
size_t stk_find_marker_plain(stk_bytes src);
size_t stk_find_marker_avx2(stk_bytes src);

#endif
