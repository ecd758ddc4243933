/* TIFFs through libtiff: the first page, in strips or tiles, of which only those that the window
 * touches are decoded. Samples are gathered as 8 bits each, and then become pixels as Pillow makes
 * them. */
#include "base/checked.h"
#include "image/codec/codec.h"
#include "image/codec/convert.h"
#include "image/codec/palette.h"
#include "image/codec/tiff_file.h"

enum {
    LIBTIFF_BYTES = 1 << 20, /* of libtiff, whatever the size; somewhat more than it takes */
    SMALL_TILE = 1 << 22,    /* pixels that a tile may have in any image */
    RATIO_MAX = 2048         /* of bytes out of one, where a compression has such a bound */
};

typedef struct reading {
    const stk_codec_request *request;
    stk_tiff_file            file;
    int                      used;    /* samples of a pixel that make its colour */
    uint8_t                 *samples; /* of the window, used of a pixel */
    uint8_t                 *raw;     /* a row or tile as libtiff gives it */
} reading;

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Sample index of a row that libtiff gave. */
static uint8_t sample_of(const reading *r, const uint8_t *row, size_t index)
{
    const stk_tiff_layout *l = &r->file.layout;
    const unsigned         bits = (unsigned)l->bits;
    uint16_t               deep;
    if (bits == 8) return row[index];
    if (bits < 8) {
        const unsigned max = (1u << bits) - 1, shift = 8 - bits - (unsigned)(index * bits % 8);
        const unsigned value = row[index * bits / 8] >> shift & max;
        return (uint8_t)(l->photometric == PHOTOMETRIC_PALETTE ? value : value * 255 / max);
    }
    memcpy(&deep, row + 2 * index, 2);
    if (!r->request->options->pillow_16bit) return stk_scale_16bit(deep);
    if (r->used > 1) return (uint8_t)(deep >> 8);
    return deep > 255 ? 255 : (uint8_t)deep;
}

/* A part of a row of the image, from column left on, of which count pixels are at row. plane: the
 * sample that is all there is; -1: pixels have all of theirs. */
static void take_part(const reading *r, int plane, int32_t y, int32_t left, const uint8_t *row,
                      int32_t count)
{
    const stk_rect window = r->request->window;
    const size_t   stored = plane < 0 ? (size_t)r->file.layout.samples : 1;
    const int32_t  begin = larger(left, window.x),
                  end = smaller(left + count, window.x + window.width);
    if (y < window.y || y >= window.y + window.height) return;
    for (int32_t x = begin; x < end; x++) {
        uint8_t *dst =
            r->samples + ((size_t)(y - window.y) * (size_t)window.width + (size_t)(x - window.x)) *
                             (size_t)r->used;
        if (plane >= 0) {
            dst[plane] = sample_of(r, row, (size_t)(x - left));
            continue;
        }
        for (int c = 0; c < r->used; c++)
            dst[c] = sample_of(r, row, (size_t)(x - left) * stored + (size_t)c);
    }
}

