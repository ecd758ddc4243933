/* PNG through libpng, row by row: rows below the window are never inflated, columns beside it never
 * kept. libpng leaves its functions with longjmp; here that ends in read_image, which owns
 * nothing. */
#include "base/checked.h"
#include "image/codec/codec.h"
#include "image/codec/convert.h"
#include "image/codec/palette.h"
#include "image/codec/png_header.h"

#include <png.h>
#include <stdlib.h>

enum {
    RATIO_MAX = 1032,     /* of deflate: no more bytes come out of one */
    NEAR_THE_END = 16384, /* twice what libpng reads at a time */
    BLOCK_HEADER = 16     /* before each block of libpng's memory: its size */
};

typedef struct reading {
    const stk_codec_request *request;
    stk_png_header           header;
    stk_decoder             *decoder;
    stk_pixels              *out;
    stk_error               *err;
    png_structp              png;
    png_infop                info;
    size_t                   at;    /* bytes that libpng has */
    int                      pixel; /* bytes of a pixel as libpng gives it */
    uint8_t                 *rows;  /* as libpng gives them: one, or when interlaced the window's */
    size_t                   stride; /* of rows */
    int32_t                  row;    /* being read */
    bool                     damaged;
    stk_status               status; /* why libpng stopped */
    stk_palette              palette;
} reading;

/* libpng's memory is in the ledger too. */
static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    reading  *r = png_get_mem_ptr(png);
    size_t    total;
    stk_error err;
    if (stk_add_overflows(size, BLOCK_HEADER, &total)) return NULL;
    if (stk_decoder_reserve(r->decoder, total, &err)) {
        *r->err = err;
        r->status = err.status;
        return NULL;
    }
    uint8_t *block = malloc(total);
    if (!block) {
        stk_decoder_release(r->decoder, total);
        r->status = stk_fail(r->err, STK_E_NOMEM, "decode", NULL,
                             "no memory for %zu bytes to decode a PNG", total);
        return NULL;
    }
    memcpy(block, &total, sizeof total);
    return block + BLOCK_HEADER;
}

static void give_back(png_structp png, png_voidp memory)
{
    reading *r = png_get_mem_ptr(png);
    size_t   total;
    uint8_t *block = (uint8_t *)memory - BLOCK_HEADER;
    memcpy(&total, block, sizeof total);
    stk_decoder_release(r->decoder, total);
    free(block);
}

/* The first reason stays: what libpng says after it ran out of memory or input is less exact. */
static void stop(png_structp png, png_const_charp message)
{
    reading *r = png_get_error_ptr(png);
    if (!r->status)
        r->status = stk_fail(r->err, STK_E_DATALOSS, "decode", NULL,
                             "damaged PNG, at row %d of %d: %s", r->row, r->header.height, message);
    png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp message)
{
    reading *r = png_get_error_ptr(png);
    if (strstr(message, "CRC error")) r->damaged = true;
}

static void read_bytes(png_structp png, png_bytep dst, size_t count)
{
    reading        *r = png_get_io_ptr(png);
    const stk_bytes encoded = r->request->encoded;
    const size_t    left = encoded.size - r->at;
    if (count > left) {
        r->status = stk_fail(r->err, STK_E_DATALOSS, "decode", NULL,
                             "the PNG of %zu bytes ends at row %d of %d", encoded.size, r->row,
                             r->header.height);
        png_error(png, "end of input");
    }
    memcpy(dst, encoded.data + r->at, count);
    r->at += count;
    /* libpng inflates only complete blocks: to recover as much as possible, the last bytes are
     * passed one by one. */
    if (r->request->options->recover && left < NEAR_THE_END)
        png_set_compression_buffer_size(png, 1);
}

