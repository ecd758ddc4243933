/* What the output may look like: colours, characters, width. */
#ifndef CLI_TOOLS_TERMINAL_H
#define CLI_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* When colours are used: "auto" means on a terminal. NO_COLOR in the environment always wins. */
const char *cli_color_choice(size_t index);

/* Escape sequences, or "" where they would disturb. */
typedef struct cli_style {
    const char *bold, *dim, *good, *bad, *plain;
    bool        unicode; /* block characters may be used */
    int         width;   /* columns: 60 to 120 */
} cli_style;

/* color is a choice of the above, or NULL for "auto". */
cli_style cli_style_for(FILE *out, const char *color);

/* Whether text is one of the sequences of a style: that one, not one with the same bytes. */
bool cli_style_has(const char *text);

/* Whether its characters are UTF-8, by the locale. */
bool cli_terminal_shows_unicode(void);

/* Columns of the terminal that out is, within least..most; least..most around 80 for a file. */
int cli_terminal_width(FILE *out, int min, int max);

#endif
