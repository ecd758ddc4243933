/* PBM, PGM and PPM, binary or as text, with values up to 65535. Binary ones of 8 bits with the
 * requested channels are borrowed; all others are scaled by their range. */
#include "image/codec/codec.h"
#include "image/codec/convert.h"
#include "image/codec/pnm_header.h"

/* The source of pixels. */
typedef struct reading {
    const stk_codec_request *request;
    stk_pnm_header           header;
    stk_bytes                pixels;
    size_t                   at;  /* of text: the next number */
    uint8_t                 *row; /* of 8-bit samples, as many as a stored row has */
    bool                     ended;
} reading;

/* A row's bytes as they are stored; of text the fewest that there can be. */
static size_t stored_row(const stk_pnm_header *h)
{
    const size_t samples = (size_t)h->width * (size_t)h->channels;
    if (h->bitmap && !h->plain) return (samples + 7) / 8;
    return !h->plain && h->maximum > 255 ? 2 * samples : samples;
}

static uint8_t scale(const reading *r, uint32_t value)
{
    const uint32_t maximum = (uint32_t)r->header.maximum;
    if (value > maximum) value = maximum;
    if (maximum > 255 && r->header.channels == 1 && r->request->options->pillow_16bit) {
        const uint64_t wide = ((uint64_t)value * 65535 * 2 + maximum) / (2 * maximum);
        return wide > 255 ? 255 : (uint8_t)wide;
    }
    return (uint8_t)((value * 255 * 2 + maximum) / (2 * maximum));
}

/* The first count samples of a binary row, of which all bytes are there. */
static void read_binary(const reading *r, const uint8_t *src, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (r->header.bitmap)
            r->row[i] = src[i / 8] >> (7 - i % 8) & 1 ? 0 : 255;
        else if (r->header.maximum > 255)
            r->row[i] = scale(r, (uint32_t)src[2 * i] << 8 | src[2 * i + 1]);
        else
            r->row[i] = scale(r, src[i]);
    }
}

/* The next number; false where there is none, or one that is too large. */
static bool read_text(reading *r, uint8_t *out)
{
    const stk_bytes text = r->pixels;
    uint32_t        value = 0;
    stk_pnm_skip_space(text, &r->at);
    const size_t begin = r->at;
    while (r->at < text.size && text.data[r->at] >= '0' && text.data[r->at] <= '9') {
        value = value * 10 + (uint32_t)(text.data[r->at++] - '0');
        if (value > (uint32_t)r->header.maximum) return false;
        if (r->header.bitmap) break; /* its digits need no space between them */
    }
    *out = r->header.bitmap ? (value ? 0 : 255) : scale(r, value);
    return r->at > begin;
}

/* Reads the samples of the file's row y; missing ones are 0. */
static void read_row(reading *r, int32_t y)
{
    const size_t samples = (size_t)r->header.width * (size_t)r->header.channels;
    const size_t stride = stored_row(&r->header), begin = (size_t)y * stride;
    memset(r->row, 0, samples);
    if (r->header.plain) {
        for (size_t i = 0; i < samples && !r->ended; i++)
            r->ended = !read_text(r, &r->row[i]);
        return;
    }
    const size_t left = begin < r->pixels.size ? r->pixels.size - begin : 0;
    if (left < stride) r->ended = true;
    const size_t there = left < stride ? left * samples / stride : samples;
    if (there) read_binary(r, r->pixels.data + begin, there);
}

static void convert_row(const reading *r, uint8_t *dst)
{
    const int      stored = r->header.channels, wanted = r->request->channels;
    const int32_t  count = r->request->window.width;
    const uint8_t *src = r->row + (size_t)r->request->window.x * (size_t)stored;
    if (stored == wanted)
        memcpy(dst, src, (size_t)count * (size_t)stored);
    else if (wanted == 1)
        stk_convert_colours_to_grey(dst, src, 3, count);
    else
        stk_convert_grey_to_colours(dst, src, 1, count);
}

/* Text is read from its first number to the last: after an invalid one nothing can be located. */
static void read_rows(reading *r, const stk_pixels *out)
{
    const stk_rect window = r->request->window;
    const int32_t  begin = r->header.plain ? 0 : window.y, below = window.y + window.height;
    const int32_t  end = r->header.plain ? r->header.height : below;
    for (int32_t y = begin; y < end; y++) {
        read_row(r, y);
        if (y >= window.y && y < below)
            convert_row(r, out->data + (size_t)(y - window.y) * out->stride);
    }
}

static stk_status fail_short(const reading *r, size_t need, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "a PNM of %d x %d pixels needs %zu bytes behind its header, but there are %zu",
                    r->header.width, r->header.height, need, r->pixels.size);
}

static bool is_borrowed(const reading *r)
{
    return !r->header.plain && r->header.maximum == 255 &&
           r->request->channels == r->header.channels;
}

static void lend_encoded(const reading *r, stk_pixels *out)
{
    const stk_rect window = r->request->window;
    const size_t   pixel = (size_t)r->header.channels, stride = stored_row(&r->header);
    *out = (stk_pixels){(uint8_t *)r->pixels.data + (size_t)window.y * stride +
                            (size_t)window.x * pixel,
                        window.width, window.height, r->header.channels, stride};
}

static stk_status decode_pnm(stk_decoder *decoder, const stk_codec_request *request,
                             stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    reading        r = {.request = request};
    const stk_rect window = request->window;
    STK_TRY(stk_pnm_read_header(request->encoded, &r.header, err));
    r.pixels = stk_bytes_of(request->encoded.data + r.header.begin,
                            request->encoded.size - r.header.begin);
    /* No number is above 2^24: the products fit. */
    const size_t need = stored_row(&r.header) * (size_t)r.header.height;
    const bool   recover = request->options->recover;
    if (r.pixels.size < need && !recover) return fail_short(&r, need, err);
    if (r.pixels.size >= need && is_borrowed(&r)) {
        lend_encoded(&r, out);
        return STK_OK;
    }
    r.row = stk_decoder_scratch(decoder, STK_SCRATCH_WORK,
                                (size_t)r.header.width * (size_t)r.header.channels, err);
    if (!r.row) return err->status;
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_PIXELS, window.width, window.height,
                               request->channels, out, err));
    read_rows(&r, out);
    outcome->recovered = r.ended || r.pixels.size < need;
    if (!r.ended || recover) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "the PNM's numbers end, or one is none or above %d, at byte %zu",
                    r.header.maximum, r.header.begin + r.at);
}

static stk_status measure_pnm(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    stk_image_info *out = &read->info;
    stk_pnm_header  header;
    STK_TRY(stk_pnm_read_header(encoded, &header, err));
    out->stored_width = header.width;
    out->stored_height = header.height;
    out->channels = header.channels;
    out->bits = header.bitmap ? 1 : header.maximum > 255 ? 16 : 8;
    return STK_OK;
}

const stk_codec stk_codec_pnm = {.format = STK_IMAGE_PNM,
                                 .is = stk_pnm_is,
                                 .measure = measure_pnm,
                                 .decode = decode_pnm,
                                 .max_shrink = 1};
