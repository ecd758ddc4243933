/* Properties of the output: colours, characters, width. */
#ifndef CLI_TOOLS_TERMINAL_H
#define CLI_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* When colours are used: "auto" means on a terminal. NO_COLOR in the environment takes
 * precedence. */
const char *cli_color_choice(size_t index);

/* Escape sequences, or "" without colours. */
typedef struct cli_style {
    const char *bold, *dim, *good, *bad, *plain;
    bool        unicode; /* block characters are available */
    int         width;   /* columns: 60 to 120 */
} cli_style;

/* color: a choice of the above, or NULL for "auto". */
cli_style cli_style_for(FILE *out, const char *color);

/* Whether text is one of a style's sequences, by address. */
bool cli_style_has(const char *text);

/* Whether the locale's encoding is UTF-8. */
bool cli_terminal_shows_unicode(void);

/* Columns of out's terminal, within min and max; 80 within the same bounds for a file. */
int cli_terminal_width(FILE *out, int min, int max);

#endif
