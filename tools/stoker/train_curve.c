/* The learning curve. */
#include "train_curve.h"

#include "model_images.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/train.h>
#include <string.h>

enum { BYTES_MAX = 1 << 30, COLUMNS_MAX = 64, NARROWEST = 20, WIDEST = 100 /* charts */ };

static const char *const wanted[CLI_CURVE_COLUMNS] = {
    "step",          "epoch",      "seconds",        "loss",     "accuracy",
    "learning_rate", "epoch_loss", "epoch_accuracy", "val_loss", "val_accuracy"};

/* Column indices in the table; -1: absent. */
static void find_columns(const char *heading, int columns[CLI_CURVE_COLUMNS])
{
    const char *end = heading + strcspn(heading, "\n");
    for (int i = 0; i < CLI_CURVE_COLUMNS; i++)
        columns[i] = -1;
    for (int column = 0; heading < end && column < COLUMNS_MAX; column++) {
        const size_t length = strcspn(heading, ",\n");
        for (int i = 0; i < CLI_CURVE_COLUMNS; i++)
            if (strlen(wanted[i]) == length && strncmp(wanted[i], heading, length) == 0)
                columns[i] = column;
        heading += length + 1;
    }
}

static void read_line(const char *line, const int columns[CLI_CURVE_COLUMNS],
                      double values[CLI_CURVE_COLUMNS])
{
    for (int i = 0; i < CLI_CURVE_COLUMNS; i++)
        values[i] = NAN;
    for (int column = 0;; column++) {
        const size_t length = strcspn(line, ",\n");
        for (int i = 0; i < CLI_CURVE_COLUMNS; i++)
            if (columns[i] == column && length) values[i] = strtod(line, NULL);
        if (line[length] != ',') return;
        line += length + 1;
    }
}

static void add(cli_curve *c, const double values[CLI_CURVE_COLUMNS])
{
    for (int i = 0; i < CLI_CURVE_COLUMNS; i++)
        c->rows[i][c->count] = values[i];
    const double *accuracy = c->rows[CLI_CURVE_VALIDATION_ACCURACY];
    if (!isnan(accuracy[c->count])) {
        if (!c->evaluations++ || accuracy[c->count] > accuracy[c->best]) c->best = c->count;
    }
    c->count++;
}

static stk_status alloc_rows(cli_curve *c, const char *text, stk_error *err)
{
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    double *values = calloc(lines, CLI_CURVE_COLUMNS * sizeof *values);
    if (!values)
        return stk_fail(err, STK_E_NOMEM, "curve", NULL, "no memory for %zu points", lines);
    for (int i = 0; i < CLI_CURVE_COLUMNS; i++)
        c->rows[i] = values + (size_t)i * lines;
    return STK_OK;
}

static stk_status read_table(cli_curve *c, const char *text, stk_error *err)
{
    int         columns[CLI_CURVE_COLUMNS];
    double      values[CLI_CURVE_COLUMNS];
    const char *line = strchr(text, '\n');
    find_columns(text, columns);
    STK_TRY(alloc_rows(c, text, err));
    for (; line && line[1]; line = strchr(line, '\n')) {
        read_line(++line, columns, values);
        if (!isnan(values[CLI_CURVE_EPOCH])) add(c, values);
    }
    return STK_OK;
}

stk_status cli_curve_read(cli_curve *curve, const char *folder, stk_error *err)
{
    char     path[STK_TRAIN_PATH + 32];
    stk_blob text;
    *curve = (cli_curve){0};
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    stk_status st = stk_file_read_all(NULL, path, 0, BYTES_MAX, &text, err);
    if (!st) st = stk_blob_append(&text, "", 1, err);
    if (!st) st = read_table(curve, (const char *)text.data, err);
    stk_blob_release(&text);
    if (st) cli_curve_release(curve);
    return st;
}

void cli_curve_release(cli_curve *curve)
{
    free(curve->rows[0]); /* a single block */
    *curve = (cli_curve){0};
}

