/* GIFs: the first frame on its canvas. Rows are written when complete; only one is buffered. */
#include "image/codec/codec.h"
#include "image/codec/gif_codes.h"
#include "image/codec/gif_frame.h"

enum { RATIO_MAX = 2731 }; /* pixels of a byte: 12 bits for a string of 4096 */

typedef struct reading {
    const stk_codec_request *request;
    stk_gif_frame            frame;
    stk_pixels              *out;
    uint8_t                 *row;     /* of the frame */
    int32_t                  x, done; /* of the row; rows that are complete */
} reading;

/* The frame's row of index number: interlaced rows come in four passes. */
static int32_t row_of(const stk_gif_frame *frame, int32_t number)
{
    static const struct {
        int32_t first, step;
    } passes[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    if (!frame->interlaced) return number;
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        const int32_t left = frame->rect.height - passes[i].first;
        const int32_t rows = left > 0 ? (left + passes[i].step - 1) / passes[i].step : 0;
        if (number < rows) return passes[i].first + number * passes[i].step;
        number -= rows;
    }
    return 0;
}

/* Writes the part of the row inside of the window. */
static void put_row(reading *r)
{
    const stk_rect window = r->request->window, rect = r->frame.rect;
    const int32_t  y = rect.y + row_of(&r->frame, r->done++) - window.y;
    const int32_t  left = rect.x > window.x ? rect.x : window.x;
    const int32_t  end = rect.x + rect.width < window.x + window.width ? rect.x + rect.width
                                                                       : window.x + window.width;
    const size_t   channels = (size_t)r->request->channels;
    r->x = 0;
    if (y < 0 || y >= window.height || left >= end) return;
    stk_palette_convert(&r->frame.palette,
                        r->out->data + (size_t)y * r->out->stride +
                            (size_t)(left - window.x) * channels,
                        (int)channels, r->row + (left - rect.x), end - left);
}

static void take_indices(reading *r, const uint8_t *indices, int count)
{
    const stk_rect rect = r->frame.rect;
    while (count > 0 && r->done < rect.height) {
        const int32_t space = rect.width - r->x, part = count < space ? count : space;
        memcpy(r->row + r->x, indices, (size_t)part);
        r->x += part;
        indices += part;
        count -= part;
        if (r->x == rect.width) put_row(r);
    }
}

/* Rows below the window are not asked for, where rows come in their order. */
static int32_t rows_needed(const reading *r)
{
    const stk_rect window = r->request->window, rect = r->frame.rect;
    const int32_t  below = window.y + window.height - rect.y;
    if (r->frame.interlaced || below >= rect.height) return rect.height;
    return below > 0 ? below : 0;
}

static void read_rows(reading *r, stk_gif_codes *codes)
{
    const int32_t  rows = rows_needed(r);
    const uint8_t *indices;
    int            count;
    while (r->done < rows && (count = stk_gif_codes_next(codes, &indices)) > 0)
        take_indices(r, indices, count);
}

static void fill(const reading *r)
{
    const int channels = r->request->channels;
    memset(r->row, r->frame.outside, (size_t)r->frame.width);
    for (int32_t y = 0; y < r->out->height; y++)
        stk_palette_convert(&r->frame.palette, r->out->data + (size_t)y * r->out->stride, channels,
                            r->row, r->out->width);
}

static stk_status check_claim(const reading *r, stk_error *err)
{
    const stk_rect p = r->frame.rect;
    if (r->request->options->recover ||
        (size_t)p.width * (size_t)p.height / RATIO_MAX <= r->request->encoded.size)
        return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "%d x %d pixels cannot be in a GIF of %zu bytes: it is truncated", p.width,
                    p.height, r->request->encoded.size);
}

static stk_status finish(reading *r, stk_decode_outcome *outcome, stk_error *err)
{
    const int32_t rows = rows_needed(r);
    if (r->done >= rows) return STK_OK;
    const int32_t reached = r->done;
    memset(r->row + r->x, r->frame.outside, (size_t)(r->frame.rect.width - r->x));
    if (r->x) put_row(r);
    outcome->recovered = true;
    if (r->request->options->recover) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "the GIF is damaged or ends, at row %d of %d", reached, r->frame.rect.height);
}

static stk_status decode_gif(stk_decoder *decoder, const stk_codec_request *request,
                             stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    reading r = {.request = request, .out = out};
    STK_TRY(stk_gif_find_frame(request->encoded, &r.frame, err));
    STK_TRY(check_claim(&r, err));
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_PIXELS, request->window.width,
                               request->window.height, request->channels, out, err));
    r.row = stk_decoder_scratch(decoder, STK_SCRATCH_WORK, (size_t)r.frame.width, err);
    if (!r.row) return err->status;
    stk_gif_codes *codes = (stk_gif_codes *)(void *)stk_decoder_scratch(decoder, STK_SCRATCH_PLANES,
                                                                        sizeof *codes, err);
    if (!codes) return err->status;
    fill(&r);
    const stk_bytes pieces =
        stk_bytes_of(request->encoded.data + r.frame.begin, request->encoded.size - r.frame.begin);
    if (stk_gif_codes_init(codes, pieces)) read_rows(&r, codes);
    return finish(&r, outcome, err);
}

static stk_status measure_gif(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    stk_image_info *out = &read->info;
    stk_gif_frame   frame;
    STK_TRY(stk_gif_find_frame(encoded, &frame, err));
    out->stored_width = frame.width;
    out->stored_height = frame.height;
    out->channels = stk_palette_is_grey(&frame.palette, STK_PALETTE_COLOURS) ? 1 : 3;
    out->bits = 8;
    out->progressive = frame.interlaced;
    out->more_frames = frame.more;
    return STK_OK;
}

const stk_codec stk_codec_gif = {.format = STK_IMAGE_GIF,
                                 .is = stk_gif_is,
                                 .measure = measure_gif,
                                 .decode = decode_gif,
                                 .max_shrink = 1};
