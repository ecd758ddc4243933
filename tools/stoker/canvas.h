/* A screen in memory: cells of one character each, and what is drawn with them. Drawing outside of
 * it does nothing. */
#ifndef STK_TOOLS_CANVAS_H
#define STK_TOOLS_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>

typedef enum stk_ink {
    STK_INK_PLAIN,
    STK_INK_DIM,
    STK_INK_BOLD,
    STK_INK_LOW, /* of load: green, yellow, red */
    STK_INK_MIDDLE,
    STK_INK_HIGH,
    STK_INK_FIRST, /* two quantities side by side */
    STK_INK_SECOND,
    STK_INKS
} stk_ink;

typedef struct stk_cell {
    uint32_t code; /* Unicode */
    stk_ink  ink;
} stk_cell;

typedef struct cli_canvas {
    int       width, height;
    bool      unicode; /* else every character is ASCII */
    stk_cell *cells;
} cli_canvas;

typedef struct stk_box {
    int x, y, width, height;
} stk_box;

/* width and height: at least 1. */
STK_NODISCARD stk_status stk_canvas_init(cli_canvas *canvas, int width, int height, bool unicode,
                                         stk_error *err);
void                     stk_canvas_release(cli_canvas *canvas);
/* Appends lines without trailing blanks, each with a line break; with color, escape sequences. */
STK_NODISCARD stk_status stk_canvas_write(const cli_canvas *canvas, bool color, stk_blob *out,
                                          stk_error *err);

void stk_canvas_put(cli_canvas *canvas, int x, int y, uint32_t code, stk_ink ink);
/* Makes a box blank again. */
void stk_canvas_clear(cli_canvas *canvas, stk_box box);
/* At most columns of ASCII text; anything else in it becomes '?'. Returns the columns taken. */
int stk_canvas_text(cli_canvas *canvas, int x, int y, int columns, stk_ink ink, const char *text);
int stk_canvas_print(cli_canvas *canvas, int x, int y, int columns, stk_ink ink, const char *format,
                     ...) STK_PRINTF(6, 7);
/* A frame with a title in its upper edge; returns the box inside. */
stk_box stk_canvas_frame(cli_canvas *canvas, stk_box box, const char *title);
/* share (0 to 1; negative: not known) of columns, in the colour of load or, where ink is not
 * PLAIN, in that. */
void stk_canvas_bar(cli_canvas *canvas, int x, int y, int columns, double share, stk_ink ink);
/* values, the newest last, at the right edge; NAN leaves a gap. One unit is the full height; two
 * values a column in Unicode, else one. */
void stk_canvas_graph(cli_canvas *canvas, stk_box box, const double *values, size_t count,
                      stk_ink ink);
/* Values that a graph of so many columns shows. */
size_t stk_canvas_graph_values(const cli_canvas *canvas, int columns);

#endif
