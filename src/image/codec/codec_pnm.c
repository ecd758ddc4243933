/* PGM and PPM: "P5" or "P6", three numbers, one white space, pixels. They are lent where they lie
 * when they have the channels that are wanted. */
#include "image/codec/codec.h"
#include "image/codec/convert.h"

enum { MOST_NUMBER = 1 << 24, SOUND_MAXIMUM = 255 };

typedef struct pnm {
    int32_t width, height, maximum;
    int     channels;
    size_t  begin; /* of the pixels */
} pnm;

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_pnm(stk_bytes encoded)
{
    return encoded.size >= 3 && encoded.data[0] == 'P' &&
           (encoded.data[1] == '5' || encoded.data[1] == '6') &&
           (is_space(encoded.data[2]) || encoded.data[2] == '#');
}

static stk_status fail_cut_off(stk_bytes encoded, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the PNM ends in its header of %zu bytes",
                    encoded.size);
}

/* Past white space and comments. */
static void skip_space(stk_bytes encoded, size_t *at)
{
    for (; *at < encoded.size; ++*at) {
        if (encoded.data[*at] == '#')
            while (*at < encoded.size && encoded.data[*at] != '\n')
                ++*at;
        else if (!is_space(encoded.data[*at]))
            return;
    }
}

static stk_status read_number(stk_bytes encoded, size_t *at, int32_t *out, stk_error *err)
{
    skip_space(encoded, at);
    const size_t begin = *at;
    *out = 0;
    for (; *at < encoded.size && encoded.data[*at] >= '0' && encoded.data[*at] <= '9'; ++*at) {
        *out = *out * 10 + (encoded.data[*at] - '0');
        if (*out > MOST_NUMBER)
            return stk_fail(err, STK_E_LIMIT, "decode", NULL,
                            "a number in the PNM's header is above %d", MOST_NUMBER);
    }
    if (*at >= encoded.size) return fail_cut_off(encoded, err);
    if (*at == begin)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "byte 0x%02x at %zu of the PNM's header is no number", encoded.data[begin],
                        begin);
    return STK_OK;
}

static stk_status read_header(stk_bytes encoded, pnm *out, stk_error *err)
{
    size_t at = 2;
    *out = (pnm){.channels = encoded.data[1] == '5' ? 1 : 3};
    STK_TRY(read_number(encoded, &at, &out->width, err));
    STK_TRY(read_number(encoded, &at, &out->height, err));
    STK_TRY(read_number(encoded, &at, &out->maximum, err));
    if (!is_space(encoded.data[at]))
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "byte 0x%02x at %zu instead of white space before the PNM's pixels",
                        encoded.data[at], at);
    if (out->maximum != SOUND_MAXIMUM)
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                        "a PNM whose largest value is %d: only 255 is known", out->maximum);
    out->begin = at + 1;
    return STK_OK;
}

static stk_status measure_pnm(stk_bytes encoded, stk_image_info *out, stk_error *err)
{
    pnm header;
    STK_TRY(read_header(encoded, &header, err));
    out->stored_width = header.width;
    out->stored_height = header.height;
    out->channels = header.channels;
    out->bits = 8;
    return STK_OK;
}

/* count pixels at src, of which left bytes are there; 0 where there are none. */
static void convert_row(uint8_t *dst, int channels, const uint8_t *src, const pnm *header,
                        size_t left, int32_t count)
{
    const size_t bytes = (size_t)count * (size_t)channels;
    const size_t there = left / (size_t)header->channels;
    if ((size_t)count > there) {
        memset(dst, 0, bytes);
        count = (int32_t)there;
    }
    if (channels == header->channels)
        memcpy(dst, src, (size_t)count * (size_t)channels);
    else if (channels == 1)
        stk_convert_colours_to_grey(dst, src, 3, count);
    else
        stk_convert_grey_to_colours(dst, src, 1, count);
}

static stk_status decode_pnm(stk_decoder *decoder, const stk_codec_request *request,
                             stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    const stk_bytes encoded = request->encoded;
    const stk_rect  window = request->window;
    pnm             header;
    STK_TRY(read_header(encoded, &header, err));
    /* No number is above 2^24: the products fit. */
    const size_t pixel = (size_t)header.channels, stride = (size_t)header.width * pixel;
    const size_t need = stride * (size_t)header.height, have = encoded.size - header.begin;
    const size_t first = (size_t)window.y * stride + (size_t)window.x * pixel;
    if (have < need && !request->options->recover)
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                        "a PNM of %d x %d pixels needs %zu bytes behind its header, but there are "
                        "%zu",
                        header.width, header.height, need, have);
    outcome->recovered = have < need;
    if (have >= need && request->channels == header.channels) {
        *out = (stk_pixels){(uint8_t *)encoded.data + header.begin + first, window.width,
                            window.height, header.channels, stride};
        return STK_OK;
    }
    STK_TRY(stk_decoder_pixels(decoder, STK_ROOM_PIXELS, window.width, window.height,
                               request->channels, out, err));
    for (int32_t y = 0; y < window.height; y++) {
        const size_t at = first + (size_t)y * stride, there = at < have ? at : have;
        convert_row(out->data + (size_t)y * out->stride, request->channels,
                    encoded.data + header.begin + there, &header, have - there, window.width);
    }
    return STK_OK;
}

const stk_codec stk_codec_pnm = {.format = STK_IMAGE_PNM,
                                 .is = is_pnm,
                                 .measure = measure_pnm,
                                 .decode = decode_pnm,
                                 .most_shrink = 1};
