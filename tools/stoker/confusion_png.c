/* Draws a confusion matrix. A cell's shade is its fraction of the row, so that rare classes are as
 * visible as common ones; correct cells are blue, wrong ones orange. */
#include "confusion_png.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/font.h>
#include <stoker/image.h>
#include <string.h>

enum {
    MARGIN = 20,
    NAME_CHARS_MAX = 22, /* of a name; longer ones are cut */
    NAME_CAPACITY = NAME_CHARS_MAX + 3,
    TALL_CELL = 44,    /* from here on counts have double size */
    DIGITS_MIN = 20,   /* smaller cells have no counts */
    NAME_MIN = 10,     /* smaller cells have no names */
    SIDE_MAX = 1100,   /* of the matrix, if cells can shrink */
    SHARE_LETTERS = 5, /* "100 %" */
    TICK = 6
};

static const uint8_t paper[3] = {255, 255, 255}, ink[3] = {32, 32, 32}, dim[3] = {112, 112, 112};
static const uint8_t grid[3] = {222, 222, 222};
static const uint8_t right_colour[3] = {21, 84, 148}, wrong_colour[3] = {214, 84, 16};

/* Positions in pixels. */
typedef struct layout {
    int     cell, scale; /* of a class; of its name */
    int     number;      /* font scale of counts; 0: none */
    int     left, top;   /* of the matrix */
    int     line;        /* line height */
    int     width, height;
    int64_t rows;
} layout;

typedef struct drawing {
    const cli_confusion_image *what;
    const stk_evaluation      *e;
    layout                     at;
    stk_pixels                 pixels;
} drawing;

static int text_width(const char *text, int scale)
{
    return stk_font_length(text) * STK_FONT_ADVANCE * scale;
}

static uint8_t *pixel_at(const stk_pixels *p, int x, int y)
{
    return p->data + (size_t)y * p->stride + (size_t)x * 3;
}

static void fill(const drawing *d, int x, int y, int width, int height, const uint8_t colour[3])
{
    for (int row = y; row < y + height; row++)
        for (int column = x; column < x + width; column++)
            memcpy(pixel_at(&d->pixels, column, row), colour, 3);
}

/* At most NAME_CHARS_MAX characters. */
static void cut_name(const drawing *d, int64_t class, char text[NAME_CAPACITY])
{
    char spelled[512];
    stk_font_spell(stk_predictor_class_name(d->what->predictor, class), spelled, sizeof spelled);
    snprintf(text, NAME_CAPACITY, "%.*s%s", NAME_CHARS_MAX, spelled,
             strlen(spelled) > NAME_CHARS_MAX ? ".." : "");
}

static int widest_name(const drawing *d)
{
    char text[NAME_CAPACITY];
    int  widest = text_width("precision", d->at.scale);
    for (int64_t i = 0; i < d->e->classes; i++) {
        cut_name(d, i, text);
        const int width = text_width(text, d->at.scale);
        if (width > widest) widest = width;
    }
    return widest;
}

/* Counts are drawn if the longest fits into a cell. */
static int number_scale(const drawing *d, int cell)
{
    int64_t max = 0;
    char    text[32];
    for (int64_t i = 0; i < d->e->classes * d->e->classes; i++)
        if (d->e->confusion[i] > max) max = d->e->confusion[i];
    snprintf(text, sizeof text, "%lld", (long long)max);
    for (int scale = 2; scale > 0; scale--)
        if (cell >= DIGITS_MIN && text_width(text, scale) + 2 <= cell) return scale;
    return 0;
}

static int choose_cell(int64_t classes)
{
    const int fits = (int)(SIDE_MAX / classes);
    if (fits < NAME_MIN)
        return classes * NAME_MIN <= SIDE_MAX * 11 / 10 ? NAME_MIN : fits < 1 ? 1 : fits;
    return fits > TALL_CELL + 16 ? TALL_CELL + 16 : fits;
}