static void set_up(reading *r)
{
    png_set_read_fn(r->png, r, read_bytes);
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* ours are checked */
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_option(r->png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_set_check_for_invalid_index(r->png, -1);
    if (r->request->options->recover)
        png_set_crc_action(r->png, PNG_CRC_WARN_USE, PNG_CRC_WARN_USE);
}

/* Bytes wide but as they are stored: what to make of 16-bit grey and of indices is not libpng's
 * business. */
static void choose_pixels(reading *r)
{
    if (r->header.kind == STK_PNG_GREY && r->header.depth < 8)
        png_set_expand_gray_1_2_4_to_8(r->png);
    else if (r->header.depth < 8)
        png_set_packing(r->png);
    else if (r->header.depth == 16 && r->header.kind != STK_PNG_GREY) {
        if (r->request->options->pillow_16bit)
            png_set_strip_16(r->png);
        else
            png_set_scale_16(r->png);
    }
}

/* Indices past the palette are black. */
static void read_palette(reading *r)
{
    png_colorp colours;
    int        count = 0;
    if (r->header.kind != STK_PNG_PALETTE || !png_get_PLTE(r->png, r->info, &colours, &count))
        return;
    for (int i = 0; i < count && i < STK_PALETTE_COLOURS; i++)
        stk_palette_set(&r->palette, i, colours[i].red, colours[i].green, colours[i].blue);
}

/* Of 16-bit grey Pillow keeps the value, not its share of the range: above 255 is white. */
static uint8_t shade_of(const uint8_t *src, bool pillow)
{
    if (pillow) return src[0] ? 255 : src[1];
    return stk_scale_16bit((uint32_t)src[0] << 8 | src[1]);
}

static void convert_deep_grey(uint8_t *dst, int channels, const uint8_t *src, int32_t count,
                              bool pillow)
{
    for (int32_t i = 0; i < count; i++, src += 2, dst += channels)
        memset(dst, shade_of(src, pillow), (size_t)channels);
}

/* The window's columns of a row that libpng gave. */
static void convert_row(const reading *r, uint8_t *dst, const uint8_t *row)
{
    const stk_rect window = r->request->window;
    const int      channels = r->request->channels, kind = r->header.kind;
    const bool     grey = kind == STK_PNG_GREY || kind == STK_PNG_GREY_ALPHA;
    const uint8_t *src = row + (size_t)window.x * (size_t)r->pixel;
    if (kind == STK_PNG_PALETTE)
        stk_palette_convert(&r->palette, dst, channels, src, window.width);
    else if (kind == STK_PNG_GREY && r->header.depth == 16)
        convert_deep_grey(dst, channels, src, window.width, r->request->options->pillow_16bit);
    else if (grey && channels == 3)
        stk_convert_grey_to_colours(dst, src, r->pixel, window.width);
    else if (grey)
        stk_convert_first(dst, src, r->pixel, 1, window.width);
    else if (channels == 3)
        stk_convert_first(dst, src, r->pixel, 3, window.width);
    else
        stk_convert_colours_to_grey(dst, src, r->pixel, window.width);
}

static uint8_t *out_row(const reading *r, int32_t y)
{
    return r->out->data + (size_t)(y - r->request->window.y) * r->out->stride;
}

/* Whether libpng's rows are ours. */
static bool is_direct(const reading *r)
{
    return !r->header.interlaced && r->pixel == r->request->channels &&
           r->header.kind != STK_PNG_PALETTE && r->request->window.width == r->header.width;
}

static void read_rows(reading *r)
{
    const stk_rect window = r->request->window;
    const bool     direct = is_direct(r);
    for (r->row = 0; r->row < window.y + window.height; r->row++) {
        uint8_t *dst = r->row < window.y ? NULL : direct ? out_row(r, r->row) : r->rows;
        png_read_row(r->png, dst, NULL);
        if (dst && !direct) convert_row(r, out_row(r, r->row), dst);
    }
}

/* Each of the seven passes adds pixels to the window's rows, so all complete rows are kept. */
static void read_passes(reading *r, int passes)
{
    const stk_rect window = r->request->window;
    const int32_t  end = window.y + window.height;
    for (int pass = 0; pass < passes; pass++)
        for (r->row = 0; r->row < (pass == passes - 1 ? end : r->header.height); r->row++)
            png_read_row(r->png,
                         r->row < window.y || r->row >= end
                             ? NULL
                             : r->rows + (size_t)(r->row - window.y) * r->stride,
                         NULL);
}

/* Everything that may be left by longjmp. */
static stk_status read_image(reading *r)
{
    if (setjmp(png_jmpbuf(r->png))) return r->status;
    set_up(r);
    png_read_info(r->png, r->info);
    read_palette(r);
    choose_pixels(r);
    const int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    if (png_get_rowbytes(r->png, r->info) != r->stride)
        png_error(r->png, "rows of another size than the header says");
    if (r->header.interlaced)
        read_passes(r, passes);
    else
        read_rows(r);
    if (r->row == r->header.height) png_read_end(r->png, NULL); /* with the last checksums */
    return STK_OK;
}

/* Rows that were not reached are black; of an interlaced image all are as far as they came. */
static void fill_up(reading *r)
{
    const int32_t begin = r->request->window.y, end = begin + r->request->window.height;
    if (r->header.interlaced) {
        for (int32_t y = begin; y < end; y++)
            convert_row(r, out_row(r, y), r->rows + (size_t)(y - begin) * r->stride);
        return;
    }
    for (int32_t y = r->row < begin ? begin : r->row; y < end; y++)
        memset(out_row(r, y), 0, r->out->stride);
}

/* A header may claim what its few bytes cannot hold: that is found before memory is taken. */
static stk_status check_claim(const reading *r, stk_error *err)
{
    const size_t bits = (size_t)stk_png_channels(r->header.kind) * (size_t)r->header.depth;
    const size_t row = ((size_t)r->header.width * bits + 7) / 8 + 1;
    const size_t rows = (size_t)r->request->window.y + (size_t)r->request->window.height;
    size_t       bytes;
    const bool   huge = stk_mul_overflows(row, rows, &bytes);
    if (!huge && (r->request->options->recover || bytes / RATIO_MAX <= r->request->encoded.size))
        return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "%d x %d pixels cannot be in a PNG of %zu bytes: it is truncated",
                    r->header.width, r->header.height, r->request->encoded.size);
}

