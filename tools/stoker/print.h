/* Safe printing. CMakeLists.txt includes this first in every file of the command: printf and
 * similar functions escape text arguments (%s, %c) by stk_text_escape. So no name of a file, class
 * or column can control the terminal or forge a line. The format itself and cli_style's sequences
 * are unchanged. JSON is written by fwrite and contains no such characters. */
#ifndef CLI_TOOLS_PRINT_H
#define CLI_TOOLS_PRINT_H

#include <stdarg.h>
#include <stdio.h>
#include <stoker/bytes.h>
#include <stoker/export.h>

/* The width of %s counts columns, its precision bytes; partial characters are dropped. Returns the
 * printed columns. */
int cli_print(FILE *out, const char *format, ...) STK_PRINTF(2, 3);
int cli_vprint(FILE *out, const char *format, va_list args);
/* Prints text of several lines; keeps line breaks and tabs. */
void cli_print_lines(FILE *out, stk_bytes text);
/* Prints results for programs (CSV) to stdout: unchanged, but escaped on a terminal. */
void cli_print_exact(stk_bytes text);

/* Prints a word of a shell command (stoker/text.h); a path is never mistaken for a flag. */
void cli_print_word(FILE *out, const char *text);
void cli_print_path(FILE *out, const char *path);

#define printf(...) cli_print(stdout, __VA_ARGS__)
#define fprintf(...) cli_print(__VA_ARGS__)
#define vprintf(format, args) cli_vprint(stdout, format, args)
#define vfprintf(out, format, args) cli_vprint(out, format, args)
#define fputs(text, out) ((void)cli_print(out, "%s", text))
#define puts(text) ((void)cli_print(stdout, "%s\n", text))

#endif
