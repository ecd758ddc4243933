/* UTF-8 decoding and encoding. */
#ifndef STK_BASE_UTF8_H
#define STK_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/blob.h>

/* Bytes (1..4) of the character that begins at text, of which left bytes remain; 0 when they are
 * none: a stray or missing continuation, a longer form than needed, a surrogate, past U+10FFFF. */
int stk_utf8_length(const uint8_t *text, size_t left);

/* Whether a character of length bytes is printable: no control character, line break or direction
 * mark. */
bool stk_utf8_is_shown(const uint8_t *text, int length);

/* Writes a code point (at most 0x10FFFF) and returns the number of bytes. */
int stk_utf8_write(uint8_t *dst, uint32_t code);

/* Whether text is valid UTF-8. */
bool stk_utf8_is_valid(const char *text);
/* Appends text, with \xHH for invalid bytes; not terminated. */
STK_NODISCARD stk_status stk_utf8_escape(stk_blob *out, const char *text, stk_error *err);

#endif
