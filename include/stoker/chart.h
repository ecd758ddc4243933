/* stoker/chart.h - line charts: learning curves, the learning-rate finder. One description renders
 * as SVG, PNG or terminal text. Each function appends to a blob and leaves its earlier content
 * unchanged on failure. */
#ifndef STOKER_CHART_H
#define STOKER_CHART_H

#include <stdbool.h>
#include <stoker/blob.h>

STK_BEGIN_DECLS

enum {
    STK_CHART_SERIES_MAX = 8, /* more lines cannot be distinguished */
    STK_CHART_MARKERS_MAX = 26,
    STK_CHART_SIDE_MIN = 160, /* pixels */
    STK_CHART_SIDE_MAX = 8192
};

/* A line through points in the given order. A value that cannot be shown (not finite, or not above
 * 0 on a logarithmic axis) leaves a gap. */
typedef struct stk_chart_series {
    const char   *name; /* UTF-8; NULL: not in the legend */
    const double *x, *y;
    size_t        count;
    const double *behind; /* the same points before smoothing, drawn as a faint line in SVG and PNG;
                             NULL: none */
} stk_chart_series;

/* A dot with a label. */
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
    int                     width, height; /* of SVG and PNG; 0 means 960 and 540 */
} stk_chart;

/* Exponentially smooths a line over about a 25th of its points, forwards only. Short lines are
 * copied. Values that are not finite are copied and not averaged. out may be y. */
STK_API void stk_chart_smooth(const double *y, size_t count, double *out);

/* A self-contained file that follows the reader's light or dark scheme. Each pixel column has at
 * most four points of a line. */
STK_API STK_NODISCARD stk_status stk_chart_svg(stk_blob *out, const stk_chart *chart,
                                               stk_error *err);
/* Several charts below each other, as one image. */
STK_API STK_NODISCARD stk_status stk_charts_svg(stk_blob *out, const stk_chart *charts,
                                                size_t count, stk_error *err);
/* Characters beyond ASCII are drawn as '?'. */
STK_API STK_NODISCARD stk_status stk_chart_png(stk_blob *out, const stk_chart *chart, bool dark,
                                               stk_error *err);

typedef struct stk_chart_text_options {
    int  columns; /* total width; 0 means 80; at least 20 */
    int  rows;    /* plot height; 0 means 16; at least 4 */
    bool utf8;    /* braille dots and box lines; else ASCII */
    bool colour;  /* ANSI colours; without them letters distinguish the lines */
} stk_chart_text_options;

/* Lines end in '\n'. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_chart_text(stk_blob *out, const stk_chart *chart,
                                                const stk_chart_text_options *options,
                                                stk_error                    *err);

STK_END_DECLS
#endif
