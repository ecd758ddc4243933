/* A chart as PNG. A line's coverage is accumulated first and blended once, so that joints are not
 * drawn twice. */
#include "train/log/chart_plan.h"

#include <math.h>
#include <stoker/font.h>
#include <stoker/image.h>
#include <string.h>

enum { SCALE = 2, ADVANCE = STK_FONT_ADVANCE * SCALE, TALL = 7 * SCALE, DOT = 5, MARKER_GAP = 10 };

static const stk_chart_type type = {
    .letter = ADVANCE, .line = 26, .title = 34, .margin = 20, .swatch = 24};

typedef struct drawing {
    stk_pixels             pixels;
    uint8_t               *coverage; /* of one line: one byte per pixel */
    const stk_chart_theme *theme;
    stk_chart_frame        at;
    double                 x, y; /* the pen's position */
} drawing;

static void split(uint32_t colour, uint8_t rgb[3])
{
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(colour >> (16 - 8 * c));
}

static void blend(const drawing *d, int x, int y, uint32_t colour, int coverage)
{
    uint8_t  rgb[3];
    uint8_t *to = d->pixels.data + (size_t)y * d->pixels.stride + (size_t)x * 3;
    split(colour, rgb);
    for (int c = 0; c < 3; c++)
        to[c] = (uint8_t)((to[c] * (255 - coverage) + rgb[c] * coverage + 127) / 255);
}

static void fill(const drawing *d, int left, int top, int right, int bottom, uint32_t colour)
{
    for (int y = top > 0 ? top : 0; y < bottom && y < d->at.height; y++)
        for (int x = left > 0 ? left : 0; x < right && x < d->at.width; x++)
            blend(d, x, y, colour, 255);
}

/* y: the baseline; anchor 0: text begins at x, 1: ends there, 0.5: is centred. */
static void write_text(const drawing *d, double x, int y, double anchor, uint32_t colour,
                       const char *text)
{
    uint8_t      rgb[3];
    const double width = stk_font_length(text) * ADVANCE - SCALE;
    split(colour, rgb);
    stk_font_render(&d->pixels, (int)lround(x - anchor * width), y - TALL, SCALE, rgb, text);
}

/* With a background rim, for text over lines. */
static void write_clear(const drawing *d, double x, int y, double anchor, const char *text)
{
    for (int dy = -SCALE; dy <= SCALE; dy++)
        for (int dx = -SCALE; dx <= SCALE; dx++)
            write_text(d, x + dx, y + dy, anchor, d->theme->paper, text);
    write_text(d, x, y, anchor, d->theme->ink, text);
}

/* Distance of (x, y) from a line segment. */
static double distance(double x, double y, double x0, double y0, double x1, double y1)
{
    const double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    double       along = square > 0 ? ((x - x0) * dx + (y - y0) * dy) / square : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    return hypot(x - x0 - along * dx, y - y0 - along * dy);
}

static int within(double value, int max)
{
    return value < 0 ? 0 : value > max ? max : (int)value;
}

static void blend_line(const drawing *d, double x0, double y0, double x1, double y1, double half)
{
    const int left = within(fmin(x0, x1) - half - 1, d->at.width);
    const int right = within(fmax(x0, x1) + half + 2, d->at.width);
    const int top = within(fmin(y0, y1) - half - 1, d->at.height);
    const int bottom = within(fmax(y0, y1) + half + 2, d->at.height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            const double part = half + 0.5 - distance(x + 0.5, y + 0.5, x0, y0, x1, y1);
            uint8_t     *coverage = &d->coverage[(size_t)y * (size_t)d->at.width + (size_t)x];
            const int    value = part <= 0 ? 0 : part >= 1 ? 255 : (int)(part * 255);
            if (value > *coverage) *coverage = (uint8_t)value;
        }
}

/* Blends the coverage and clears it. */
static void colour_coverage(const drawing *d, uint32_t colour)
{
    for (int y = 0; y < d->at.height; y++)
        for (int x = 0; x < d->at.width; x++) {
            uint8_t *coverage = &d->coverage[(size_t)y * (size_t)d->at.width + (size_t)x];
            if (*coverage) blend(d, x, y, colour, *coverage);
            *coverage = 0;
        }
}

static void move_pen(void *context, double x, double y, bool down)
{
    drawing *d = context;
    x += d->at.left;
    y += d->at.top;
    if (down) blend_line(d, d->x, d->y, x, y, 1.0);
    d->x = x;
    d->y = y;
}

