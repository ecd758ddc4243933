/* JPEG through libjpeg, whose errors come by longjmp: they end in compress, which owns nothing. */
#include "image/encode/encode.h"

#include "base/checked.h"

/* jpeglib.h needs size_t and FILE before it. */
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

enum { DEFAULT_QUALITY = 95, CAPACITY_MIN = 4096 };

typedef struct writing {
    struct jpeg_compress_struct   jpeg; /* must be first: libjpeg gives it back */
    struct jpeg_error_mgr         errors;
    struct jpeg_destination_mgr   target;
    jmp_buf                       leave;
    stk_blob                     *out;
    const stk_pixels             *pixels;
    const stk_jpeg_write_options *options;
    stk_error                    *err;
    stk_status                    status;
} writing;

static void stop(j_common_ptr jpeg)
{
    writing *w = (writing *)jpeg;
    char     text[JMSG_LENGTH_MAX];
    if (!w->status) {
        jpeg->err->format_message(jpeg, text);
        w->status = stk_fail(
            w->err, jpeg->err->msg_code == JERR_OUT_OF_MEMORY ? STK_E_NOMEM : STK_E_INVALID,
            "encode", NULL, "libjpeg: %s", text);
    }
    longjmp(w->leave, 1);
}

static void say_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

/* libjpeg writes straight into the blob: it borrows the bytes between size and capacity. */
static void set_output(writing *w, size_t capacity_min)
{
    size_t capacity;
    w->status = stk_add_overflows(w->out->size, capacity_min, &capacity)
                    ? stk_fail(w->err, STK_E_LIMIT, "encode", NULL,
                               "a JPEG behind %zu bytes does not fit", w->out->size)
                    : stk_blob_reserve(w->out, capacity, w->err);
    if (w->status) stop((j_common_ptr)&w->jpeg);
    w->target.next_output_byte = w->out->data + w->out->size;
    w->target.free_in_buffer = w->out->capacity - w->out->size;
}

static void begin_output(j_compress_ptr jpeg)
{
    set_output((writing *)jpeg, CAPACITY_MIN);
}

static boolean empty_output(j_compress_ptr jpeg)
{
    writing *w = (writing *)jpeg;
    w->out->size = w->out->capacity; /* libjpeg calls when all is full */
    set_output(w, CAPACITY_MIN);
    return TRUE;
}

static void end_output(j_compress_ptr jpeg)
{
    writing *w = (writing *)jpeg;
    w->out->size = w->out->capacity - w->target.free_in_buffer;
}

static void choose_parameters(writing *w)
{
    struct jpeg_compress_struct *jpeg = &w->jpeg;
    const int quality = w->options && w->options->quality ? w->options->quality : DEFAULT_QUALITY;
    jpeg->image_width = (JDIMENSION)w->pixels->width;
    jpeg->image_height = (JDIMENSION)w->pixels->height;
    jpeg->input_components = w->pixels->channels;
    jpeg->in_color_space = w->pixels->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg->optimize_coding = TRUE;
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor =
        w->pixels->channels == 3 && w->options && w->options->subsample ? 2 : 1;
}

static stk_status compress(writing *w)
{
    if (setjmp(w->leave)) return w->status;
    jpeg_create_compress(&w->jpeg);
    w->jpeg.dest = &w->target;
    choose_parameters(w);
    jpeg_start_compress(&w->jpeg, TRUE);
    while (w->jpeg.next_scanline < w->jpeg.image_height) {
        JSAMPROW row = stk_encode_row(w->pixels, (int32_t)w->jpeg.next_scanline);
        jpeg_write_scanlines(&w->jpeg, &row, 1);
    }
    jpeg_finish_compress(&w->jpeg);
    return STK_OK;
}

static stk_status check_quality(const stk_jpeg_write_options *options, stk_error *err)
{
    if (!options || (options->quality >= 0 && options->quality <= 100)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "encode", NULL,
                    "a JPEG of quality %d: it goes from 1 to 100", options->quality);
}

stk_status stk_image_write_jpeg(stk_blob *out, const stk_pixels *pixels,
                                const stk_jpeg_write_options *options, stk_error *err)
{
    writing      w = {.out = out, .pixels = pixels, .options = options, .err = err};
    const size_t begin = out->size;
    size_t       bytes, coefficients;
    STK_TRY(check_quality(options, err));
    STK_TRY(stk_encode_check(pixels, JPEG_MAX_DIMENSION, &bytes, err));
    w.jpeg.err = jpeg_std_error(&w.errors);
    w.errors.error_exit = stop;
    w.errors.output_message = say_nothing;
    w.target = (struct jpeg_destination_mgr){.init_destination = begin_output,
                                             .empty_output_buffer = empty_output,
                                             .term_destination = end_output};
    /* Best tables want all coefficients first: libjpeg keeps them, at two bytes each. */
    if (stk_mul_overflows(bytes, 2, &coefficients)) coefficients = SIZE_MAX;
    STK_TRY(stk_ledger_reserve(out->ledger, out->memory, coefficients, err));
    const stk_status st = compress(&w);
    jpeg_destroy_compress(&w.jpeg);
    stk_ledger_release(out->ledger, out->memory, coefficients);
    if (st) out->size = begin;
    return st;
}
