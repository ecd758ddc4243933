/* Appends text to a blob. The first failure stays in status and err; later calls are no-ops. */
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
/* At most 255 bytes, without floating-point numbers, whose decimal point depends on the locale. */
void stk_text_format(stk_text_out *out, const char *format, ...) STK_PRINTF(2, 3);
/* A number with at most one decimal. */
void stk_text_tenths(stk_text_out *out, double number);
/* Escapes text for XML; characters that XML forbids become '?'. */
void stk_text_xml(stk_text_out *out, const char *text);
/* Text for a terminal: control characters, and without utf8 all non-ASCII ones, become '?'. At most
 * max characters; returns how many. */
int  stk_text_plain(stk_text_out *out, const char *text, bool utf8, int max);
void stk_text_repeat(stk_text_out *out, const char *text, int count);

#endif
