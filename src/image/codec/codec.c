/* Finding the codec by content; and what is the same for all of them: limits, windows,
 * orientation. */
#include "image/codec/codec.h"

#include "image/codec/orientation.h"

enum { SIDE_MAX = 65535, PIXELS_MAX = 1 << 28 };

static const stk_codec *const codecs[] = {&stk_codec_jpeg, &stk_codec_png, &stk_codec_webp,
                                          &stk_codec_pnm,  &stk_codec_gif, &stk_codec_bmp,
                                          &stk_codec_tiff};

const char *stk_image_format_name(stk_image_format format)
{
    static const char *const names[STK_IMAGE_FORMATS] = {"none", "jpeg", "png", "webp",
                                                         "pnm",  "gif",  "bmp", "tiff"};
    return (unsigned)format < STK_IMAGE_FORMATS ? names[format] : names[STK_IMAGE_NONE];
}

static const stk_codec *find_codec(stk_bytes encoded)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (codecs[i]->is(encoded)) return codecs[i];
    return NULL;
}

static const stk_codec *codec_of(stk_image_format format)
{
    size_t i = 0;
    while (codecs[i]->format != format)
        i++;
    return codecs[i];
}

stk_image_format stk_image_format_of(stk_bytes encoded)
{
    const stk_codec *codec = find_codec(encoded);
    return codec ? codec->format : STK_IMAGE_NONE;
}

static stk_status check_size(const stk_image_info *info, const stk_image_limits *limits,
                             stk_error *err)
{
    const int32_t  width = info->stored_width, height = info->stored_height;
    const int32_t  side = limits && limits->side ? limits->side : SIDE_MAX;
    const uint64_t pixels = limits && limits->pixels ? limits->pixels : PIXELS_MAX;
    if (width <= 0 || height <= 0)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL, "the header says %d x %d pixels", width,
                        height);
    if (width > side || height > side)
        return stk_fail(
            err, STK_E_LIMIT, "decode", NULL,
            "%d x %d pixels: the limit of a side is %d; the decode's max_side raises it", width,
            height, side);
    if ((uint64_t)width * (uint64_t)height > pixels)
        return stk_fail(
            err, STK_E_LIMIT, "decode", NULL,
            "%d x %d pixels: the limit is %llu in all; the decode's max_pixels raises it", width,
            height, (unsigned long long)pixels);
    return STK_OK;
}

/* Images that are known by their first bytes and not read; NULL: none of them. */
static const char *name_unread(stk_bytes encoded)
{
    static const struct {
        size_t      at;
        const char *bytes, *name;
    } known[] = {{4, "ftypheic", "a HEIC image"},     {4, "ftypheix", "a HEIC image"},
                 {4, "ftypmif1", "a HEIF image"},     {4, "ftypmsf1", "a HEIF image"},
                 {4, "ftypavif", "an AVIF image"},    {4, "ftypavis", "an AVIF image"},
                 {4, "JXL ", "a JPEG XL image"},      {0, "\xff\x0a", "a JPEG XL image"},
                 {4, "jP  ", "a JPEG 2000 image"},    {0, "\xff\x4f\xff\x51", "a JPEG 2000 image"},
                 {0, "8BPS", "a Photoshop document"}, {0, "<svg", "an SVG drawing"},
                 {0, "%PDF", "a PDF document"},       {0, "<!DOCTYPE", "an HTML page"},
                 {0, "<html", "an HTML page"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t length = strlen(known[i].bytes);
        if (encoded.size >= known[i].at + length &&
            !memcmp(encoded.data + known[i].at, known[i].bytes, length))
            return known[i].name;
    }
    return NULL;
}

static stk_status fail_unknown(stk_bytes encoded, stk_error *err)
{
    const char *name = name_unread(encoded);
    if (name)
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                        "is %s, which is not read; convert it to JPEG or PNG", name);
    return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                    "%zu bytes that are no JPEG, PNG, WebP, GIF, BMP, TIFF or PNM", encoded.size);
}

stk_status stk_image_read_header(stk_bytes encoded, const stk_image_limits *limits,
                                 stk_image_header *out, stk_error *err)
{
    stk_image_info  *info = &out->info;
    const stk_codec *codec = find_codec(encoded);
    *info = (stk_image_info){.orientation = 1};
    if (!codec) return fail_unknown(encoded, err);
    info->format = codec->format;
    STK_TRY(codec->measure(encoded, out, err));
    STK_TRY(check_size(info, limits, err));
    const bool swaps = stk_orientation_swaps(info->orientation);
    info->width = swaps ? info->stored_height : info->stored_width;
    info->height = swaps ? info->stored_width : info->stored_height;
    return STK_OK;
}

