/* The learning curve. */
#include "train_curve.h"

#include "pictures.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/train.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30, MOST_COLUMNS = 64 };

enum { EPOCH, LOSS, VALIDATION_LOSS, VALIDATION_ACCURACY, WANTED };

static const char *const wanted[WANTED] = {"epoch", "loss", "val_loss", "val_accuracy"};

/* Which column of the table is which of ours; -1 for none. */
static void find_columns(const char *heading, int columns[WANTED])
{
    const char *end = heading + strcspn(heading, "\n");
    for (int i = 0; i < WANTED; i++)
        columns[i] = -1;
    for (int column = 0; heading < end && column < MOST_COLUMNS; column++) {
        const size_t length = strcspn(heading, ",\n");
        for (int i = 0; i < WANTED; i++)
            if (strlen(wanted[i]) == length && strncmp(wanted[i], heading, length) == 0)
                columns[i] = column;
        heading += length + 1;
    }
}

static void read_line(const char *line, const int columns[WANTED], double values[WANTED])
{
    for (int i = 0; i < WANTED; i++)
        values[i] = NAN;
    for (int column = 0;; column++) {
        const size_t length = strcspn(line, ",\n");
        for (int i = 0; i < WANTED; i++)
            if (columns[i] == column && length) values[i] = strtod(line, NULL);
        if (line[length] != ',') return;
        line += length + 1;
    }
}

static void add(stk_curve *c, const double values[WANTED])
{
    c->epoch[c->count] = values[EPOCH];
    c->loss[c->count++] = values[LOSS];
    if (isnan(values[VALIDATION_LOSS])) return;
    c->evaluated_at[c->evaluations] = values[EPOCH];
    c->validation_loss[c->evaluations++] = values[VALIDATION_LOSS];
    if (!(values[VALIDATION_ACCURACY] > c->best_accuracy)) return;
    c->best_accuracy = values[VALIDATION_ACCURACY];
    c->best_epoch = values[EPOCH];
    c->best_loss = values[VALIDATION_LOSS];
}

static stk_status make_room(stk_curve *c, const char *text, stk_error *err)
{
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    double *room = calloc(lines, 4 * sizeof *room);
    if (!room) return stk_fail(err, STK_E_NOMEM, "curve", NULL, "no memory for %zu points", lines);
    c->epoch = room;
    c->loss = room + lines;
    c->evaluated_at = room + 2 * lines;
    c->validation_loss = room + 3 * lines;
    return STK_OK;
}

static stk_status read_table(stk_curve *c, const char *text, stk_error *err)
{
    int         columns[WANTED];
    double      values[WANTED];
    const char *line = strchr(text, '\n');
    find_columns(text, columns);
    STK_TRY(make_room(c, text, err));
    for (; line && line[1]; line = strchr(line, '\n')) {
        read_line(++line, columns, values);
        if (!isnan(values[EPOCH])) add(c, values);
    }
    return STK_OK;
}

stk_status stk_curve_read(stk_curve *curve, const char *folder, stk_error *err)
{
    char     path[STK_TRAIN_PATH + 32];
    stk_blob text;
    *curve = (stk_curve){.best_accuracy = -1};
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    stk_status st = stk_file_read_all(NULL, path, 0, MOST_BYTES, &text, err);
    if (!st) st = stk_blob_append(&text, "", 1, err);
    if (!st) st = read_table(curve, (const char *)text.data, err);
    stk_blob_release(&text);
    if (st) stk_curve_release(curve);
    return st;
}

void stk_curve_release(stk_curve *curve)
{
    free(curve->epoch); /* the one block */
    *curve = (stk_curve){.best_accuracy = -1};
}

typedef struct drawing {
    stk_chart_series series[2];
    stk_chart_marker marker;
    char             text[48];
} drawing;

static stk_chart describe(const stk_curve *c, drawing *d)
{
    d->series[0] = (stk_chart_series){"training", c->epoch, c->loss, c->count};
    d->series[1] =
        (stk_chart_series){"validation", c->evaluated_at, c->validation_loss, c->evaluations};
    snprintf(d->text, sizeof d->text, "%.2f %%", 100 * c->best_accuracy);
    d->marker = (stk_chart_marker){c->best_epoch, c->best_loss, d->text};
    return (stk_chart){.title = "loss",
                       .x_label = "epoch",
                       .series = d->series,
                       .series_count = c->evaluations ? 2 : 1,
                       .markers = &d->marker,
                       .marker_count = c->best_accuracy >= 0};
}

stk_status stk_curve_print(const stk_curve *curve, const stk_style *style, stk_error *err)
{
    drawing                      d;
    const stk_chart              chart = describe(curve, &d);
    const stk_chart_text_options options = {.columns = style->width > 100 ? 100 : style->width,
                                            .rows = 12,
                                            .utf8 = style->unicode,
                                            .colour = style->bold[0] != 0};
    stk_blob                     text;
    if (curve->count < 2) return STK_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_chart_text(&text, &chart, &options, err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

stk_status stk_curve_save(const stk_curve *curve, const char *folder, stk_error *err)
{
    char            path[STK_TRAIN_PATH + 32];
    drawing         d;
    const stk_chart chart = describe(curve, &d);
    stk_blob        svg;
    snprintf(path, sizeof path, "%s/curve.svg", folder);
    stk_blob_init(&svg, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_chart_svg(&svg, &chart, err);
    if (!st) st = stk_pictures_save(path, stk_blob_bytes(&svg), err);
    stk_blob_release(&svg);
    return st;
}
