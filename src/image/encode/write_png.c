/* PNG through libpng, whose errors come by longjmp: they end in write_image, which owns
 * nothing. */
#include "image/encode/encode.h"

#include <png.h>
#include <stdlib.h>

typedef struct writing {
    stk_blob         *out;
    const stk_pixels *pixels;
    stk_error        *err;
    png_structp       png;
    png_infop         info;
    stk_status        status;
} writing;

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return malloc(size);
}

static void give_back(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

/* libpng accepts all valid pixels: any failure is a lack of memory. */
static void stop(png_structp png, png_const_charp message)
{
    writing *w = png_get_error_ptr(png);
    if (!w->status)
        w->status = stk_fail(w->err, STK_E_NOMEM, "encode", NULL, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

static void write_bytes(png_structp png, png_bytep data, size_t size)
{
    writing *w = png_get_io_ptr(png);
    w->status = stk_blob_append(w->out, data, size, w->err);
    if (w->status) png_error(png, "no space");
}

static void flush(png_structp png)
{
    (void)png;
}

static stk_status write_image(writing *w)
{
    const stk_pixels *pixels = w->pixels;
    if (setjmp(png_jmpbuf(w->png))) return w->status;
    png_set_write_fn(w->png, w, write_bytes, flush);
    png_set_user_limits(w->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(w->png, w->info, (png_uint_32)pixels->width, (png_uint_32)pixels->height, 8,
                 pixels->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(w->png, w->info);
    for (int32_t y = 0; y < pixels->height; y++)
        png_write_row(w->png, stk_encode_row(pixels, y));
    png_write_end(w->png, NULL);
    return STK_OK;
}

stk_status stk_image_write_png(stk_blob *out, const stk_pixels *pixels, stk_error *err)
{
    writing      w = {.out = out, .pixels = pixels, .err = err};
    const size_t begin = out->size;
    size_t       bytes;
    STK_TRY(stk_encode_check(pixels, PNG_UINT_31_MAX, &bytes, err));
    w.png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w, stop, warn, &w, allocate, give_back);
    if (w.png) w.info = png_create_info_struct(w.png);
    const stk_status st =
        w.info ? write_image(&w)
               : stk_fail(err, STK_E_NOMEM, "encode", NULL, "no memory to write a PNG");
    png_destroy_write_struct(&w.png, &w.info);
    if (st) out->size = begin;
    return st;
}
