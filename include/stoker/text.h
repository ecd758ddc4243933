/* stoker/text.h - names that others chose (of files, classes, columns), fit to be shown and typed.
 * A name may hold anything but a zero byte: line breaks that forge a line, escape sequences that
 * drive a terminal, characters that turn text around, quotes and $(...) that a shell would run. */
#ifndef STOKER_TEXT_H
#define STOKER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stoker/export.h>

STK_BEGIN_DECLS

/* Bytes of the character that text begins with, of which left bytes remain; 0 at the end. *shown
 * says whether it may be shown as it is: no control character (of one byte, of two, DEL), none that
 * breaks lines or sets the direction of text, and UTF-8. Of what is no UTF-8 it is one byte. */
STK_API size_t stk_text_character(const char *text, size_t left, bool *shown);

/* The following write as snprintf does: at most capacity bytes with the zero that ends them, and
 * return how many all of it would take without that. */

/* For people: what may not be shown becomes \xNN, byte by byte. What does not fit is left away by
 * whole characters. */
STK_API size_t stk_text_escape(char *dst, size_t capacity, const char *text);

/* For a shell: one word that stands for exactly text, in the shells of POSIX and in those that
 * people use, of characters that may be shown. What does not fit is "": half a word could run. */
STK_API size_t stk_shell_word(char *dst, size_t capacity, const char *text);
/* The same for a path: one that begins with a dash is no flag then. */
STK_API size_t stk_shell_path(char *dst, size_t capacity, const char *path);

STK_END_DECLS
#endif
