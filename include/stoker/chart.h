/* stoker/chart.h - line charts for people: learning curves, the learning-rate finder.
 * One description, three forms: SVG for pages, PNG for everything else, text for a terminal. Each
 * appends to a blob; on failure the blob's earlier content is there still. */
#ifndef STOKER_CHART_H
#define STOKER_CHART_H

#include <stdbool.h>
#include <stoker/blob.h>

STK_BEGIN_DECLS

enum {
    STK_CHART_SERIES_MAX = 8, /* more could not be told apart */
    STK_CHART_MARKERS_MAX = 26,
    STK_CHART_SIDE_MIN = 160, /* pixels */
    STK_CHART_SIDE_MAX = 8192
};

/* A line through points in the order given. A value that cannot be shown (not finite, or not above
 * 0 on a logarithmic axis) leaves a gap. */
typedef struct stk_chart_series {
    const char   *name; /* UTF-8; NULL: not in the legend */
    const double *x, *y;
    size_t        count;
    const double *behind; /* the same points as they were before smoothing: a faint line behind, in
                           * images alone; NULL: none */
} stk_chart_series;

/* A dot with a text beside it. */
typedef struct stk_chart_marker {
    double      x, y;
    const char *text;
} stk_chart_marker;

typedef struct stk_chart {
    const char             *title, *x_label, *y_label; /* UTF-8; NULL: none */
    bool                    x_log, y_log;
    const stk_chart_series *series;
    size_t                  series_count;
    const stk_chart_marker *markers;
    size_t                  marker_count;
    int                     width, height; /* of images; 0 means 960 and 540 */
} stk_chart;

/* A line's values smoothed: means that fade with the distance back, over about a 25th of the
 * points; few points stay as they are. What is not finite counts for nothing and stays. out may be
 * y. */
STK_API void stk_chart_smooth(const double *y, size_t count, double *out);

/* Complete in itself; light or dark as its reader's screen is. However many points a line has, a
 * column of pixels takes at most four. */
STK_API STK_NODISCARD stk_status stk_chart_svg(stk_blob *out, const stk_chart *chart,
                                               stk_error *err);
/* Several, one below the other, as one image. */
STK_API STK_NODISCARD stk_status stk_charts_svg(stk_blob *out, const stk_chart *charts,
                                                size_t count, stk_error *err);
/* Letters beyond ASCII are shown as '?'. */
STK_API STK_NODISCARD stk_status stk_chart_png(stk_blob *out, const stk_chart *chart, bool dark,
                                               stk_error *err);

typedef struct stk_chart_text_options {
    int  columns; /* in all; 0 means 80, 20 are the least */
    int  rows;    /* of the plot; 0 means 16, 4 are the least */
    bool utf8;    /* braille dots and box lines; else plain ASCII */
    bool colour;  /* ANSI colours; without them several lines are told apart by their letters */
} stk_chart_text_options;

/* Lines end in '\n'. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_chart_text(stk_blob *out, const stk_chart *chart,
                                                const stk_chart_text_options *options,
                                                stk_error                    *err);

STK_END_DECLS
#endif
