/* WebP through libwebp, which decodes the window alone. libwebp gets the chunk of the colours only,
 * so that alpha, which would be dropped, is not decoded. */
#include "image/codec/codec.h"
#include "image/codec/convert.h"
#include "image/codec/webp_chunks.h"

#include <webp/decode.h>

enum {
    MARGIN = 2,            /* pixels around the window that its colours are interpolated from */
    LOSSY_BYTES = 128,     /* of libwebp's rows in work, per pixel of a row; somewhat more than it
                              takes */
    TABLES_BYTES = 1 << 18 /* of libwebp, whatever the size; somewhat more */
};

typedef struct image {
    stk_bytes bitstream;
    stk_rect  rect; /* on the canvas */
    bool      lossless;
    stk_rect  crop; /* decoded region, in the image's coordinates */
} image;

static stk_status fail_webp(VP8StatusCode code, stk_bytes encoded, stk_error *err)
{
    switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
        return stk_fail(err, STK_E_NOMEM, "decode", NULL, "no memory to decode a WebP");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the WebP of %zu bytes is truncated",
                        encoded.size);
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                        "the WebP uses what libwebp does not know");
    default:
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the WebP of %zu bytes is damaged",
                        encoded.size);
    }
}

static stk_status measure_webp(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    stk_image_info       *out = &read->info;
    WebPBitstreamFeatures features;
    const VP8StatusCode   code = WebPGetFeatures(encoded.data, encoded.size, &features);
    if (code == VP8_STATUS_BITSTREAM_ERROR)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL, "the WebP's header makes no sense");
    if (code) return fail_webp(code, encoded, err);
    out->stored_width = features.width;
    out->stored_height = features.height;
    out->channels = features.has_alpha ? 4 : 3;
    out->bits = 8;
    out->more_frames = features.has_animation;
    out->orientation = stk_exif_orientation(stk_webp_find_exif(encoded));
    return STK_OK;
}

/* Finds the image and checks that it is what the headers around it say. */
static stk_status open_image(const stk_codec_request *request, image *out, stk_error *err)
{
    const int32_t width = request->header->info.stored_width,
                  height = request->header->info.stored_height;
    stk_webp_image        found;
    WebPBitstreamFeatures features;
    if (!stk_webp_find_image(request->encoded, &found))
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the WebP ends before its image");
    if (!found.rect.width) found.rect = (stk_rect){0, 0, width, height};
    const VP8StatusCode code =
        WebPGetFeatures(found.bitstream.data, found.bitstream.size, &features);
    if (code) return fail_webp(code, request->encoded, err);
    if (features.width != found.rect.width || features.height != found.rect.height ||
        found.rect.x > width - found.rect.width || found.rect.y > height - found.rect.height)
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                        "the WebP's image of %d x %d pixels does not fit its header's %d x %d",
                        features.width, features.height, width, height);
    *out =
        (image){.bitstream = found.bitstream, .rect = found.rect, .lossless = features.format == 2};
    return STK_OK;
}

/* The image; with recover also that there is none, so that nothing is seen and all is black. */
static stk_status find_image(const stk_codec_request *request, image *out,
                             stk_decode_outcome *outcome, stk_error *err)
{
    const bool complete = stk_webp_is_complete(request->encoded);
    if (!complete && !request->options->recover)
        return fail_webp(VP8_STATUS_NOT_ENOUGH_DATA, request->encoded, err);
    const stk_status st = open_image(request, out, err);
    if (st && (st != STK_E_DATALOSS || !request->options->recover)) return st;
    outcome->recovered = st || !complete;
    return STK_OK;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static stk_rect intersect(stk_rect a, stk_rect b)
{
    const int32_t x = larger(a.x, b.x), y = larger(a.y, b.y);
    return (stk_rect){x, y, smaller(a.x + a.width, b.x + b.width) - x,
                      smaller(a.y + a.height, b.y + b.height) - y};
}

/* libwebp aligns a crop to even coordinates, and colours at its border lack their neighbours: with
 * a margin the pixels equal those of the whole image. wanted is in the image's coordinates. */
static stk_rect widen(stk_rect wanted, int32_t width, int32_t height)
{
    stk_rect crop = {larger(wanted.x - MARGIN, 0) & ~1, larger(wanted.y - MARGIN, 0) & ~1, 0, 0};
    crop.width = smaller(wanted.x + wanted.width + MARGIN, width) - crop.x;
    crop.height = smaller(wanted.y + wanted.height + MARGIN, height) - crop.y;
    return crop;
}

static bool set_up(WebPDecoderConfig *config, const image *p, const stk_pixels *dst)
{
    if (!WebPInitDecoderConfig(config)) return false;
    config->options.use_cropping = dst->width < p->rect.width || dst->height < p->rect.height;
    config->options.crop_left = p->crop.x;
    config->options.crop_top = p->crop.y;
    config->options.crop_width = p->crop.width;
    config->options.crop_height = p->crop.height;
    config->output.colorspace = MODE_RGB;
    config->output.is_external_memory = 1;
    config->output.u.RGBA = (WebPRGBABuffer){
        .rgba = dst->data, .stride = (int)dst->stride, .size = dst->stride * (size_t)dst->height};
    return true;
}

/* The decoder that takes data as it comes gives the rows that came. */
static VP8StatusCode decode_what_there_is(WebPDecoderConfig *config, stk_bytes bitstream)
{
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
    if (!decoder) return VP8_STATUS_OUT_OF_MEMORY;
    const VP8StatusCode code = WebPIUpdate(decoder, bitstream.data, bitstream.size);
    WebPIDelete(decoder);
    return code == VP8_STATUS_OUT_OF_MEMORY ? code : VP8_STATUS_OK;
}

/* p's crop into dst. */
static stk_status run_libwebp(const stk_codec_request *request, const image *p,
                              const stk_pixels *dst, stk_decode_outcome *outcome, stk_error *err)
{
    WebPDecoderConfig config;
    if (!set_up(&config, p, dst))
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                        "libwebp is of another version than its header");
    VP8StatusCode code = WebPDecode(p->bitstream.data, p->bitstream.size, &config);
    if (code && code != VP8_STATUS_OUT_OF_MEMORY && request->options->recover) {
        outcome->recovered = true;
        memset(dst->data, 0, dst->stride * (size_t)dst->height);
        if (set_up(&config, p, dst)) code = decode_what_there_is(&config, p->bitstream);
    }
    return code ? fail_webp(code, request->encoded, err) : STK_OK;
}

