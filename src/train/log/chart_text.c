/* A chart for a terminal: a grid of cells with axes. A cell shows eight braille dots, or, to
 * distinguish lines without colours, the letter of one line. */
#include "train/log/chart_plan.h"
#include "train/log/text_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 80,
    ROWS = 16,
    COLUMNS_MIN = 20,
    ROWS_MIN = 4,
    SIDE_MAX = 1000,
    TICK_COLUMNS = 12,
    TICK_ROWS = 3,
    DOTS_ACROSS = 2,
    DOTS_DOWN = 4,
    BRAILLE = 0x2800
};

static const char letters[STK_CHART_SERIES_MAX + 1] = "*+ox#@%&";

typedef struct cell {
    uint8_t dots;   /* braille pattern; 1 in a grid of letters */
    uint8_t series; /* the last one in the cell */
    char    marker; /* its letter; 0: none */
} cell;

typedef struct grid {
    stk_chart_text_options options;
    const stk_chart_plan  *plan;
    stk_text_out          *out;
    cell                  *cells;
    int                    columns, rows; /* of the plot */
    int                    labels;        /* columns left of the vertical axis */
    int                    across, down;  /* dots per cell */
    uint8_t                series;        /* being drawn */
    int                    x, y;          /* the pen's position in dots */
} grid;

/* Terminal columns: one per UTF-8 character. */
static int count_columns(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += ((uint8_t)*text & 0xc0) != 0x80;
    return columns;
}

static cell *cell_at(const grid *g, int column, int row)
{
    return &g->cells[row * g->columns + column];
}

static void set_dot(const grid *g, int x, int y)
{
    /* Braille bits go down the left column, then the right one, except the bottom row. */
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    cell                *c = cell_at(g, x / g->across, y / g->down);
    c->dots |= bits[y % g->down][x % g->across];
    c->series = g->series;
}

static void move_pen(void *context, double x, double y, bool down)
{
    grid     *g = context;
    const int to_x = (int)lround(x), to_y = (int)lround(y);
    if (!down) g->x = to_x, g->y = to_y;
    const int dx = to_x - g->x, dy = to_y - g->y;
    const int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int i = 0; i <= steps; i++)
        set_dot(g, g->x + (steps ? (int)lround((double)dx * i / steps) : 0),
                g->y + (steps ? (int)lround((double)dy * i / steps) : 0));
    g->x = to_x;
    g->y = to_y;
}

static void draw(grid *g)
{
    const stk_chart *chart = g->plan->chart;
    const int        width = g->columns * g->across - 1, height = g->rows * g->down - 1;
    double           x, y;
    for (size_t i = 0; i < chart->series_count; i++) {
        g->series = (uint8_t)i;
        stk_chart_trace(g->plan, &chart->series[i], width, height, move_pen, g);
    }
    for (size_t i = 0; i < chart->marker_count; i++)
        if (stk_chart_marker_position(g->plan, &chart->markers[i], width, height, &x, &y))
            cell_at(g, (int)lround(x) / g->across, (int)lround(y) / g->down)->marker =
                (char)('A' + i);
}

static void begin_colour(const grid *g, size_t series)
{
    static const int codes[STK_CHART_SERIES_MAX] = {34, 33, 32, 35, 31, 36, 94, 95};
    if (g->options.colour) stk_text_format(g->out, "\x1b[%dm", codes[series]);
}

static void end_colour(const grid *g)
{
    if (g->options.colour) stk_text_put(g->out, "\x1b[0m");
}

static void put_braille(stk_text_out *out, uint8_t dots)
{
    const unsigned code = BRAILLE + dots;
    const char     utf8[] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                             (char)(0x80 | (code & 0x3f)), 0};
    stk_text_put(out, utf8);
}

static void put_cell(const grid *g, const cell *c)
{
    if (c->marker) {
        stk_text_format(g->out, "%c", c->marker);
    } else if (!c->dots) {
        stk_text_put(g->out, " ");
    } else {
        begin_colour(g, c->series);
        if (g->across > 1)
            put_braille(g->out, c->dots);
        else
            stk_text_format(g->out, "%c", letters[c->series]);
        end_colour(g);
    }
}

