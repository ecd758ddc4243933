/* Text written piece by piece to the end of a blob. The first failure stays in status and err;
 * every call after it does nothing. */
#ifndef STK_TRAIN_LOG_TEXT_OUT_H
#define STK_TRAIN_LOG_TEXT_OUT_H

#include <stdbool.h>
#include <stoker/blob.h>

typedef struct stk_text_out {
    stk_blob  *blob;
    stk_status status;
    stk_error *err;
} stk_text_out;

void stk_text_put(stk_text_out *out, const char *text);
/* At most 255 bytes, with no floating-point numbers: their point would be the locale's. */
void stk_text_format(stk_text_out *out, const char *format, ...) STK_PRINTF(2, 3);
/* A number with one decimal at most. */
void stk_text_tenths(stk_text_out *out, double number);
/* For between the tags of XML: what it has no letter for is replaced by '?'. */
void stk_text_xml(stk_text_out *out, const char *text);
/* For a terminal: control characters, and without utf8 all but ASCII, become '?'. At most `most`
 * characters; returns how many there were. */
int  stk_text_plain(stk_text_out *out, const char *text, bool utf8, int max);
void stk_text_repeat(stk_text_out *out, const char *text, int count);

#endif