/* One of the two charts: smoothed training over raw values, validation, and the best. */
typedef struct drawing {
    double          *points; /* four times the number of rows, in one block */
    stk_chart_series series[2];
    stk_chart_marker marker;
    char             text[48];
    stk_chart        chart;
} drawing;

static const struct quantity {
    const char      *title;
    cli_curve_column training, validation;
    double           scale;
} quantities[] = {
    {"loss", CLI_CURVE_LOSS, CLI_CURVE_VALIDATION_LOSS, 1},
    {"accuracy, %", CLI_CURVE_ACCURACY, CLI_CURVE_VALIDATION_ACCURACY, 100},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static stk_status describe(drawing *d, const cli_curve *c, const struct quantity *q, stk_error *err)
{
    const size_t n = c->count;
    size_t       evaluations = 0;
    d->points = calloc(n + 1, 4 * sizeof *d->points);
    if (!d->points) return stk_fail(err, STK_E_NOMEM, "curve", NULL, "no memory for a chart");
    double *raw = d->points, *smooth = raw + n, *at = smooth + n, *judged = at + n;
    for (size_t i = 0; i < n; i++) {
        raw[i] = q->scale * c->rows[q->training][i];
        if (isnan(c->rows[q->validation][i])) continue;
        at[evaluations] = c->rows[CLI_CURVE_EPOCH][i];
        judged[evaluations++] = q->scale * c->rows[q->validation][i];
    }
    stk_chart_smooth(raw, n, smooth);
    d->series[0] = (stk_chart_series){"training", c->rows[CLI_CURVE_EPOCH], smooth, n, raw};
    d->series[1] = (stk_chart_series){.name = "validation", .x = at, .y = judged, evaluations};
    snprintf(d->text, sizeof d->text, "best: %.2f %%",
             c->evaluations ? 100 * c->rows[CLI_CURVE_VALIDATION_ACCURACY][c->best] : 0);
    d->chart = (stk_chart){.title = q->title,
                           .x_label = "epoch",
                           .series = d->series,
                           .series_count = evaluations ? 2 : 1,
                           .markers = &d->marker,
                           .marker_count = evaluations > 0};
    if (evaluations)
        d->marker = (stk_chart_marker){c->rows[CLI_CURVE_EPOCH][c->best],
                                       q->scale * c->rows[q->validation][c->best], d->text};
    return STK_OK;
}

static stk_status print_chart(const stk_chart *chart, const cli_style *style, stk_error *err)
{
    const stk_chart_text_options options = {.columns =
                                                cli_terminal_width(stdout, NARROWEST, WIDEST),
                                            .rows = 10,
                                            .utf8 = style->unicode,
                                            .colour = style->bold[0] != 0};
    stk_blob                     text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_chart_text(&text, chart, &options, err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

stk_status cli_curve_print(const cli_curve *curve, const cli_style *style, stk_error *err)
{
    stk_status st = STK_OK;
    for (int i = 0; i < QUANTITIES && curve->count >= 2 && !st; i++) {
        drawing d = {0};
        st = describe(&d, curve, &quantities[i], err);
        if (!st) st = print_chart(&d.chart, style, err);
        free(d.points);
    }
    return st;
}

stk_status cli_curve_save(const cli_curve *curve, const char *folder, stk_error *err)
{
    char       path[STK_TRAIN_PATH + 32];
    drawing    drawings[QUANTITIES] = {0};
    stk_chart  charts[QUANTITIES];
    stk_blob   svg;
    stk_status st = STK_OK;
    for (int i = 0; i < QUANTITIES && !st; i++) {
        st = describe(&drawings[i], curve, &quantities[i], err);
        charts[i] = drawings[i].chart;
    }
    snprintf(path, sizeof path, "%s/curve.svg", folder);
    stk_blob_init(&svg, NULL, STK_MEMORY_OUTPUT);
    if (!st) st = stk_charts_svg(&svg, charts, QUANTITIES, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&svg), err);
    stk_blob_release(&svg);
    for (int i = 0; i < QUANTITIES; i++)
        free(drawings[i].points);
    return st;
}