stk_status stk_image_read_info(stk_bytes encoded, const stk_image_limits *limits,
                               stk_image_info *out, stk_error *err)
{
    stk_image_header header;
    const stk_status st = stk_image_read_header(encoded, limits, &header, err);
    *out = header.info;
    return st;
}

static stk_status check_request(const stk_codec *codec, int channels, int shrink, stk_error *err)
{
    if (channels != 1 && channels != 3)
        return stk_fail(err, STK_E_INVALID, "decode", NULL, "%d channels: give 1, 3, or 0 for 3",
                        channels);
    if (shrink < 1 || shrink > codec->max_shrink || (shrink & (shrink - 1)))
        return stk_fail(err, STK_E_INVALID, "decode", NULL,
                        "a %s cannot be decoded at 1/%d: at 1%s",
                        stk_image_format_name(codec->format), shrink,
                        codec->max_shrink == 8 ? ", 1/2, 1/4 and 1/8 only" : " only");
    return STK_OK;
}

/* window, or all where it is NULL, of an image that is shown with width by height pixels. */
static stk_status choose_window(const stk_rect *window, int32_t width, int32_t height,
                                stk_rect *out, stk_error *err)
{
    *out = window ? *window : (stk_rect){0, 0, width, height};
    if (out->x >= 0 && out->y >= 0 && out->width > 0 && out->height > 0 &&
        out->x <= width - out->width && out->y <= height - out->height)
        return STK_OK;
    return stk_fail(err, STK_E_RANGE, "decode", NULL,
                    "the window of %d x %d pixels at %d, %d is not inside %d x %d", out->width,
                    out->height, out->x, out->y, width, height);
}

static stk_status turn(stk_decoder *decoder, int orientation, stk_pixels *pixels, stk_error *err)
{
    stk_pixels turned;
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_TURNED, pixels->width, pixels->height,
                               pixels->channels, &turned, err));
    *pixels = stk_orientation_turn(orientation, pixels, turned.data);
    return STK_OK;
}

stk_status stk_image_decode_measured(stk_decoder *decoder, stk_bytes encoded,
                                     const stk_image_header *header, const stk_rect *window,
                                     int shrink, const stk_decode_options *options, stk_pixels *out,
                                     stk_decode_outcome *outcome, stk_error *err)
{
    const stk_image_info *info = &header->info;
    const stk_codec      *codec = codec_of(info->format);
    stk_rect              shown;
    const int             channels = options->channels ? options->channels : 3;
    *out = (stk_pixels){0};
    *outcome = (stk_decode_outcome){0};
    STK_TRY(check_request(codec, channels, shrink, err));
    const int     orientation = options->stored_orientation ? 1 : info->orientation;
    const int32_t width = (info->stored_width + shrink - 1) / shrink;
    const int32_t height = (info->stored_height + shrink - 1) / shrink;
    const bool    swaps = stk_orientation_swaps(orientation);
    STK_TRY(choose_window(window, swaps ? height : width, swaps ? width : height, &shown, err));
    const stk_codec_request request = {
        .encoded = encoded,
        .header = header,
        .window = stk_orientation_stored_window(orientation, shown, width, height),
        .shrink = shrink,
        .channels = channels,
        .options = options};
    stk_decoder_begin(decoder);
    stk_status st = codec->decode(decoder, &request, out, outcome, err);
    if (!st && orientation != 1) st = turn(decoder, orientation, out, err);
    if (st) *out = (stk_pixels){0};
    return st;
}

stk_status stk_image_decode(stk_decoder *decoder, stk_bytes encoded, const stk_rect *window,
                            int shrink, const stk_decode_options *options, stk_pixels *out,
                            stk_decode_outcome *outcome, stk_error *err)
{
    static const stk_decode_options defaults = {.channels = 3};
    stk_image_header                header;
    stk_decode_outcome              ignored_outcome;
    stk_error                       ignored;
    if (!err) err = &ignored;
    if (!outcome) outcome = &ignored_outcome;
    if (!options) options = &defaults;
    *out = (stk_pixels){0};
    *outcome = (stk_decode_outcome){0};
    STK_TRY(stk_image_read_header(encoded, &options->limits, &header, err));
    return stk_image_decode_measured(decoder, encoded, &header, window, shrink, options, out,
                                     outcome, err);
}