/* From the strip's first row on: compressed rows can only be read in their order. */
static stk_status read_by_strip(reading *r, int plane, stk_error *err)
{
    const stk_tiff_layout *l = &r->file.layout;
    const stk_rect         window = r->request->window;
    uint32_t               rows = 0;
    TIFFGetFieldDefaulted(r->file.tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    const int32_t step = rows && rows < (uint32_t)l->height ? (int32_t)rows : l->height;
    for (int32_t y = window.y - window.y % step; y < window.y + window.height; y++) {
        if (TIFFReadScanline(r->file.tiff, r->raw, (uint32_t)y, (uint16_t)larger(plane, 0)) != 1)
            return stk_tiff_fail(&r->file, err);
        take_part(r, plane, y, 0, r->raw, l->width);
    }
    return STK_OK;
}

static stk_status read_tile(reading *r, int plane, int32_t x, int32_t y, int32_t width,
                            int32_t height, stk_error *err)
{
    const stk_tiff_layout *l = &r->file.layout;
    const size_t           stride = (size_t)TIFFTileRowSize(r->file.tiff);
    if (TIFFReadTile(r->file.tiff, r->raw, (uint32_t)x, (uint32_t)y, 0,
                     (uint16_t)larger(plane, 0)) < 0)
        return stk_tiff_fail(&r->file, err);
    for (int32_t i = 0; i < height && y + i < l->height; i++)
        take_part(r, plane, y + i, x, r->raw + (size_t)i * stride, smaller(width, l->width - x));
    return STK_OK;
}

static void tile_size(const reading *r, uint32_t *width, uint32_t *height)
{
    *width = *height = 0;
    TIFFGetField(r->file.tiff, TIFFTAG_TILEWIDTH, width);
    TIFFGetField(r->file.tiff, TIFFTAG_TILELENGTH, height);
}

static stk_status read_tiles(reading *r, int plane, stk_error *err)
{
    const stk_rect window = r->request->window;
    uint32_t       wide, high;
    tile_size(r, &wide, &high);
    const int32_t width = (int32_t)wide, height = (int32_t)high;
    for (int32_t y = window.y - window.y % height; y < window.y + window.height; y += height)
        for (int32_t x = window.x - window.x % width; x < window.x + window.width; x += width)
            STK_TRY(read_tile(r, plane, x, y, width, height, err));
    return STK_OK;
}

static stk_status read_samples(reading *r, stk_error *err)
{
    const bool planar = r->file.layout.planar && r->file.layout.samples > 1;
    for (int plane = planar ? 0 : -1; plane < (planar ? r->used : 0); plane++)
        STK_TRY(r->file.layout.tiled ? read_tiles(r, plane, err) : read_by_strip(r, plane, err));
    return STK_OK;
}

/* YCbCr that is no JPEG: libtiff has the arithmetic. Rows come from the bottom up unless asked. */
static stk_status read_by_libtiff(reading *r, stk_error *err)
{
    const stk_rect         window = r->request->window;
    const stk_tiff_layout *l = &r->file.layout;
    if (!TIFFReadRGBAImageOriented(r->file.tiff, (uint32_t)l->width, (uint32_t)l->height,
                                   (uint32_t *)(void *)r->raw, l->orientation, 1))
        return stk_tiff_fail(&r->file, err);
    for (int32_t y = 0; y < window.height; y++)
        for (int32_t x = 0; x < window.width; x++) {
            uint32_t pixel;
            memcpy(&pixel,
                   r->raw +
                       4 * ((size_t)(window.y + y) * (size_t)l->width + (size_t)(window.x + x)),
                   4);
            uint8_t *dst = r->samples + 3 * ((size_t)y * (size_t)window.width + (size_t)x);
            dst[0] = (uint8_t)TIFFGetR(pixel);
            dst[1] = (uint8_t)TIFFGetG(pixel);
            dst[2] = (uint8_t)TIFFGetB(pixel);
        }
    return STK_OK;
}

static bool is_own_arithmetic(const reading *r)
{
    return r->file.layout.photometric == PHOTOMETRIC_YCBCR &&
           r->file.layout.compression != COMPRESSION_JPEG;
}

static void read_palette(const reading *r, stk_palette *palette)
{
    uint16_t *red, *green, *blue;
    *palette = (stk_palette){0};
    if (!TIFFGetField(r->file.tiff, TIFFTAG_COLORMAP, &red, &green, &blue)) {
        stk_palette_set_greys(palette);
        return;
    }
    for (int i = 0; i < 1 << r->file.layout.bits; i++)
        stk_palette_set(palette, i, (uint8_t)(red[i] >> 8), (uint8_t)(green[i] >> 8),
                        (uint8_t)(blue[i] >> 8));
}

/* As Pillow: each ink takes its share of what black leaves. */
static void take_inks(uint8_t *dst, const uint8_t *src, size_t count)
{
    for (size_t i = 0; i < count; i++, src += 4)
        for (int c = 0; c < 3; c++) {
            const int left = 255 - src[3], product = src[c] * left + 128;
            *dst++ = (uint8_t)(left - (((product >> 8) + product) >> 8));
        }
}

/* As Pillow: colours divided by their alpha, which is then dropped. */
static void take_alpha(uint8_t *dst, const uint8_t *src, size_t count)
{
    for (size_t i = 0; i < count; i++, src += 4)
        for (int c = 0; c < 3; c++) {
            const int value = src[3] ? src[c] * 255 / src[3] : 0;
            *dst++ = (uint8_t)(value > 255 ? 255 : value);
        }
}

/* Samples to colours, in place. */
static void make_colours(reading *r, size_t count)
{
    const stk_tiff_layout *l = &r->file.layout;
    if (l->photometric == PHOTOMETRIC_SEPARATED) take_inks(r->samples, r->samples, count);
    if (l->premultiplied) take_alpha(r->samples, r->samples, count);
    if (l->photometric == PHOTOMETRIC_MINISWHITE)
        for (size_t i = 0; i < count; i++)
            r->samples[i] = 255 - r->samples[i];
}

static void convert(reading *r, const stk_pixels *out)
{
    const size_t row = (size_t)out->width * (r->used == 1 ? 1 : 3);
    const bool   palette = r->file.layout.photometric == PHOTOMETRIC_PALETTE;
    stk_palette  colours;
    if (palette) read_palette(r, &colours);
    make_colours(r, (size_t)out->width * (size_t)out->height);
    for (int32_t y = 0; y < out->height; y++) {
        const uint8_t *src = r->samples + (size_t)y * row;
        uint8_t       *dst = out->data + (size_t)y * out->stride;
        if (palette)
            stk_palette_convert(&colours, dst, out->channels, src, out->width);
        else if (r->used == 1 && out->channels == 3)
            stk_convert_grey_to_colours(dst, src, 1, out->width);
        else if (r->used > 1 && out->channels == 1)
            stk_convert_colours_to_grey(dst, src, 3, out->width);
        else
            memcpy(dst, src, row);
    }
}

/* Bytes of a row or a tile; 0 where a tile is larger than makes sense. */
static size_t raw_bytes(const reading *r)
{
    const stk_tiff_layout *l = &r->file.layout;
    const uint64_t         pixels = (uint64_t)l->width * (uint64_t)l->height;
    uint32_t               wide, high;
    if (is_own_arithmetic(r)) return (size_t)(4 * pixels);
    if (!l->tiled) return (size_t)TIFFScanlineSize64(r->file.tiff);
    tile_size(r, &wide, &high);
    if (!wide || !high || wide > INT32_MAX / 2 || high > INT32_MAX / 2) return 0;
    const uint64_t tile = (uint64_t)wide * high;
    return tile <= SMALL_TILE || tile / 4 <= pixels ? (size_t)TIFFTileSize64(r->file.tiff) : 0;
}

/* A header may claim what its few bytes cannot hold: that is found before memory is taken. */
static stk_status check_claim(const reading *r, stk_error *err)
{
    const stk_tiff_layout *l = &r->file.layout;
    const bool bounded = l->compression == COMPRESSION_NONE || l->compression == COMPRESSION_LZW ||
                         l->compression == COMPRESSION_ADOBE_DEFLATE ||
                         l->compression == COMPRESSION_DEFLATE ||
                         l->compression == COMPRESSION_PACKBITS;
    const uint64_t ratio = l->compression == COMPRESSION_NONE ? 1 : RATIO_MAX;
    const uint64_t row = ((uint64_t)l->width * (uint64_t)l->bits + 7) / 8;
    const bool     subsampled = l->photometric == PHOTOMETRIC_YCBCR;
    if (r->request->options->recover || !bounded || subsampled ||
        row * (uint64_t)l->height / ratio <= r->request->encoded.size)
        return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "%d x %d pixels cannot be in a TIFF of %zu bytes: it is truncated", l->width,
                    l->height, r->request->encoded.size);
}

