/* Draws images on a sheet: small ones are enlarged by an integer factor, large ones subsampled. */
#include "train/log/image_sheet.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/font.h>
#include <string.h>

enum { COLUMNS = 6, SIDE_MIN = 112, SIDE_MAX = 224, GAP = 8, TEXT_LINE = 13, BELOW = 4 };

/* By tone. */
static const uint8_t colours[][3] = {{32, 32, 32}, {10, 125, 90}, {179, 54, 27}};

/* An image takes side x side pixels: each pixel is enlarged by zoom, or one of skip is taken. */
typedef struct layout {
    int zoom, skip, side, cell, columns, rows;
} layout;

static layout lay_out(size_t count, int size)
{
    layout at = {.zoom = 1, .skip = 1};
    if (size < SIDE_MIN) at.zoom = SIDE_MIN / size;
    if (size > SIDE_MAX) at.skip = (size + SIDE_MAX - 1) / SIDE_MAX;
    at.side = size * at.zoom / at.skip;
    at.cell = at.side > SIDE_MIN ? at.side : SIDE_MIN;
    at.columns = count < COLUMNS ? (int)count : COLUMNS;
    at.rows = ((int)count + COLUMNS - 1) / COLUMNS;
    return at;
}

static void put_image(const stk_pixels *sheet, const layout *at, int x, int y,
                      const stk_pixels *image)
{
    for (int row = 0; row < at->side; row++) {
        const uint8_t *line = image->data + (size_t)(row * at->skip / at->zoom) * image->stride;
        uint8_t       *dst = sheet->data + (size_t)(y + row) * sheet->stride + (size_t)x * 3;
        for (int column = 0; column < at->side; column++, dst += 3) {
            const uint8_t *src = line + column * at->skip / at->zoom * image->channels;
            for (int c = 0; c < 3; c++)
                dst[c] = src[image->channels >= 3 ? c : 0];
        }
    }
}

static void put_text(const stk_pixels *sheet, const layout *at, int x, int y,
                     const uint8_t colour[3], const char *text)
{
    char spelled[512], shown[96];
    stk_font_spell(text, spelled, sizeof spelled);
    snprintf(shown, sizeof shown, "%.*s", at->cell / STK_FONT_ADVANCE, spelled);
    stk_font_render(sheet, x, y, 1, colour, shown);
}

static void put_all(const stk_pixels *sheet, const layout *at, const stk_sheet_image *list,
                    size_t count, int size, int channels)
{
    for (int i = 0; i < (int)count; i++) {
        const int        x = GAP + i % COLUMNS * (at->cell + GAP);
        const int        y = GAP + i / COLUMNS * (at->cell + 2 * TEXT_LINE + GAP);
        const int        below = y + at->side + BELOW;
        const stk_pixels image = {.data = (uint8_t *)(uintptr_t)list[i].pixels,
                                  .width = size,
                                  .height = size,
                                  .channels = channels,
                                  .stride = (size_t)(size * channels)};
        put_image(sheet, at, x, y, &image);
        put_text(sheet, at, x, below, colours[STK_SHEET_PLAIN], list[i].line);
        put_text(sheet, at, x, below + TEXT_LINE, colours[list[i].tone], list[i].note);
    }
}

stk_status stk_image_sheet(const stk_sheet_image *list, size_t count, int size, int channels,
                           stk_blob *out, stk_error *err)
{
    const layout at = lay_out(count, size);
    stk_pixels   sheet = {.width = GAP + at.columns * (at.cell + GAP),
                          .height = GAP + at.rows * (at.cell + 2 * TEXT_LINE + GAP),
                          .channels = 3};
    sheet.stride = (size_t)sheet.width * 3;
    sheet.data = malloc(sheet.stride * (size_t)sheet.height);
    if (!sheet.data)
        return stk_fail(err, STK_E_NOMEM, "samples", NULL, "no memory for a sheet of %d x %d",
                        (int)sheet.width, (int)sheet.height);
    memset(sheet.data, 0xff, sheet.stride * (size_t)sheet.height);
    put_all(&sheet, &at, list, count, size, channels);
    const stk_status st = stk_image_write_png(out, &sheet, err);
    free(sheet.data);
    return st;
}
