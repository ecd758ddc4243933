/* Bytes as text: base64 with + and /, padded. */
#ifndef STK_BASE_BASE64_H
#define STK_BASE_BASE64_H

#include <stdbool.h>
#include <stoker/blob.h>

/* Appends the text of bytes, not terminated. */
STK_NODISCARD stk_status stk_base64_append(stk_blob *out, stk_bytes bytes, stk_error *err);
/* Decodes length characters of text to out, which has 3/4 of them in bytes; skips blanks and line
 * breaks. False: invalid text. */
bool stk_base64_read(const char *text, size_t length, uint8_t *out, size_t *size);

#endif