static stk_status allocate_scratch(reading *r, stk_decoder *decoder, stk_error *err)
{
    const stk_rect window = r->request->window;
    size_t         bytes;
    r->stride = (size_t)r->header.width * (size_t)r->pixel;
    if (stk_mul_overflows(r->stride, r->header.interlaced ? (size_t)window.height : 1, &bytes))
        return stk_fail(err, STK_E_LIMIT, "decode", NULL, "%d x %d pixels do not fit in memory",
                        r->header.width, window.height);
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_PIXELS, window.width, window.height,
                               r->request->channels, r->out, err));
    r->rows = stk_decoder_scratch(decoder, STK_SCRATCH_WORK, bytes, err);
    if (!r->rows) return err->status;
    if (r->header.interlaced) memset(r->rows, 0, bytes); /* for pixels that no pass reaches */
    return STK_OK;
}

static stk_status run_libpng(reading *r, stk_error *err)
{
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, stop, warn, r, allocate, give_back);
    if (r->png) r->info = png_create_info_struct(r->png);
    stk_status st = r->info ? read_image(r) : r->status;
    if (!r->info && !st) st = stk_fail(err, STK_E_NOMEM, "decode", NULL, "libpng does not start");
    png_destroy_read_struct(&r->png, &r->info, NULL);
    return st;
}

static stk_status decode_png(stk_decoder *decoder, const stk_codec_request *request,
                             stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    reading r = {.request = request, .decoder = decoder, .out = out, .err = err};
    STK_TRY(stk_png_read_header(request->encoded, &r.header, err));
    const bool deep_grey = r.header.kind == STK_PNG_GREY && r.header.depth == 16;
    r.pixel = deep_grey ? 2 : stk_png_channels(r.header.kind);
    STK_TRY(check_claim(&r, err));
    STK_TRY(allocate_scratch(&r, decoder, err));
    const stk_status st = run_libpng(&r, err);
    if (st && (st != STK_E_DATALOSS || !request->options->recover)) return st;
    if (st || r.header.interlaced) fill_up(&r);
    outcome->recovered = st || r.damaged;
    return STK_OK;
}

static stk_status measure_png(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    stk_image_info *out = &read->info;
    stk_png_header  header;
    STK_TRY(stk_png_read_header(encoded, &header, err));
    const bool palette = header.kind == STK_PNG_PALETTE;
    out->stored_width = header.width;
    out->stored_height = header.height;
    out->channels = palette ? 3 : stk_png_channels(header.kind);
    out->bits = palette ? 8 : header.depth;
    out->progressive = header.interlaced;
    out->orientation = stk_exif_orientation(stk_png_find_exif(encoded));
    return STK_OK;
}

const stk_codec stk_codec_png = {.format = STK_IMAGE_PNG,
                                 .is = stk_png_is,
                                 .measure = measure_png,
                                 .decode = decode_png,
                                 .max_shrink = 1};
