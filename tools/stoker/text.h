/* Text on a terminal: how wide it is, what of it is safe to print, where it breaks. */
#ifndef CLI_TOOLS_TEXT_H
#define CLI_TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns that text takes on the screen. */
int cli_text_width(const char *text);
int cli_text_width_of(const char *text, size_t size);

/* Of the first size bytes of text, how many are whole characters. */
size_t cli_text_cut(const char *text, size_t size);

/* Copies at most columns of text to dst (capacity bytes, terminated). What may not be shown
 * (stoker/text.h), and bytes that are no text in this locale, become \xNN, so that a file name
 * cannot drive the terminal. Text that is cut ends in "...". */
void cli_text_fit(char *dst, size_t capacity, const char *text, int columns);

/* The same, without a limit of columns, to out. */
void cli_text_print(FILE *out, const char *text);
void cli_text_print_bytes(FILE *out, const char *text, size_t size);

/* Prints text in lines of at most width columns, each indented by indent; first_column is where
 * the cursor stands. Line breaks in text are kept. Ends with a line break. */
void cli_text_wrap(FILE *out, const char *text, int first_column, int indent, int width);

#endif