static stk_status allocate_scratch(reading *r, stk_decoder *decoder, stk_pixels *out,
                                   stk_error *err)
{
    const stk_rect window = r->request->window;
    const size_t   raw = raw_bytes(r);
    size_t         bytes;
    if (!raw ||
        stk_mul_overflows((size_t)window.width * (size_t)window.height, (size_t)r->used, &bytes))
        return stk_fail(err, STK_E_LIMIT, "decode", NULL,
                        "the TIFF of %d x %d pixels has rows or tiles of an impossible size",
                        r->file.layout.width, r->file.layout.height);
    r->raw = stk_decoder_scratch(decoder, STK_SCRATCH_PLANES, raw, err);
    if (!r->raw) return err->status;
    r->samples = stk_decoder_scratch(decoder, STK_SCRATCH_WORK, bytes, err);
    if (!r->samples) return err->status;
    memset(r->samples, 0, bytes); /* for what is not reached */
    return stk_decoder_pixels(decoder, STK_SCRATCH_PIXELS, window.width, window.height,
                              r->request->channels, out, err);
}

static int used_samples(const stk_tiff_layout *l)
{
    if (l->photometric == PHOTOMETRIC_SEPARATED || l->premultiplied) return 4;
    return l->photometric == PHOTOMETRIC_RGB || l->photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
}

