/* Shared by SVG, PNG and text charts: checks, axes, line paths, and the layout of images. */
#ifndef STK_TRAIN_LOG_CHART_PLAN_H
#define STK_TRAIN_LOG_CHART_PLAN_H

#include "train/log/chart_axis.h"

#include <stoker/chart.h>

typedef struct stk_chart_plan {
    const stk_chart *chart;
    stk_chart_axis   x, y;
} stk_chart_plan;

/* Checks the chart and builds its axes with about so many ticks. */
STK_NODISCARD stk_status stk_chart_plan_make(stk_chart_plan *plan, const stk_chart *chart,
                                             int x_ticks, int y_ticks, stk_error *err);

/* Called for each corner of a line; down: the pen draws on its way. A single point is drawn to from
 * itself. */
typedef void (*stk_chart_pen)(void *context, double x, double y, bool down);

/* Traces series in a field of this size, origin at the upper left. Of the points in a column of
 * width 1, only the first, last, highest and lowest count. */
void stk_chart_trace(const stk_chart_plan *plan, const stk_chart_series *series, double width,
                     double height, stk_chart_pen pen, void *context);

/* Returns false if it cannot be shown. */
bool stk_chart_marker_position(const stk_chart_plan *plan, const stk_chart_marker *marker,
                               double width, double height, double *x, double *y);

/* Layout of an image in pixels; text positions are the left end of the baseline. */
typedef struct stk_chart_frame {
    int width, height;
    int left, top, right, bottom; /* of the plot; right and bottom are exclusive */
    int title_y, y_label_y;
    int legend_x[STK_CHART_SERIES_MAX], legend_y[STK_CHART_SERIES_MAX];
} stk_chart_frame;

/* Text sizes in pixels: glyph width, line height, and height of the title. */
typedef struct stk_chart_type {
    double letter;
    int    line, title;
    int    margin; /* around everything */
    int    swatch; /* length of a legend line */
} stk_chart_type;

/* Number of ticks that fit. */
int stk_chart_x_ticks(const stk_chart *chart, const stk_chart_type *type);
int stk_chart_y_ticks(const stk_chart *chart, const stk_chart_type *type);

void stk_chart_frame_make(stk_chart_frame *frame, const stk_chart_plan *plan,
                          const stk_chart_type *type);

/* Whether a text beside a marker at (x, y) goes to its left, or below it, to stay in the image. */
bool stk_chart_text_left(const stk_chart_frame *frame, const stk_chart_type *type, double x,
                         const char *text);
bool stk_chart_text_below(const stk_chart_frame *frame, const stk_chart_type *type, double y);

/* Whether the series has a legend entry. */
bool stk_chart_has_name(const stk_chart_series *series);

/* Colour of a series, as 0xRRGGBB. */
uint32_t stk_chart_colour(size_t series, bool dark);

typedef struct stk_chart_theme {
    uint32_t paper, ink, dim, grid;
} stk_chart_theme;
extern const stk_chart_theme stk_chart_light, stk_chart_dark;

#endif
