/* Crops without resampling: borders, flips and the output format. */
#include "image/resize/output_writer.h"

#include <string.h>

enum { RUN = 256 /* pixels converted at a time */ };

typedef struct copying {
    const stk_pixels *src;
    const uint8_t    *fill;
    stk_rect          window;
    stk_border        border;
    bool              flip_x;
    size_t            channels;
    int32_t           inside, inside_end; /* columns of the window that are in the image */
    void (*mirror)(const uint8_t *src, size_t pixels, uint8_t *dst);
} copying;

/* The image's row or column for a position outside of it. */
static int32_t bring_inside(int64_t at, int32_t size, stk_border border)
{
    if (at >= 0 && at < size) return (int32_t)at;
    if (border == STK_BORDER_EDGE || size == 1) return at < 0 ? 0 : size - 1;
    const int64_t period = 2 * ((int64_t)size - 1);
    const int64_t past = (at % period + period) % period;
    return (int32_t)(past < size ? past : period - past);
}

/* The window's column that comes to column x of the result. */
static int32_t column_of(const copying *c, int32_t x)
{
    return c->flip_x ? c->window.width - 1 - x : x;
}

static void put_pixel(const copying *c, const uint8_t *pixel, uint8_t *dst)
{
    dst[0] = pixel[0];
    if (c->channels == 3) {
        dst[1] = pixel[1];
        dst[2] = pixel[2];
    }
}

/* Result columns from..to, all outside the image; dst is where column from goes. */
static void put_outside(const copying *c, const uint8_t *row, int32_t from, int32_t to,
                        uint8_t *dst)
{
    for (int32_t x = from; x < to; x++, dst += c->channels) {
        const uint8_t *pixel = c->fill;
        if (row && c->border != STK_BORDER_CONSTANT) {
            const int64_t at = (int64_t)c->window.x + column_of(c, x);
            pixel = row + (size_t)bring_inside(at, c->src->width, c->border) * c->channels;
        }
        put_pixel(c, pixel, dst);
    }
}

/* The image's row for row y of the window; NULL where all of it is fill. */
static const uint8_t *row_of(const copying *c, int32_t y)
{
    const int64_t at = (int64_t)c->window.y + y;
    const bool    out = at < 0 || at >= c->src->height;
    if ((out && c->border == STK_BORDER_CONSTANT) || c->src->width < 1 || c->src->height < 1)
        return NULL;
    return c->src->data + (size_t)bring_inside(at, c->src->height, c->border) * c->src->stride;
}

/* Result columns from..to of one row. */
static void put_row(const copying *c, const uint8_t *row, int32_t from, int32_t to, uint8_t *dst)
{
    int32_t begin = c->flip_x ? c->window.width - c->inside_end : c->inside;
    int32_t end = c->flip_x ? c->window.width - c->inside : c->inside_end;
    begin = !row || begin > to ? to : begin < from ? from : begin;
    end = end > to ? to : end < begin ? begin : end;
    put_outside(c, row, from, begin, dst);
    uint8_t *const middle = dst + (size_t)(begin - from) * c->channels;
    if (begin < end) {
        const int64_t  left = (int64_t)c->window.x + column_of(c, c->flip_x ? end - 1 : begin);
        const uint8_t *src = row + (size_t)left * c->channels;
        if (c->flip_x)
            c->mirror(src, (size_t)(end - begin), middle);
        else
            memcpy(middle, src, (size_t)(end - begin) * c->channels);
    }
    put_outside(c, row, end, to, dst + (size_t)(end - from) * c->channels);
}

static void copy_rows(const copying *c, bool flip_y, uint8_t *out)
{
    const size_t bytes = (size_t)c->window.width * c->channels;
    for (int32_t y = 0; y < c->window.height; y++) {
        const int32_t to = flip_y ? c->window.height - 1 - y : y;
        put_row(c, row_of(c, y), 0, c->window.width, out + (size_t)to * bytes);
    }
}

static void write_row(const copying *c, const stk_output_writer *writer, const uint8_t *row,
                      size_t to)
{
    const bool unchanged = row && !c->flip_x && c->inside == 0 && c->inside_end == c->window.width;
    if (unchanged) {
        stk_output_format_write(writer, 0, to, row + (size_t)c->window.x * c->channels,
                                writer->width);
        return;
    }
    uint8_t run[RUN * 3];
    for (int32_t x = 0; x < c->window.width; x += RUN) {
        const int32_t now = c->window.width - x < RUN ? c->window.width - x : RUN;
        put_row(c, row, x, x + now, run);
        stk_output_format_write(writer, (size_t)x, to, run, (size_t)now);
    }
}

static int32_t clamp_column(int64_t column, int32_t width)
{
    return column < 0 ? 0 : column > width ? width : (int32_t)column;
}

void stk_copy_window(const stk_pixels *src, stk_rect window, stk_border border,
                     const uint8_t fill[3], bool flip_x, bool flip_y,
                     const stk_output_format *ending, void *out)
{
    const stk_resize_kernels *kernels = stk_resize_kernels_best();
    const copying             c = {
                    .src = src,
                    .fill = fill,
                    .window = window,
                    .border = border,
                    .flip_x = flip_x,
                    .channels = (size_t)src->channels,
                    .inside = clamp_column(-(int64_t)window.x, window.width),
                    .inside_end = clamp_column((int64_t)src->width - window.x, window.width),
                    .mirror = kernels->mirror[src->channels],
    };
    if (stk_output_format_is_plain(ending, src->channels)) {
        copy_rows(&c, flip_y, out);
        return;
    }
    stk_output_writer writer;
    stk_output_format_begin(&writer, kernels, ending, src->channels, window.width, window.height,
                            out);
    for (int32_t y = 0; y < window.height; y++)
        write_row(&c, &writer, row_of(&c, y), (size_t)(flip_y ? window.height - 1 - y : y));
}
