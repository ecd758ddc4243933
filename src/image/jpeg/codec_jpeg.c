/* JPEG: the decoder of our own first, libjpeg-turbo for all it leaves. */
#include "base/checked.h"
#include "image/jpeg/jpeg_layout.h"
#include "image/jpeg/jpeg_turbo.h"
#include "image/jpeg/region.h"

static bool is_jpeg(stk_bytes encoded)
{
    return encoded.size >= 3 && !memcmp(encoded.data, "\xff\xd8\xff", 3);
}

static stk_status measure_jpeg(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    const stk_jpeg_header *header = &read->jpeg;
    stk_image_info        *out = &read->info;
    STK_TRY(stk_jpeg_header_read(&read->jpeg, encoded, err));
    out->stored_width = header->width;
    out->stored_height = header->height;
    out->channels = header->components;
    out->bits = header->bits;
    out->progressive = (header->frame & 3) == 2;
    out->orientation = header->exif.data ? stk_exif_orientation(header->exif) : 1;
    return STK_OK;
}

bool stk_image_is_plain_jpeg(const stk_image_header *read, stk_bytes encoded)
{
    const stk_jpeg_header *header = &read->jpeg;
    stk_jpeg_layout        layout;
    if (read->info.format != STK_IMAGE_JPEG || header->frame != 0xc0) return false;
    const stk_rect all = {0, 0, header->width, header->height};
    if (!stk_layout_make(&layout, header, all, 1)) return false;
    for (int i = 1; i < layout.count; i++)
        if (layout.component[i].h != 1 || layout.component[i].v != 1) return false;
    return layout.component[0].h <= 2 && layout.component[0].v <= 2 &&
           (layout.count == 1 || layout.ycc) && stk_jpeg_has_end(header, encoded);
}

/* Coded by Huffman's codes, every block of the first component has a bit at least: a header that
 * claims more is known before it costs memory. */
static stk_status check_claim(const stk_jpeg_header *header, const stk_codec_request *request,
                              stk_error *err)
{
    enum { ARITHMETIC = 0xc9 };
    int            h = 1, v = 1;
    const uint64_t across = ((uint64_t)header->width + 7) / 8;
    const uint64_t down = ((uint64_t)header->height + 7) / 8;
    for (int i = 0; i < header->components && i < STK_JPEG_COMPONENTS; i++) {
        if (header->component[i].h > h) h = header->component[i].h;
        if (header->component[i].v > v) v = header->component[i].v;
    }
    const uint64_t blocks = across * header->component[0].h / (uint64_t)h *
                            (down * header->component[0].v / (uint64_t)v);
    if (request->options->recover || header->frame >= ARITHMETIC ||
        blocks / 8 <= request->encoded.size)
        return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "%d x %d pixels cannot be in a JPEG of %zu bytes: it is truncated",
                    header->width, header->height, request->encoded.size);
}

static stk_status decode_jpeg(stk_decoder *decoder, const stk_codec_request *request,
                              stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    const stk_jpeg_header   *header = &request->header->jpeg;
    struct stk_jpeg_decoder *jpeg = stk_decoder_jpeg(decoder, err);
    size_t                   stride, bytes;
    bool                     done = false;
    if (!jpeg) return err->status;
    STK_TRY(check_claim(header, request, err));
    if (stk_mul_overflows((size_t)request->window.width, (size_t)request->channels, &stride) ||
        stk_mul_overflows(stride, (size_t)request->window.height, &bytes))
        return stk_fail(err, STK_E_LIMIT, "decode", NULL, "%d x %d pixels do not fit in memory",
                        request->window.width, request->window.height);
    uint8_t *dst = stk_decoder_scratch(decoder, STK_SCRATCH_PIXELS, bytes, err);
    if (!dst) return err->status;
    const bool complete = stk_jpeg_has_end(header, request->encoded);
    if (complete) STK_TRY(stk_region_decode(decoder, jpeg, header, request, dst, &done, err));
    if (!done) STK_TRY(stk_jpeg_turbo_decode(decoder, request, complete, dst, outcome, err));
    *out = (stk_pixels){.data = dst,
                        .width = request->window.width,
                        .height = request->window.height,
                        .channels = request->channels,
                        .stride = stride};
    return STK_OK;
}

const stk_codec stk_codec_jpeg = {.format = STK_IMAGE_JPEG,
                                  .is = is_jpeg,
                                  .measure = measure_jpeg,
                                  .decode = decode_jpeg,
                                  .max_shrink = 8};