static void lay_out(drawing *d)
{
    layout *at = &d->at;
    at->cell = choose_cell(d->e->classes);
    at->scale = at->cell >= 24 ? 2 : 1;
    at->number = number_scale(d, at->cell);
    at->line = (STK_FONT_HEIGHT + 4) * 2;
    at->rows = d->e->present;
    const int names = at->cell >= NAME_MIN ? widest_name(d) + TICK : 0;
    const int percents =
        at->cell >= NAME_MIN ? (SHARE_LETTERS + 1) * STK_FONT_ADVANCE * at->scale + TICK : 0;
    at->left = MARGIN + at->line + names;
    at->top = MARGIN + 3 * at->line + names + at->line;
    at->width = at->left + at->cell * (int)d->e->classes + percents + MARGIN;
    const int title = MARGIN * 2 + text_width(d->what->subheading, 1);
    if (at->width < title) at->width = title;
    at->height = at->top + at->cell * (int)at->rows + percents + at->line + MARGIN;
}

/* Vertical text with its lower left corner at (x, y). */
static stk_status draw_upwards(const drawing *d, int x, int y, int scale, const uint8_t colour[3],
                               const char *text, stk_error *err)
{
    const int  width = text_width(text, scale), height = STK_FONT_HEIGHT * scale;
    stk_pixels flat = {.data = malloc((size_t)width * (size_t)height * 3 + 1),
                       .width = width,
                       .height = height,
                       .channels = 3,
                       .stride = (size_t)width * 3};
    if (!flat.data) return stk_fail(err, STK_E_NOMEM, "sheet", NULL, "no memory for a name");
    memset(flat.data, 255, (size_t)width * (size_t)height * 3);
    stk_font_render(&flat, 0, 0, scale, colour, text);
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            if (x + row < d->at.width && y - column >= 0)
                memcpy(pixel_at(&d->pixels, x + row, y - column), pixel_at(&flat, column, row), 3);
    free(flat.data);
    return STK_OK;
}

static void shade(double fraction, bool right, uint8_t colour[3])
{
    const uint8_t *full = right ? right_colour : wrong_colour;
    /* A single mistake stays visible. */
    const double depth = fraction <= 0 ? 0 : 0.08 + 0.92 * fraction;
    for (int c = 0; c < 3; c++)
        colour[c] = (uint8_t)(paper[c] + (full[c] - paper[c]) * depth + 0.5);
}

static void draw_cell(const drawing *d, int x, int y, int64_t truth, int64_t guess)
{
    const layout *at = &d->at;
    const int64_t count = d->e->confusion[truth * d->e->classes + guess];
    const double  fraction = (double)count / (double)d->e->scores[truth].images;
    const int     gap = at->cell >= NAME_MIN;
    uint8_t       colour[3];
    char          text[32];
    shade(fraction, truth == guess, colour);
    fill(d, x, y, at->cell - gap, at->cell - gap, colour);
    if (!at->number || !count) return;
    snprintf(text, sizeof text, "%lld", (long long)count);
    const int width = text_width(text, at->number) - at->number;
    stk_font_render(&d->pixels, x + (at->cell - gap - width) / 2,
                    y + (at->cell - gap - 7 * at->number) / 2, at->number,
                    fraction > 0.5 ? paper : ink, text);
}

static void draw_percent(const drawing *d, int x, int y, double fraction)
{
    char text[32];
    snprintf(text, sizeof text, "%3.0f %%", 100 * fraction);
    stk_font_render(&d->pixels, x, y, d->at.scale, dim, text);
}

/* Vertical offset that centres a line of text in a cell. */
static int middle(const layout *at)
{
    return (at->cell - 1 - 7 * at->scale) / 2;
}

static void draw_row(const drawing *d, int64_t truth, int y)
{
    const layout *at = &d->at;
    char          text[NAME_CAPACITY];
    for (int64_t k = 0; k < d->e->classes; k++)
        draw_cell(d, at->left + (int)k * at->cell, y, truth, k);
    if (at->cell < NAME_MIN) return;
    cut_name(d, truth, text);
    stk_font_render(&d->pixels, at->left - TICK - text_width(text, at->scale), y + middle(at),
                    at->scale, ink, text);
    draw_percent(d, at->left + (int)d->e->classes * at->cell + TICK, y + middle(at),
                 d->e->scores[truth].recall);
}

