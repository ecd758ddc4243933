/* Collects a table of all images and the most confident mistakes. */
#include "eval_details.h"

#include "model_images.h"
#include "predict_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_heading(cli_eval_details *d)
{
    static const char *const first[] = {
        "image", "record", "true", "predicted", "right", "confidence", "true_probability"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        cli_text_rows_cell(&d->rows, first[i]);
    cli_prediction_csv_more_heading(&d->rows, d->top);
    cli_text_rows_end(&d->rows);
}

stk_status cli_eval_details_init(cli_eval_details *details, const char *csv, int64_t top,
                                 size_t max, const stk_predictor *predictor, stk_error *err)
{
    const int64_t classes = stk_predictor_classes(predictor);
    *details = (cli_eval_details){.predictor = predictor,
                                  .table = csv != NULL,
                                  .top = top < classes ? top : classes,
                                  .max = max};
    details->order = calloc((size_t)classes, sizeof *details->order);
    details->cells = calloc(max + 1, sizeof *details->cells);
    details->worst = calloc(max + 1, sizeof *details->worst);
    if (!details->order || !details->cells || !details->worst)
        return stk_fail(err, STK_E_NOMEM, "evaluate", NULL, "no memory for %lld classes",
                        (long long)classes);
    if (!csv) return STK_OK;
    STK_TRY(cli_text_rows_open(&details->rows, csv, err));
    write_heading(details);
    return STK_OK;
}

static const char *name_of(const cli_eval_details *d, int64_t class)
{
    return stk_predictor_class_name(d->predictor, class);
}

static void add_row(cli_eval_details *d, const stk_evaluated_image *image)
{
    cli_text_rows *rows = &d->rows;
    cli_prediction_sort(image->probabilities, stk_predictor_classes(d->predictor), d->top,
                        d->order);
    cli_text_rows_cell(rows, image->file);
    cli_text_rows_integer(rows, image->record);
    cli_text_rows_cell(rows, name_of(d, image->truth));
    cli_text_rows_cell(rows, name_of(d, image->predicted));
    cli_text_rows_cell(rows, image->truth == image->predicted ? "1" : "0");
    cli_text_rows_fraction(rows, (double)image->probabilities[image->predicted]);
    cli_text_rows_fraction(rows, (double)image->probabilities[image->truth]);
    cli_prediction_csv_more(rows, d->predictor, image->probabilities, d->order, d->top);
    cli_text_rows_end(rows);
}

/* Higher confidence first; ties by earlier index. */
static bool is_worse(const cli_eval_mistake *a, const cli_eval_mistake *b)
{
    return a->confidence > b->confidence || (a->confidence == b->confidence && a->index < b->index);
}

/* The slot to replace: a free one, else the mildest mistake. */
static size_t find_slot(const cli_eval_details *d)
{
    size_t mildest = 0;
    if (d->count < d->max) return d->count;
    for (size_t i = 1; i < d->count; i++)
        if (is_worse(&d->worst[mildest], &d->worst[i])) mildest = i;
    return mildest;
}

static void write_texts(const cli_eval_details *d, const stk_evaluated_image *image,
                        cli_sheet_cell *cell)
{
    const char *slash = strrchr(image->file, '/'), *name = slash ? slash + 1 : image->file;
    snprintf(cell->label, sizeof cell->label, "%.80s %.0f%%", name_of(d, image->predicted),
             100 * (double)image->probabilities[image->predicted]);
    if (image->record)
        snprintf(cell->note, sizeof cell->note, "it is %.60s (%.0f%%); %.60s:%lld",
                 name_of(d, image->truth), 100 * (double)image->probabilities[image->truth], name,
                 (long long)image->record);
    else
        snprintf(cell->note, sizeof cell->note, "it is %.60s (%.0f%%); %.80s",
                 name_of(d, image->truth), 100 * (double)image->probabilities[image->truth], name);
}

static stk_status add_mistake(cli_eval_details *d, const stk_evaluated_image *image, stk_error *err)
{
    const cli_eval_mistake mistake = {(double)image->probabilities[image->predicted], d->images};
    const size_t           slot = find_slot(d);
    const size_t           bytes = (size_t)(image->size * image->size * image->channels);
    cli_sheet_cell        *cell = &d->cells[slot];
    if (slot < d->count && !is_worse(&mistake, &d->worst[slot])) return STK_OK;
    if (!cell->pixels.data) cell->pixels.data = malloc(bytes);
    if (!cell->pixels.data)
        return stk_fail(err, STK_E_NOMEM, "sheet", NULL, "no memory for an image");
    memcpy(cell->pixels.data, image->pixels, bytes);
    cell->pixels.width = cell->pixels.height = (int32_t)image->size;
    cell->pixels.channels = (int32_t)image->channels;
    cell->pixels.stride = (size_t)(image->size * image->channels);
    write_texts(d, image, cell);
    d->worst[slot] = mistake;
    d->count += slot == d->count;
    return STK_OK;
}

stk_status cli_eval_details_add(void *context, const stk_evaluated_image *image, stk_error *err)
{
    cli_eval_details *d = context;
    const bool        wrong = image->truth != image->predicted;
    if (d->table) add_row(d, image);
    if (d->rows.status) {
        *err = d->rows.err;
        return d->rows.status;
    }
    if (wrong && d->max) STK_TRY(add_mistake(d, image, err));
    d->mistakes += wrong;
    d->images++;
    return STK_OK;
}

stk_status cli_eval_details_commit(cli_eval_details *details, stk_error *err)
{
    return details->table ? cli_text_rows_commit(&details->rows, err) : STK_OK;
}

/* Selection sort: there are few. */
static void sort(cli_eval_details *d)
{
    for (size_t i = 0; i < d->count; i++)
        for (size_t k = i + 1; k < d->count; k++) {
            if (!is_worse(&d->worst[k], &d->worst[i])) continue;
            const cli_eval_mistake mistake = d->worst[i];
            const cli_sheet_cell   cell = d->cells[i];
            d->worst[i] = d->worst[k];
            d->cells[i] = d->cells[k];
            d->worst[k] = mistake;
            d->cells[k] = cell;
        }
}

stk_status cli_eval_details_sheet(cli_eval_details *details, const char *path, const char *heading,
                                  const char *subheading, int columns, stk_error *err)
{
    const int       count = (int)details->count;
    const cli_sheet sheet = {.heading = heading,
                             .subheading = subheading,
                             .cells = details->cells,
                             .count = details->count,
                             .columns = columns < count ? columns : count};
    stk_blob        png;
    sort(details);
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    stk_status st = cli_sheet_write(&png, &sheet, NULL, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&png), err);
    stk_blob_release(&png);
    return st;
}

void cli_eval_details_release(cli_eval_details *details)
{
    for (size_t i = 0; details->cells && i < details->count; i++)
        free(details->cells[i].pixels.data);
    free(details->cells);
    free(details->worst);
    free(details->order);
    cli_text_rows_release(&details->rows);
    *details = (cli_eval_details){0};
}
