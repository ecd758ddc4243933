/* What the three forms of a chart share: checks, axes, the path of a line, and for images where
 * things are. */
#ifndef STK_TRAIN_LOG_CHART_PLAN_H
#define STK_TRAIN_LOG_CHART_PLAN_H

#include "train/log/chart_axis.h"

#include <stoker/chart.h>

typedef struct stk_chart_plan {
    const stk_chart *chart;
    stk_chart_axis   x, y;
} stk_chart_plan;

/* Checks the chart and makes its axes with about so many ticks. */
STK_NODISCARD stk_status stk_chart_plan_make(stk_chart_plan *plan, const stk_chart *chart,
                                             int x_ticks, int y_ticks, stk_error *err);

/* Called for each corner of a line; down says that the pen draws on its way there. A point that
 * stands alone is drawn to from itself. */
typedef void (*stk_chart_pen)(void *context, double x, double y, bool down);

/* Draws series into a field of this width and height, its origin in the upper left corner. Of the
 * points in one column (of width 1) only the first, the last, the highest and the lowest count. */
void stk_chart_trace(const stk_chart_plan *plan, const stk_chart_series *series, double width,
                     double height, stk_chart_pen pen, void *context);

/* False when it cannot be shown. */
bool stk_chart_marker_position(const stk_chart_plan *plan, const stk_chart_marker *marker,
                               double width, double height, double *x, double *y);

/* Where things are in an image, in pixels; text by the left end of its baseline. */
typedef struct stk_chart_frame {
    int width, height;
    int left, top, right, bottom; /* of the plot; right and bottom are outside */
    int title_y, y_label_y;
    int legend_x[STK_CHART_SERIES_MAX], legend_y[STK_CHART_SERIES_MAX];
} stk_chart_frame;

/* Sizes of text in pixels: of a letter, from line to line, and of the title's line. */
typedef struct stk_chart_type {
    double letter;
    int    line, title;
    int    margin; /* around everything */
    int    swatch; /* the piece of line before a name of the legend */
} stk_chart_type;

/* Ticks that have room in an image of this chart. */
int stk_chart_x_ticks(const stk_chart *chart, const stk_chart_type *type);
int stk_chart_y_ticks(const stk_chart *chart, const stk_chart_type *type);

void stk_chart_frame_make(stk_chart_frame *frame, const stk_chart_plan *plan,
                          const stk_chart_type *type);

/* Whether a text beside a marker at (x, y) stands left of it, and below instead of above: where it
 * would leave the image. */
bool stk_chart_text_left(const stk_chart_frame *frame, const stk_chart_type *type, double x,
                         const char *text);
bool stk_chart_text_below(const stk_chart_frame *frame, const stk_chart_type *type, double y);

/* The legend has a line for a series with a name. */
bool stk_chart_has_name(const stk_chart_series *series);

/* Colours by series, as 0xRRGGBB. */
uint32_t stk_chart_colour(size_t series, bool dark);

typedef struct stk_chart_theme {
    uint32_t paper, ink, dim, grid;
} stk_chart_theme;
extern const stk_chart_theme stk_chart_light, stk_chart_dark;

#endif
