/* What the output may look like: colours, characters, width. */
#ifndef STK_TOOLS_TERMINAL_H
#define STK_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* When colours are used: "auto" means on a terminal. NO_COLOR in the environment always wins. */
const char *stk_color_choice(size_t index);

/* Escape sequences, or "" where they would disturb. */
typedef struct stk_style {
    const char *bold, *dim, *good, *bad, *plain;
    bool        unicode; /* block characters may be used */
    int         width;   /* columns: 60 to 120 */
} stk_style;

/* color is a choice of the above, or NULL for "auto". */
stk_style stk_style_for(FILE *out, const char *color);

/* Whether text is one of the sequences of a style: that one, not one with the same bytes. */
bool stk_style_has(const char *text);

/* Whether its characters are UTF-8, by the locale. */
bool stk_terminal_shows_unicode(void);

/* Columns of the terminal that out is, within least..most; least..most around 80 for a file. */
int stk_terminal_width(FILE *out, int least, int most);

#endif
