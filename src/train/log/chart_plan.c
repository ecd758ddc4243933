/* Checks a chart and lays it out. */
#include "train/log/chart_plan.h"

#include <math.h>
#include <stoker/font.h>

enum { WIDTH = 960, HEIGHT = 540, TICK_LETTERS = 11, TICK_LINES = 3 };

const stk_chart_theme stk_chart_light = {0xffffff, 0x1f2328, 0x59636e, 0xe3e6ea};
const stk_chart_theme stk_chart_dark = {0x0f1318, 0xe6edf3, 0x9aa4af, 0x2b323b};

uint32_t stk_chart_colour(size_t series, bool dark)
{
    static const uint32_t colours[2][STK_CHART_SERIES_MAX] = {
        {0x1f6fd6, 0xd9620f, 0x1a8a4a, 0x8a3fd1, 0xd1242f, 0x0b8a9c, 0x8a5a1c, 0xc2308a},
        {0x6cb0ff, 0xffa657, 0x56d07f, 0xc297ff, 0xff7b72, 0x4fd0e0, 0xd6a25e, 0xff8fcf},
    };
    return colours[dark][series % STK_CHART_SERIES_MAX];
}

bool stk_chart_has_name(const stk_chart_series *series)
{
    return series->name && series->name[0];
}

static int width_of(const stk_chart *chart)
{
    return chart->width ? chart->width : WIDTH;
}

static int height_of(const stk_chart *chart)
{
    return chart->height ? chart->height : HEIGHT;
}

static stk_status check(const stk_chart *chart, stk_error *err)
{
    const int width = width_of(chart), height = height_of(chart);
    if (chart->series_count > STK_CHART_SERIES_MAX)
        return stk_fail(err, STK_E_LIMIT, "chart", chart->title,
                        "%zu lines; more than %d cannot be told apart: draw several charts",
                        chart->series_count, STK_CHART_SERIES_MAX);
    if (chart->marker_count > STK_CHART_MARKERS_MAX)
        return stk_fail(err, STK_E_LIMIT, "chart", chart->title, "%zu markers; %d are the most",
                        chart->marker_count, STK_CHART_MARKERS_MAX);
    if (width < STK_CHART_SIDE_MIN || width > STK_CHART_SIDE_MAX || height < STK_CHART_SIDE_MIN ||
        height > STK_CHART_SIDE_MAX)
        return stk_fail(err, STK_E_RANGE, "chart", chart->title,
                        "%d by %d pixels; a side has %d to %d", width, height, STK_CHART_SIDE_MIN,
                        STK_CHART_SIDE_MAX);
    return STK_OK;
}

/* A point extends the axes only if both coordinates can be shown. */
static void take_point(stk_chart_plan *plan, double x, double y)
{
    stk_chart_axis only_x, only_y;
    stk_chart_axis_init(&only_x, plan->x.log);
    stk_chart_axis_init(&only_y, plan->y.log);
    stk_chart_axis_include(&only_x, x);
    stk_chart_axis_include(&only_y, y);
    if (only_x.low > only_x.high || only_y.low > only_y.high) return;
    stk_chart_axis_include(&plan->x, x);
    stk_chart_axis_include(&plan->y, y);
}

stk_status stk_chart_plan_make(stk_chart_plan *plan, const stk_chart *chart, int x_ticks,
                               int y_ticks, stk_error *err)
{
    STK_TRY(check(chart, err));
    *plan = (stk_chart_plan){.chart = chart};
    stk_chart_axis_init(&plan->x, chart->x_log);
    stk_chart_axis_init(&plan->y, chart->y_log);
    for (size_t i = 0; i < chart->series_count; i++)
        for (size_t k = 0; k < chart->series[i].count; k++) {
            const stk_chart_series *s = &chart->series[i];
            take_point(plan, s->x[k], s->y[k]);
            if (s->behind) take_point(plan, s->x[k], s->behind[k]);
        }
    for (size_t i = 0; i < chart->marker_count; i++)
        take_point(plan, chart->markers[i].x, chart->markers[i].y);
    stk_chart_axis_finish(&plan->x, 0.0, x_ticks);
    stk_chart_axis_finish(&plan->y, 0.04, y_ticks);
    return STK_OK;
}

bool stk_chart_marker_position(const stk_chart_plan *plan, const stk_chart_marker *marker,
                               double width, double height, double *x, double *y)
{
    *x = stk_chart_axis_position(&plan->x, marker->x) * width;
    *y = (1 - stk_chart_axis_position(&plan->y, marker->y)) * height;
    return !isnan(*x) && !isnan(*y);
}

int stk_chart_x_ticks(const stk_chart *chart, const stk_chart_type *type)
{
    return (int)(width_of(chart) / (TICK_LETTERS * type->letter));
}

int stk_chart_y_ticks(const stk_chart *chart, const stk_chart_type *type)
{
    return height_of(chart) / (TICK_LINES * type->line);
}

static double text_width(const char *text, const stk_chart_type *type)
{
    return stk_font_length(text) * type->letter;
}

bool stk_chart_text_left(const stk_chart_frame *frame, const stk_chart_type *type, double x,
                         const char *text)
{
    const double width = text_width(text, type) + type->line;
    return x + width > frame->width && x - width > 0;
}

bool stk_chart_text_below(const stk_chart_frame *frame, const stk_chart_type *type, double y)
{
    return y < frame->top + 1.5 * type->line;
}

/* Lays out names in rows; returns the next row's y. */
static int place_legend(stk_chart_frame *frame, const stk_chart *chart, const stk_chart_type *type,
                        int y)
{
    double x = type->margin;
    bool   any = false;
    for (size_t i = 0; i < chart->series_count; i++) {
        if (!stk_chart_has_name(&chart->series[i])) continue;
        const double wide = type->swatch * 1.5 + text_width(chart->series[i].name, type);
        if (any && x + wide > frame->width - type->margin) {
            x = type->margin;
            y += type->line;
        }
        frame->legend_x[i] = (int)x;
        frame->legend_y[i] = y + type->line * 3 / 4;
        x += wide + 2 * type->letter;
        any = true;
    }
    return any ? y + type->line * 5 / 4 : y;
}

void stk_chart_frame_make(stk_chart_frame *frame, const stk_chart_plan *plan,
                          const stk_chart_type *type)
{
    const stk_chart *chart = plan->chart;
    double           labels = 0;
    int              y = type->margin;
    *frame = (stk_chart_frame){.width = width_of(chart), .height = height_of(chart)};
    for (int i = 0; i < plan->y.count; i++)
        labels = fmax(labels, text_width(plan->y.labels[i], type));
    if (chart->title) {
        frame->title_y = y + type->title * 3 / 4;
        y += type->title * 5 / 4;
    }
    y = place_legend(frame, chart, type, y);
    if (chart->y_label) {
        frame->y_label_y = y + type->line * 3 / 4;
        y += type->line * 5 / 4;
    }
    frame->left = type->margin + (int)labels + type->line / 2;
    frame->right = frame->width - type->margin - type->line / 2;
    frame->top = y + type->line / 4;
    frame->bottom = frame->height - type->margin - type->line * (chart->x_label ? 5 : 3) / 2;
    /* A chart too small for its text keeps a plot, which text may overlap. */
    if (frame->right < frame->left + type->line) frame->left = frame->right - type->line;
    if (frame->bottom < frame->top + type->line) frame->top = frame->bottom - type->line;
}
