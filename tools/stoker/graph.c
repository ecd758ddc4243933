/* Bars, and graphs of Braille dots with two values and four levels per cell. */
#include "canvas.h"

#include <math.h>

enum { DOTS = 4 };

static cli_style_kind style_of_load(double fraction)
{
    return fraction < 0.5 ? CLI_STYLE_LOW : fraction < 0.85 ? CLI_STYLE_MIDDLE : CLI_STYLE_HIGH;
}

void cli_canvas_bar(cli_canvas *canvas, int x, int y, int columns, double fraction,
                    cli_style_kind style)
{
    /* Eighths of a cell; in ASCII complete ones. */
    const uint32_t       empty = canvas->unicode ? 0x2591 : '.';
    const double         part = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    const int            eighths = (int)lround(part * columns * 8);
    const cli_style_kind colour = style == CLI_STYLE_PLAIN ? style_of_load(part) : style;
    for (int i = 0; i < columns; i++) {
        const int here = eighths - 8 * i;
        if (here >= (canvas->unicode ? 8 : 4))
            cli_canvas_put(canvas, x + i, y, canvas->unicode ? 0x2588 : '#', colour);
        else if (here > 0 && canvas->unicode)
            cli_canvas_put(canvas, x + i, y, 0x2590 - (uint32_t)here, colour);
        else
            cli_canvas_put(canvas, x + i, y, fraction < 0 ? ' ' : empty, CLI_STYLE_DIM);
    }
}

size_t cli_canvas_graph_values(const cli_canvas *canvas, int columns)
{
    return columns > 0 ? (size_t)columns * (canvas->unicode ? 2 : 1) : 0;
}

/* Dots of a value in the cell with lowest level base: 0 to 4. Any positive value has one. */
static int dots_of(double value, int height, int base, int levels)
{
    if (isnan(value) || value < 0) return 0;
    int level = (int)lround((value > 1 ? 1 : value) * height * levels);
    if (!level && value > 0) level = 1;
    level -= base * levels;
    return level < 0 ? 0 : level > levels ? levels : level;
}

static uint32_t braille(int left, int right)
{
    static const uint32_t lefts[] = {0, 0x40, 0x44, 0x46, 0x47};
    static const uint32_t rights[] = {0, 0x80, 0xa0, 0xb0, 0xb8};
    return 0x2800 + lefts[left] + rights[right];
}

static double value_at(const double *values, size_t count, size_t shown, size_t column)
{
    return column + count < shown ? NAN : values[column + count - shown];
}

void cli_canvas_graph(cli_canvas *canvas, cli_box box, const double *values, size_t count,
                      cli_style_kind style)
{
    static const char ascii[] = " .:+#";
    const size_t      shown = cli_canvas_graph_values(canvas, box.width);
    if (count > shown) {
        values += count - shown;
        count = shown;
    }
    for (int row = 0; row < box.height; row++) { /* from below */
        const double         middle = ((double)row + 0.5) / box.height;
        const cli_style_kind colour = style == CLI_STYLE_PLAIN ? style_of_load(middle) : style;
        const int            y = box.y + box.height - 1 - row;
        for (int x = 0; x < box.width; x++) {
            const size_t column = canvas->unicode ? 2 * (size_t)x : (size_t)x;
            const int left = dots_of(value_at(values, count, shown, column), box.height, row, DOTS);
            const int right = canvas->unicode ? dots_of(value_at(values, count, shown, column + 1),
                                                        box.height, row, DOTS)
                                              : 0;
            if (!left && !right) continue;
            cli_canvas_put(canvas, box.x + x, y,
                           canvas->unicode ? braille(left, right) : (uint32_t)ascii[left], colour);
        }
    }
}