/* The tick in this row; -1: none. */
static int tick_of_row(const grid *g, int row)
{
    for (int i = 0; i < g->plan->y.count; i++) {
        const double position = 1 - stk_chart_axis_position(&g->plan->y, g->plan->y.ticks[i]);
        if (lround(position * (g->rows - 1)) == row) return i;
    }
    return -1;
}

static void put_rows(const grid *g)
{
    const bool utf8 = g->options.utf8;
    for (int row = 0; row < g->rows; row++) {
        const int   tick = tick_of_row(g, row);
        const char *label = tick < 0 ? "" : g->plan->y.labels[tick];
        int         last = g->columns;
        stk_text_format(g->out, "%*s ", g->labels, label);
        stk_text_put(g->out, tick < 0 ? (utf8 ? "│" : "|") : (utf8 ? "┤" : "+"));
        while (last && !cell_at(g, last - 1, row)->dots && !cell_at(g, last - 1, row)->marker)
            last--;
        for (int column = 0; column < last; column++)
            put_cell(g, cell_at(g, column, row));
        stk_text_put(g->out, "\n");
    }
}

static int column_of_tick(const grid *g, int tick)
{
    return (int)lround(stk_chart_axis_position(&g->plan->x, g->plan->x.ticks[tick]) *
                       (g->columns - 1));
}

/* The axis, with a mark below each tick. */
static void put_x_line(const grid *g)
{
    const bool utf8 = g->options.utf8;
    stk_text_format(g->out, "%*s %s", g->labels, "", utf8 ? "└" : "+");
    for (int column = 0; column < g->columns; column++) {
        bool tick = false;
        for (int i = 0; i < g->plan->x.count; i++)
            tick = tick || column_of_tick(g, i) == column;
        stk_text_put(g->out, tick ? (utf8 ? "┬" : "+") : (utf8 ? "─" : "-"));
    }
    stk_text_put(g->out, "\n");
}

/* Labels below their ticks, shifted inwards at the ends; one that would touch the previous one is
 * dropped. */
static void put_x_labels(const grid *g)
{
    const int before = g->labels + 2, end = before + g->columns;
    int       at = 0;
    for (int i = 0; i < g->plan->x.count; i++) {
        const char *label = g->plan->x.labels[i];
        const int   length = (int)strlen(label);
        int         begin = before + column_of_tick(g, i) - length / 2;
        if (begin + length > end) begin = end - length;
        if (begin < 0 || (at && begin <= at)) continue;
        stk_text_format(g->out, "%*s%s", begin - at, "", label);
        at = begin + length;
    }
    stk_text_put(g->out, "\n");
}

static void put_line_of_text(const grid *g, int indent, const char *text)
{
    if (!text) return;
    stk_text_repeat(g->out, " ", indent);
    (void)stk_text_plain(g->out, text, g->options.utf8, g->options.columns - indent);
    stk_text_put(g->out, "\n");
}

static void put_legend(const grid *g)
{
    const stk_chart *chart = g->plan->chart;
    int              used = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        if (!stk_chart_has_name(&chart->series[i])) continue;
        const int wide = count_columns(chart->series[i].name) + 5;
        if (used && used + wide > g->options.columns) {
            stk_text_put(g->out, "\n");
            used = 0;
        }
        if (used) stk_text_put(g->out, "   ");
        begin_colour(g, i);
        if (g->across > 1)
            stk_text_put(g->out, "──");
        else
            stk_text_format(g->out, "%c", letters[i]);
        end_colour(g);
        stk_text_put(g->out, " ");
        used += 6 + stk_text_plain(g->out, chart->series[i].name, g->options.utf8,
                                   g->options.columns - 3);
    }
    if (used) stk_text_put(g->out, "\n");
}

