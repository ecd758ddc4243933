/* Printing for people. Every file of the command reads this first (CMakeLists.txt): printf and its
 * like show each text that they are given (%s, %c) as stk_text_escape does, so that no name of a
 * file, class or column drives the terminal or forges a line, wherever it is printed. The format
 * itself and the sequences of cli_style go through as they are. JSON is written by fwrite: it has
 * no such characters. */
#ifndef CLI_TOOLS_PRINT_H
#define CLI_TOOLS_PRINT_H

#include <stdarg.h>
#include <stdio.h>
#include <stoker/bytes.h>
#include <stoker/export.h>

/* Width of %s counts columns, precision bytes; a character that it cuts is left away. Returns the
 * columns that were printed. */
int cli_print(FILE *out, const char *format, ...) STK_PRINTF(2, 3);
int cli_vprint(FILE *out, const char *format, va_list args);
/* Text of several lines, whose breaks and tabs are kept. */
void cli_print_lines(FILE *out, stk_bytes text);
/* Results for programs (CSV) on stdout: exactly, but for a terminal, which is a person's. */
void cli_print_exact(stk_bytes text);

/* A word of a command that a person may type (stoker/text.h); a path is never taken for a flag. */
void cli_print_word(FILE *out, const char *text);
void cli_print_path(FILE *out, const char *path);

#define printf(...) cli_print(stdout, __VA_ARGS__)
#define fprintf(...) cli_print(__VA_ARGS__)
#define vprintf(format, args) cli_vprint(stdout, format, args)
#define vfprintf(out, format, args) cli_vprint(out, format, args)
#define fputs(text, out) ((void)cli_print(out, "%s", text))
#define puts(text) ((void)cli_print(stdout, "%s\n", text))

#endif
