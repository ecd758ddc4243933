/* A chart as SVG: shapes with classes, and a style sheet for both themes. */
#include "train/log/chart_plan.h"
#include "train/log/text_out.h"

#include <stdio.h>

static const stk_chart_type type = {
    .letter = 7.2, .line = 18, .title = 24, .margin = 16, .swatch = 18};

enum { DOT = 4, MARKER_GAP = 8 }; /* a marker's radius; its text's distance */

static void put_theme(stk_text_out *out, const stk_chart *chart, bool dark)
{
    const stk_chart_theme *theme = dark ? &stk_chart_dark : &stk_chart_light;
    stk_text_format(out, ".p{fill:#%06x}.i{fill:#%06x}.d{fill:#%06x}.g{stroke:#%06x}",
                    (unsigned)theme->paper, (unsigned)theme->ink, (unsigned)theme->dim,
                    (unsigned)theme->grid);
    stk_text_format(out, ".m{fill:#%06x;stroke:#%06x}.h{stroke:#%06x}", (unsigned)theme->ink,
                    (unsigned)theme->paper, (unsigned)theme->paper);
    for (size_t i = 0; i < chart->series_count; i++)
        stk_text_format(out, ".s%zu{stroke:#%06x}", i, (unsigned)stk_chart_colour(i, dark));
}

static void put_size(stk_text_out *out, int y, int width, int height)
{
    stk_text_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    if (y) stk_text_format(out, " y=\"%d\"", y);
    stk_text_format(out, " width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width,
                    height, width, height);
}

static void put_head(stk_text_out *out, const stk_chart *chart, const stk_chart_frame *at, int y)
{
    put_size(out, y, at->width, at->height);
    if (chart->title) {
        stk_text_put(out, "<title>");
        stk_text_xml(out, chart->title);
        stk_text_put(out, "</title>\n");
    }
    stk_text_put(out, "<style>text{font:13px system-ui,'DejaVu Sans',sans-serif}"
                      ".t{font-size:17px;font-weight:600}.h{paint-order:stroke;stroke-width:4}"
                      ".l{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
                      ".b{stroke-width:1;opacity:.35}");
    put_theme(out, chart, false);
    stk_text_put(out, "@media(prefers-color-scheme:dark){");
    put_theme(out, chart, true);
    stk_text_format(out, "}</style>\n<rect class=\"p\" width=\"%d\" height=\"%d\"/>\n", at->width,
                    at->height);
}

/* anchor: "start", "middle" or "end". */
static void put_text(stk_text_out *out, const char *classes, double x, double y, const char *anchor,
                     const char *text)
{
    stk_text_format(out, "<text class=\"%s\" x=\"", classes);
    stk_text_tenths(out, x);
    stk_text_put(out, "\" y=\"");
    stk_text_tenths(out, y);
    stk_text_format(out, "\" text-anchor=\"%s\">", anchor);
    stk_text_xml(out, text);
    stk_text_put(out, "</text>\n");
}

static void put_line(stk_text_out *out, const char *classes, double x0, double y0, double x1,
                     double y1)
{
    const double             corners[] = {x0, y0, x1, y1};
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    stk_text_format(out, "<line class=\"%s\"", classes);
    for (int i = 0; i < 4; i++) {
        stk_text_format(out, " %s=\"", names[i]);
        stk_text_tenths(out, corners[i]);
        stk_text_put(out, "\"");
    }
    stk_text_put(out, "/>\n");
}

static void put_axes(stk_text_out *out, const stk_chart_plan *plan, const stk_chart_frame *at)
{
    const double width = at->right - at->left, height = at->bottom - at->top;
    for (int i = 0; i < plan->y.count; i++) {
        const double y = at->bottom - stk_chart_axis_position(&plan->y, plan->y.ticks[i]) * height;
        put_line(out, "g", at->left, y, at->right, y);
        put_text(out, "d", at->left - 8, y + 4.5, "end", plan->y.labels[i]);
    }
    for (int i = 0; i < plan->x.count; i++) {
        const double x = at->left + stk_chart_axis_position(&plan->x, plan->x.ticks[i]) * width;
        put_line(out, "g", x, at->top, x, at->bottom + 5);
        put_text(out, "d", x, at->bottom + type.line + 4, "middle", plan->x.labels[i]);
    }
}

static void put_texts(stk_text_out *out, const stk_chart *chart, const stk_chart_frame *at)
{
    if (chart->title) put_text(out, "i t", type.margin, at->title_y, "start", chart->title);
    if (chart->y_label) put_text(out, "d", type.margin, at->y_label_y, "start", chart->y_label);
    if (chart->x_label)
        put_text(out, "d", (at->left + at->right) / 2.0, at->height - type.margin, "middle",
                 chart->x_label);
    for (size_t i = 0; i < chart->series_count; i++) {
        char classes[16];
        if (!stk_chart_has_name(&chart->series[i])) continue;
        const int x = at->legend_x[i], y = at->legend_y[i];
        snprintf(classes, sizeof classes, "l s%zu", i);
        put_line(out, classes, x, y - 4.5, x + type.swatch, y - 4.5);
        put_text(out, "i", x + type.swatch * 1.5, y, "start", chart->series[i].name);
    }
}