/* libwebp allocates by itself: of a lossless image all, at four bytes a pixel, and tables. */
static uint64_t libwebp_bytes(const image *p)
{
    const uint64_t width = (uint64_t)p->rect.width, height = (uint64_t)p->rect.height;
    return TABLES_BYTES +
           (p->lossless ? 4 * width * (height + 32) + width * height / 4 : LOSSY_BYTES * width);
}

static stk_status decode_crop(stk_decoder *decoder, const stk_codec_request *request,
                              const image *p, stk_pixels *dst, stk_decode_outcome *outcome,
                              stk_error *err)
{
    const uint64_t bytes = libwebp_bytes(p);
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_PIXELS, p->crop.width, p->crop.height, 3, dst,
                               err));
    STK_TRY(stk_decoder_reserve(decoder, bytes, err));
    const stk_status st = run_libwebp(request, p, dst, outcome, err);
    stk_decoder_release(decoder, bytes);
    return st;
}

static stk_pixels cut(const stk_pixels *from, stk_rect window)
{
    return (stk_pixels){from->data + (size_t)window.y * from->stride + (size_t)window.x * 3,
                        window.width, window.height, 3, from->stride};
}

/* The first frame of an animation may cover a part of the canvas: the rest is black. seen: the part
 * of the window that it covers, on the canvas. */
static stk_status lay_on_canvas(stk_decoder *decoder, stk_rect window, stk_rect seen,
                                stk_pixels *pixels, stk_error *err)
{
    stk_pixels canvas;
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_WORK, window.width, window.height, 3, &canvas,
                               err));
    memset(canvas.data, 0, canvas.stride * (size_t)canvas.height);
    const stk_pixels part =
        cut(&canvas, (stk_rect){seen.x - window.x, seen.y - window.y, seen.width, seen.height});
    for (int32_t y = 0; y < seen.height; y++)
        memcpy(part.data + (size_t)y * part.stride, pixels->data + (size_t)y * pixels->stride,
               (size_t)seen.width * 3);
    *pixels = canvas;
    return STK_OK;
}

/* In place: grey is smaller than its source. */
static void make_grey(stk_pixels *pixels)
{
    uint8_t *dst = pixels->data;
    for (int32_t y = 0; y < pixels->height; y++, dst += pixels->width)
        stk_convert_colours_to_grey(dst, pixels->data + (size_t)y * pixels->stride, 3,
                                    pixels->width);
    pixels->channels = 1;
    pixels->stride = (size_t)pixels->width;
}

static stk_status decode_webp(stk_decoder *decoder, const stk_codec_request *request,
                              stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    const stk_rect window = request->window;
    image          p = {0};
    stk_pixels     crop;
    STK_TRY(find_image(request, &p, outcome, err));
    const stk_rect seen = intersect(window, p.rect);
    const bool     any = seen.width > 0 && seen.height > 0;
    if (any) {
        const stk_rect wanted = {seen.x - p.rect.x, seen.y - p.rect.y, seen.width, seen.height};
        p.crop = widen(wanted, p.rect.width, p.rect.height);
        STK_TRY(decode_crop(decoder, request, &p, &crop, outcome, err));
        *out = cut(&crop,
                   (stk_rect){wanted.x - p.crop.x, wanted.y - p.crop.y, seen.width, seen.height});
    }
    if (!any || seen.width < window.width || seen.height < window.height)
        STK_TRY(lay_on_canvas(decoder, window, any ? seen : (stk_rect){window.x, window.y, 0, 0},
                              out, err));
    if (request->channels == 1) make_grey(out);
    return STK_OK;
}

const stk_codec stk_codec_webp = {.format = STK_IMAGE_WEBP,
                                  .is = stk_webp_is,
                                  .measure = measure_webp,
                                  .decode = decode_webp,
                                  .max_shrink = 1};