static void put_markers(const grid *g)
{
    for (size_t i = 0; i < g->plan->chart->marker_count; i++) {
        const stk_chart_marker *marker = &g->plan->chart->markers[i];
        char                    x[STK_CHART_AXIS_LABEL], y[STK_CHART_AXIS_LABEL];
        char                    position[2 * STK_CHART_AXIS_LABEL + 8];
        snprintf(position, sizeof position, "%c (%s, %s) ", (char)('A' + i),
                 stk_chart_axis_number(marker->x, 4, x), stk_chart_axis_number(marker->y, 4, y));
        const int left = g->options.columns - (int)strlen(position);
        stk_text_put(g->out, position);
        if (marker->text && left > 0)
            (void)stk_text_plain(g->out, marker->text, g->options.utf8, left);
        stk_text_put(g->out, "\n");
    }
}

static void put_all(const grid *g)
{
    const stk_chart *chart = g->plan->chart;
    put_line_of_text(g, 0, chart->title);
    put_legend(g);
    put_line_of_text(g, 0, chart->y_label);
    put_rows(g);
    put_x_line(g);
    put_x_labels(g);
    if (chart->x_label) {
        const int middle = g->labels + 2 + (g->columns - count_columns(chart->x_label)) / 2;
        put_line_of_text(g, middle > 0 ? middle : 0, chart->x_label);
    }
    put_markers(g);
}

static stk_status with_defaults(const stk_chart_text_options *given, stk_chart_text_options *out,
                                stk_error *err)
{
    *out = given ? *given : (stk_chart_text_options){0};
    if (!out->columns) out->columns = COLUMNS;
    if (!out->rows) out->rows = ROWS;
    if (out->columns >= COLUMNS_MIN && out->columns <= SIDE_MAX && out->rows >= ROWS_MIN &&
        out->rows <= SIDE_MAX)
        return STK_OK;
    return stk_fail(err, STK_E_RANGE, "chart", NULL,
                    "%d columns and %d rows; at least %d and %d, at most %d are drawn",
                    out->columns, out->rows, COLUMNS_MIN, ROWS_MIN, SIDE_MAX);
}

static void lay_out(grid *g)
{
    const stk_chart *chart = g->plan->chart;
    const bool       braille = g->options.utf8 && (g->options.colour || chart->series_count < 2);
    g->across = braille ? DOTS_ACROSS : 1;
    g->down = braille ? DOTS_DOWN : 1;
    for (int i = 0; i < g->plan->y.count; i++) {
        const int length = (int)strlen(g->plan->y.labels[i]);
        if (length > g->labels) g->labels = length;
    }
    if (g->labels > g->options.columns / 2) g->labels = g->options.columns / 2;
    g->columns = g->options.columns - g->labels - 2;
    g->rows = g->options.rows;
}

/* A terminal has no faint lines, so unsmoothed lines are dropped, also from the range. */
static stk_chart without_behind(const stk_chart *chart, stk_chart_series *series)
{
    stk_chart plain = *chart;
    if (chart->series_count > STK_CHART_SERIES_MAX) return plain; /* rejected later */
    for (size_t i = 0; i < chart->series_count; i++) {
        series[i] = chart->series[i];
        series[i].behind = NULL;
    }
    plain.series = series;
    return plain;
}

stk_status stk_chart_text(stk_blob *out, const stk_chart *chart,
                          const stk_chart_text_options *options, stk_error *err)
{
    stk_chart_series series[STK_CHART_SERIES_MAX];
    const stk_chart  shown = without_behind(chart, series);
    stk_chart_plan   plan;
    stk_text_out     text = {.blob = out, .err = err};
    grid             g = {.plan = &plan, .out = &text};
    const size_t     before = out->size;
    STK_TRY(with_defaults(options, &g.options, err));
    STK_TRY(stk_chart_plan_make(&plan, &shown, g.options.columns / TICK_COLUMNS,
                                g.options.rows / TICK_ROWS, err));
    lay_out(&g);
    g.cells = calloc((size_t)g.columns * (size_t)g.rows, sizeof *g.cells);
    if (!g.cells) return stk_fail(err, STK_E_NOMEM, "chart", chart->title, "no memory for a chart");
    draw(&g);
    put_all(&g);
    free(g.cells);
    if (text.status) out->size = before;
    return text.status;
}
