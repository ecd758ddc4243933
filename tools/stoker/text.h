/* Text on a terminal: width, escaping, line breaks. */
#ifndef CLI_TOOLS_TEXT_H
#define CLI_TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of text on the screen. */
int cli_text_width(const char *text);
int cli_text_width_of(const char *text, size_t size);

/* Largest prefix of at most size bytes with complete characters. */
size_t cli_text_cut(const char *text, size_t size);

/* Copies at most columns of text to dst (capacity bytes, NUL-terminated). Control characters
 * (stoker/text.h) and invalid bytes become \xNN, so that a file name cannot control the terminal.
 * Truncated text ends in "...". */
void cli_text_fit(char *dst, size_t capacity, const char *text, int columns);

/* Prints the same to out, without a limit of columns. */
void cli_text_print(FILE *out, const char *text);
void cli_text_print_bytes(FILE *out, const char *text, size_t size);

/* Wraps text to width columns, indented by indent; first_column is the cursor's. Keeps line breaks
 * and ends with one. */
void cli_text_wrap(FILE *out, const char *text, int first_column, int indent, int width);

#endif