static stk_status draw_columns(const drawing *d, stk_error *err)
{
    const layout *at = &d->at;
    char          text[NAME_CAPACITY];
    if (at->cell < NAME_MIN) return STK_OK;
    for (int64_t k = 0; k < d->e->classes; k++) {
        const int x = at->left + (int)k * at->cell + middle(at);
        const int bottom = at->top + (int)at->rows * at->cell;
        cut_name(d, k, text);
        STK_TRY(draw_upwards(d, x, at->top - TICK, at->scale, ink, text, err));
        if (!d->e->scores[k].predicted) continue;
        snprintf(text, sizeof text, "%.0f %%", 100 * d->e->scores[k].precision);
        STK_TRY(draw_upwards(d, x, bottom + TICK + text_width(text, at->scale), at->scale, dim,
                             text, err));
    }
    return STK_OK;
}

static stk_status draw_texts(const drawing *d, stk_error *err)
{
    const layout *at = &d->at;
    const int     right = at->left + at->cell * (int)d->e->classes;
    const int     bottom = at->top + at->cell * (int)at->rows;
    const int     width_left = at->width - 2 * MARGIN;
    stk_font_render(&d->pixels, MARGIN, MARGIN,
                    text_width(d->what->heading, 2) <= width_left ? 2 : 1, ink, d->what->heading);
    stk_font_render(&d->pixels, MARGIN, MARGIN + at->line, 1, dim, d->what->subheading);
    stk_font_render(&d->pixels, (at->left + right - text_width("taken for", 2)) / 2,
                    MARGIN + 2 * at->line, 2, dim, "taken for");
    STK_TRY(draw_upwards(d, MARGIN, (at->top + bottom + text_width("it is", 2)) / 2, 2, dim,
                         "it is", err));
    if (at->cell < NAME_MIN) return STK_OK;
    stk_font_render(&d->pixels, right + TICK, at->top - TICK - STK_FONT_HEIGHT * at->scale,
                    at->scale, dim, "recall");
    stk_font_render(&d->pixels, at->left - TICK - text_width("precision", at->scale), bottom + TICK,
                    at->scale, dim, "precision");
    return STK_OK;
}

static stk_status draw(const drawing *d, stk_error *err)
{
    const layout *at = &d->at;
    int           y = at->top;
    fill(d, 0, 0, at->width, at->height, paper);
    fill(d, at->left - 1, at->top - 1, at->cell * (int)d->e->classes + 1,
         at->cell * (int)at->rows + 1, grid);
    STK_TRY(draw_texts(d, err));
    STK_TRY(draw_columns(d, err));
    for (int64_t i = 0; i < d->e->classes; i++) {
        if (!d->e->scores[i].images) continue;
        draw_row(d, i, y);
        y += at->cell;
    }
    return STK_OK;
}

stk_status cli_confusion_png(stk_blob *out, const cli_confusion_image *image, stk_error *err)
{
    drawing  d = {.what = image, .e = image->evaluation};
    stk_blob memory;
    if (!d.e->confusion)
        return stk_fail(err, STK_E_LIMIT, "sheet", NULL,
                        "%lld classes are too many for a matrix: at most 1000",
                        (long long)d.e->classes);
    lay_out(&d);
    const size_t stride = (size_t)d.at.width * 3;
    stk_blob_init(&memory, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_blob_reserve_exact(&memory, stride * (size_t)d.at.height, err);
    d.pixels = (stk_pixels){.data = memory.data,
                            .width = d.at.width,
                            .height = d.at.height,
                            .channels = 3,
                            .stride = stride};
    if (!st) st = draw(&d, err);
    if (!st) st = stk_image_write_png(out, &d.pixels, err);
    stk_blob_release(&memory);
    return st;
}
