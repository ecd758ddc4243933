/* A character canvas in memory. Drawing outside of it is a no-op. */
#ifndef CLI_TOOLS_CANVAS_H
#define CLI_TOOLS_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>

typedef enum cli_style_kind {
    CLI_STYLE_PLAIN,
    CLI_STYLE_DIM,
    CLI_STYLE_BOLD,
    CLI_STYLE_LOW, /* of load: green, yellow, red */
    CLI_STYLE_MIDDLE,
    CLI_STYLE_HIGH,
    CLI_STYLE_FIRST, /* two metrics in one chart */
    CLI_STYLE_SECOND,
    CLI_STYLE_KINDS
} cli_style_kind;

typedef struct cli_cell {
    uint32_t       code; /* Unicode code point */
    cli_style_kind style;
} cli_cell;

typedef struct cli_canvas {
    int       width, height;
    bool      unicode; /* else ASCII only */
    cli_cell *cells;
} cli_canvas;

typedef struct cli_box {
    int x, y, width, height;
} cli_box;

/* width and height: at least 1. */
STK_NODISCARD stk_status cli_canvas_init(cli_canvas *canvas, int width, int height, bool unicode,
                                         stk_error *err);
void                     cli_canvas_release(cli_canvas *canvas);
/* Appends the lines without trailing blanks; with color, with escape sequences. */
STK_NODISCARD stk_status cli_canvas_write(const cli_canvas *canvas, bool color, stk_blob *out,
                                          stk_error *err);

void cli_canvas_put(cli_canvas *canvas, int x, int y, uint32_t code, cli_style_kind style);
/* Fills a box with blanks. */
void cli_canvas_clear(cli_canvas *canvas, cli_box box);
/* Draws at most columns of ASCII text; other characters become '?'. Returns the columns used. */
int cli_canvas_text(cli_canvas *canvas, int x, int y, int columns, cli_style_kind style,
                    const char *text);
int cli_canvas_print(cli_canvas *canvas, int x, int y, int columns, cli_style_kind style,
                     const char *format, ...) STK_PRINTF(6, 7);
/* Draws a frame with a title; returns the box inside. */
cli_box cli_canvas_frame(cli_canvas *canvas, cli_box box, const char *title);
/* Draws a bar of fraction (0 to 1; negative: not known), coloured by load, or by style if that is
 * not PLAIN. */
void cli_canvas_bar(cli_canvas *canvas, int x, int y, int columns, double fraction,
                    cli_style_kind style);
/* Draws values, newest at the right edge; NAN leaves a gap. 1 is the full height. A column shows
 * two values in Unicode, else one. */
void cli_canvas_graph(cli_canvas *canvas, cli_box box, const double *values, size_t count,
                      cli_style_kind style);
/* Number of values shown in so many columns. */
size_t cli_canvas_graph_values(const cli_canvas *canvas, int columns);

#endif