static void draw_axes(const drawing *d, const stk_chart_plan *plan)
{
    const stk_chart_frame *at = &d->at;
    for (int i = 0; i < plan->y.count; i++) {
        const double anchor = stk_chart_axis_position(&plan->y, plan->y.ticks[i]);
        const int    y = at->bottom - (int)lround(anchor * (at->bottom - at->top));
        fill(d, at->left, y, at->right, y + 1, d->theme->grid);
        write_text(d, at->left - ADVANCE, y + TALL / 2, 1, d->theme->dim, plan->y.labels[i]);
    }
    for (int i = 0; i < plan->x.count; i++) {
        const double anchor = stk_chart_axis_position(&plan->x, plan->x.ticks[i]);
        const int    x = at->left + (int)lround(anchor * (at->right - at->left));
        fill(d, x, at->top, x + 1, at->bottom + 6, d->theme->grid);
        write_text(d, x, at->bottom + type.line, 0.5, d->theme->dim, plan->x.labels[i]);
    }
}

static void draw_texts(const drawing *d, const stk_chart *chart, bool dark)
{
    const stk_chart_frame *at = &d->at;
    for (int bold = 0; chart->title && bold < SCALE; bold++)
        write_text(d, type.margin + bold, at->title_y, 0, d->theme->ink, chart->title);
    if (chart->y_label) write_text(d, type.margin, at->y_label_y, 0, d->theme->dim, chart->y_label);
    if (chart->x_label)
        write_text(d, (at->left + at->right) / 2.0, at->height - type.margin, 0.5, d->theme->dim,
                   chart->x_label);
    for (size_t i = 0; i < chart->series_count; i++) {
        if (!stk_chart_has_name(&chart->series[i])) continue;
        const int x = at->legend_x[i], y = at->legend_y[i] - TALL / 2;
        fill(d, x, y - 2, x + type.swatch, y + 2, stk_chart_colour(i, dark));
        write_text(d, x + type.swatch * 1.5, at->legend_y[i], 0, d->theme->ink,
                   chart->series[i].name);
    }
}

static void draw_markers(const drawing *d, const stk_chart_plan *plan)
{
    const stk_chart_frame *at = &d->at;
    for (size_t i = 0; i < plan->chart->marker_count; i++) {
        const stk_chart_marker *marker = &plan->chart->markers[i];
        const char             *text = marker->text ? marker->text : "";
        double                  x, y;
        if (!stk_chart_marker_position(plan, marker, at->right - at->left, at->bottom - at->top, &x,
                                       &y))
            continue;
        x += at->left;
        y += at->top;
        blend_line(d, x, y, x, y, DOT + 1.5);
        colour_coverage(d, d->theme->paper);
        blend_line(d, x, y, x, y, DOT);
        colour_coverage(d, d->theme->ink);
        const bool left = stk_chart_text_left(at, &type, x, text);
        const bool below = stk_chart_text_below(at, &type, y);
        write_clear(d, left ? x - MARKER_GAP : x + MARKER_GAP,
                    (int)y + (below ? type.line : -MARKER_GAP), left, text);
    }
}

/* A third of the colour over the background. */
static uint32_t faint(uint32_t colour, uint32_t paper)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8)
        mixed |= ((colour >> shift & 0xff) + 2 * (paper >> shift & 0xff)) / 3 << shift;
    return mixed;
}

static void draw(drawing *d, const stk_chart_plan *plan, bool dark)
{
    fill(d, 0, 0, d->at.width, d->at.height, d->theme->paper);
    draw_axes(d, plan);
    draw_texts(d, plan->chart, dark);
    for (int front = 0; front < 2; front++)
        for (size_t i = 0; i < plan->chart->series_count; i++) {
            stk_chart_series series = plan->chart->series[i];
            const uint32_t   colour = stk_chart_colour(i, dark);
            if (!front && !series.behind) continue;
            if (!front) series.y = series.behind;
            stk_chart_trace(plan, &series, d->at.right - d->at.left, d->at.bottom - d->at.top,
                            move_pen, d);
            colour_coverage(d, front ? colour : faint(colour, d->theme->paper));
        }
    draw_markers(d, plan);
}

stk_status stk_chart_png(stk_blob *out, const stk_chart *chart, bool dark, stk_error *err)
{
    stk_chart_plan plan;
    stk_blob       memory;
    drawing        d = {.theme = dark ? &stk_chart_dark : &stk_chart_light};
    STK_TRY(stk_chart_plan_make(&plan, chart, stk_chart_x_ticks(chart, &type),
                                stk_chart_y_ticks(chart, &type), err));
    stk_chart_frame_make(&d.at, &plan, &type);
    const size_t pixels = (size_t)d.at.width * (size_t)d.at.height;
    stk_blob_init(&memory, out->ledger, STK_MEMORY_OUTPUT);
    stk_status st = stk_blob_reserve_exact(&memory, pixels * 4, err);
    if (!st) {
        memset(memory.data, 0, pixels * 4);
        d.coverage = memory.data + pixels * 3;
        d.pixels = (stk_pixels){memory.data, d.at.width, d.at.height, 3, (size_t)d.at.width * 3};
        draw(&d, &plan, dark);
        st = stk_image_write_png(out, &d.pixels, err);
    }
    stk_blob_release(&memory);
    return st;
}
