/* stoker/text.h - safe display of untrusted names (files, classes, columns). A name may hold any
 * byte but zero: line breaks that forge a line, terminal escape sequences, direction marks, quotes
 * and $(...) of a shell. */
#ifndef STOKER_TEXT_H
#define STOKER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stoker/export.h>

STK_BEGIN_DECLS

/* Length in bytes of the first character of text, of which left bytes remain; 0 at the end. *shown:
 * it is printable as is: valid UTF-8, no control character (C0, C1, DEL), no line break or
 * direction mark. Invalid UTF-8 counts as one byte. */
STK_API size_t stk_text_character(const char *text, size_t left, bool *shown);

/* The following write as snprintf: at most capacity bytes with the terminating zero; they return
 * the full length without it. */

/* For display: unprintable characters become \xNN, byte by byte. Truncates at character boundaries.
 */
STK_API size_t stk_text_escape(char *dst, size_t capacity, const char *text);

/* For a shell: one word of printable characters that evaluates to text in POSIX shells and the
 * common others. A word that does not fit becomes "": half of it could run. */
STK_API size_t stk_shell_word(char *dst, size_t capacity, const char *text);
/* The same for a path: a leading dash does not make a flag. */
STK_API size_t stk_shell_path(char *dst, size_t capacity, const char *path);

STK_END_DECLS
#endif
