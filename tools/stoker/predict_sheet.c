/* A contact sheet of predictions. */
#include "predict_sheet.h"

#include "model_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH_PIXELS = 256 }; /* of a side: JPEGs are decoded no larger than shown */

stk_status cli_predict_sheet_init(cli_predict_sheet *sheet, stk_error *err)
{
    *sheet = (cli_predict_sheet){0};
    sheet->cells = calloc(CLI_PREDICT_SHEET_MAX, sizeof *sheet->cells);
    if (!sheet->cells) return stk_fail(err, STK_E_NOMEM, "sheet", NULL, "no memory");
    return stk_decoder_new(&sheet->decoder, NULL, err);
}

void cli_predict_sheet_release(cli_predict_sheet *sheet)
{
    for (size_t i = 0; i < sheet->count; i++)
        free(sheet->cells[i].pixels.data);
    free(sheet->cells);
    stk_decoder_free(sheet->decoder);
    *sheet = (cli_predict_sheet){0};
}

static int choose_shrink(stk_bytes encoded)
{
    stk_image_info info;
    int            shrink = 1;
    if (stk_image_read_info(encoded, NULL, &info, NULL) || info.format != STK_IMAGE_JPEG) return 1;
    const int side = info.width > info.height ? info.width : info.height;
    while (shrink < 8 && side / (2 * shrink) >= ENOUGH_PIXELS)
        shrink *= 2;
    return shrink;
}

/* The decoder's pixels are borrowed until the next image. */
static stk_status keep(stk_pixels *out, const stk_pixels *lent, stk_error *err)
{
    const size_t row = (size_t)lent->width * (size_t)lent->channels;
    *out = *lent;
    out->stride = row;
    out->data = malloc(row * (size_t)lent->height);
    if (!out->data) return stk_fail(err, STK_E_NOMEM, "sheet", NULL, "no memory for an image");
    for (int32_t y = 0; y < lent->height; y++)
        memcpy(out->data + (size_t)y * row, lent->data + (size_t)y * lent->stride, row);
    return STK_OK;
}

stk_status cli_predict_sheet_add(cli_predict_sheet *sheet, stk_bytes encoded, const char *label,
                                 const char *note, stk_error *err)
{
    stk_pixels lent;
    if (sheet->count == CLI_PREDICT_SHEET_MAX) return STK_OK;
    cli_sheet_cell *cell = &sheet->cells[sheet->count];
    STK_TRY(stk_image_decode(sheet->decoder, encoded, NULL, choose_shrink(encoded), NULL, &lent,
                             NULL, err));
    STK_TRY(keep(&cell->pixels, &lent, err));
    snprintf(cell->label, sizeof cell->label, "%s", label);
    snprintf(cell->note, sizeof cell->note, "%s", note);
    sheet->count++;
    return STK_OK;
}

stk_status cli_predict_sheet_save(const cli_predict_sheet *sheet, const char *path,
                                  const char *heading, const char *subheading, int columns,
                                  stk_error *err)
{
    const cli_sheet all = {.heading = heading,
                           .subheading = subheading,
                           .cells = sheet->cells,
                           .count = sheet->count,
                           .columns = columns < (int)sheet->count ? columns : (int)sheet->count};
    stk_blob        png;
    if (!sheet->count)
        return stk_fail(err, STK_E_NOTFOUND, "sheet", path, "there is no image to show");
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    stk_status st = cli_sheet_write(&png, &all, NULL, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&png), err);
    stk_blob_release(&png);
    return st;
}