typedef struct pen {
    stk_text_out          *out;
    const stk_chart_frame *at;
} pen;

static void move_pen(void *context, double x, double y, bool down)
{
    const pen *p = context;
    stk_text_put(p->out, down ? "L" : "M");
    stk_text_tenths(p->out, p->at->left + x);
    stk_text_put(p->out, " ");
    stk_text_tenths(p->out, p->at->top + y);
}

static void put_series(stk_text_out *out, const stk_chart_plan *plan, const stk_chart_frame *at)
{
    pen p = {out, at};
    for (int front = 0; front < 2; front++)
        for (size_t i = 0; i < plan->chart->series_count; i++) {
            stk_chart_series series = plan->chart->series[i];
            if (!front && !series.behind) continue;
            if (!front) series.y = series.behind;
            stk_text_format(out, "<path class=\"l s%zu%s\" d=\"", i, front ? "" : " b");
            stk_chart_trace(plan, &series, at->right - at->left, at->bottom - at->top, move_pen,
                            &p);
            stk_text_put(out, "\"/>\n");
        }
}

static void put_markers(stk_text_out *out, const stk_chart_plan *plan, const stk_chart_frame *at)
{
    for (size_t i = 0; i < plan->chart->marker_count; i++) {
        const stk_chart_marker *marker = &plan->chart->markers[i];
        const char             *text = marker->text ? marker->text : "";
        double                  x, y;
        if (!stk_chart_marker_position(plan, marker, at->right - at->left, at->bottom - at->top, &x,
                                       &y))
            continue;
        x += at->left;
        y += at->top;
        stk_text_put(out, "<circle class=\"m\" cx=\"");
        stk_text_tenths(out, x);
        stk_text_put(out, "\" cy=\"");
        stk_text_tenths(out, y);
        stk_text_format(out, "\" r=\"%d\"/>\n", DOT);
        const bool left = stk_chart_text_left(at, &type, x, text);
        const bool below = stk_chart_text_below(at, &type, y);
        put_text(out, "i h", left ? x - MARKER_GAP : x + MARKER_GAP,
                 below ? y + type.line : y - MARKER_GAP, left ? "end" : "start", text);
    }
}

/* Advances *y, and widens *width if necessary. */
static stk_status put_chart(stk_text_out *text, const stk_chart *chart, int *y, int *width,
                            stk_error *err)
{
    stk_chart_plan  plan;
    stk_chart_frame frame;
    STK_TRY(stk_chart_plan_make(&plan, chart, stk_chart_x_ticks(chart, &type),
                                stk_chart_y_ticks(chart, &type), err));
    stk_chart_frame_make(&frame, &plan, &type);
    put_head(text, chart, &frame, *y);
    put_axes(text, &plan, &frame);
    put_texts(text, chart, &frame);
    put_series(text, &plan, &frame);
    put_markers(text, &plan, &frame);
    stk_text_put(text, "</svg>\n");
    *y += frame.height;
    if (frame.width > *width) *width = frame.width;
    return text->status;
}

stk_status stk_chart_svg(stk_blob *out, const stk_chart *chart, stk_error *err)
{
    stk_text_out text = {.blob = out, .err = err};
    const size_t before = out->size;
    int          y = 0, width = 0;
    stk_status   st = put_chart(&text, chart, &y, &width, err);
    if (st) out->size = before;
    return st;
}

/* The total size comes first but is known last. */
static stk_status put_all(stk_blob *out, const stk_chart *charts, size_t count, stk_blob *inside,
                          stk_error *err)
{
    stk_text_out parts = {.blob = inside, .err = err}, document = {.blob = out, .err = err};
    int          y = 0, width = 0;
    for (size_t i = 0; i < count; i++)
        STK_TRY(put_chart(&parts, &charts[i], &y, &width, err));
    put_size(&document, 0, width, y);
    STK_TRY(document.status);
    STK_TRY(stk_blob_append(out, inside->data, inside->size, err));
    stk_text_put(&document, "</svg>\n");
    return document.status;
}

stk_status stk_charts_svg(stk_blob *out, const stk_chart *charts, size_t count, stk_error *err)
{
    const size_t before = out->size;
    stk_blob     inside;
    stk_blob_init(&inside, out->ledger, STK_MEMORY_OUTPUT);
    const stk_status st = put_all(out, charts, count, &inside, err);
    stk_blob_release(&inside);
    if (st) out->size = before;
    return st;
}