/* With the file open. */
static stk_status decode_page(reading *r, stk_decoder *decoder, stk_pixels *out,
                              stk_decode_outcome *outcome, stk_error *err)
{
    r->used = used_samples(&r->file.layout);
    if (r->file.layout.photometric == PHOTOMETRIC_YCBCR && !is_own_arithmetic(r))
        TIFFSetField(r->file.tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    STK_TRY(check_claim(r, err));
    STK_TRY(allocate_scratch(r, decoder, out, err));
    STK_TRY(stk_decoder_reserve(decoder, LIBTIFF_BYTES, err));
    const stk_status st = is_own_arithmetic(r) ? read_by_libtiff(r, err) : read_samples(r, err);
    stk_decoder_release(decoder, LIBTIFF_BYTES);
    if (st && (st != STK_E_DATALOSS || !r->request->options->recover)) return st;
    outcome->recovered = st;
    convert(r, out);
    return STK_OK;
}

static stk_status decode_tiff(stk_decoder *decoder, const stk_codec_request *request,
                              stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    reading    r = {.request = request};
    stk_status st = stk_tiff_open(&r.file, request->encoded, err);
    if (!st) st = decode_page(&r, decoder, out, outcome, err);
    stk_tiff_release(&r.file);
    return st;
}

static stk_status measure_tiff(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    stk_image_info  *out = &read->info;
    stk_tiff_file    file;
    const stk_status st = stk_tiff_open(&file, encoded, err);
    stk_tiff_release(&file);
    if (st) return st;
    const stk_tiff_layout *l = &file.layout;
    const bool             palette = l->photometric == PHOTOMETRIC_PALETTE;
    out->stored_width = l->width;
    out->stored_height = l->height;
    out->channels = palette ? 3 : l->samples > 4 ? (used_samples(l) == 1 ? 2 : 4) : l->samples;
    out->bits = palette ? 8 : l->bits;
    out->orientation = l->orientation;
    out->more_frames = l->more;
    return STK_OK;
}

const stk_codec stk_codec_tiff = {.format = STK_IMAGE_TIFF,
                                  .is = stk_tiff_is,
                                  .measure = measure_tiff,
                                  .decode = decode_tiff,
                                  .max_shrink = 1};
