/* All longjmp lives here: libjpeg leaves a failed call that way, and nothing between setjmp and the
 * call owns anything. The whole image is decoded, down to the window's last row: libjpeg's own
 * way of decoding a part does not give the same pixels everywhere. */
#include "image/jpeg/jpeg_turbo.h"

#include "image/codec/convert.h"
#include "image/codec/jpeg_header.h"

#include <setjmp.h>
#include <stdio.h>
#include <stoker/ledger.h>

/* jpeglib.h needs stdio.h before it, and jerror.h needs jpeglib.h. */
#include <jpeglib.h>

#include <jerror.h>

enum {
    SCANS_MAX = 500, /* of a progressive image: each goes over all of it, however short it is */
    GREY = 128,
    SAMPLES_OF_CMYK = 4
};

typedef enum stage { STAGE_HEADER, STAGE_START, STAGE_ROWS } stage;

typedef struct turbo {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr         errors;
    struct jpeg_progress_mgr      progress;
    jmp_buf                       leave;
    const stk_codec_request      *request;
    stk_bytes                     encoded;
    stk_decoder                  *decoder;
    uint8_t                      *dst, *row;
    stk_status                    status; /* of a call of ours that failed between libjpeg's */
    stk_error                    *err;
    uint64_t                      reserved;
    int32_t                       rows; /* written to dst */
    int                           damages;
    stage                         stage;
    bool                          too_many_scans;
    char                          message[JMSG_LENGTH_MAX]; /* of the first damage, or the end */
} turbo;

static void leave(j_common_ptr jpeg)
{
    turbo *t = jpeg->client_data;
    jpeg->err->format_message(jpeg, t->message);
    longjmp(t->leave, 1);
}

/* Warnings that mean that pixels are missing or wrong. */
static bool is_damage(int code)
{
    switch (code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
        return true;
    default:
        return false;
    }
}

static void note_message(j_common_ptr jpeg, int level)
{
    turbo *t = jpeg->client_data;
    if (level >= 0 || !is_damage(jpeg->err->msg_code)) return;
    if (!t->damages++) jpeg->err->format_message(jpeg, t->message);
}

static void watch_scans(j_common_ptr jpeg)
{
    turbo *t = jpeg->client_data;
    if (((j_decompress_ptr)jpeg)->input_scan_number <= SCANS_MAX) return;
    t->too_many_scans = true;
    longjmp(t->leave, 1);
}

/* As Pillow: the inks are stored inverted, and each takes its share of what black leaves. */
static void cmyk_to_rgb(uint8_t *dst, const uint8_t *src, int32_t count)
{
    for (int32_t i = 0; i < count; i++, src += SAMPLES_OF_CMYK)
        for (int c = 0; c < 3; c++) {
            const int left = src[3], product = (255 - src[c]) * left + 128;
            *dst++ = (uint8_t)(left - (((product >> 8) + product) >> 8));
        }
}

static void convert_row(turbo *t)
{
    const stk_codec_request *request = t->request;
    const int                stored = t->jpeg.output_components, wanted = request->channels;
    const int32_t            count = request->window.width;
    uint8_t                 *src = t->row + (size_t)request->window.x * (size_t)stored;
    uint8_t                 *dst = t->dst + (size_t)t->rows++ * (size_t)count * (size_t)wanted;
    if (stored == SAMPLES_OF_CMYK) cmyk_to_rgb(src, src, count);
    if (stored == wanted)
        memcpy(dst, src, (size_t)count * (size_t)wanted);
    else if (stored == 1)
        stk_convert_grey_to_colours(dst, src, 1, count);
    else if (wanted == 1)
        stk_convert_colours_to_grey(dst, src, 3, count);
    else
        memcpy(dst, src, (size_t)count * 3);
}

/* libjpeg's memory for an image that it must read completely before decoding. */
static stk_status reserve_coefficients(turbo *t, stk_error *err)
{
    uint64_t bytes = 0;
    if (!jpeg_has_multiple_scans(&t->jpeg)) return STK_OK;
    for (int i = 0; i < t->jpeg.num_components; i++) {
        const jpeg_component_info *c = &t->jpeg.comp_info[i];
        bytes += ((uint64_t)c->width_in_blocks + MAX_SAMP_FACTOR) *
                 ((uint64_t)c->height_in_blocks + MAX_SAMP_FACTOR) * sizeof(JBLOCK);
    }
    STK_TRY(stk_decoder_reserve(t->decoder, bytes, err));
    t->reserved = bytes;
    return STK_OK;
}

static stk_status choose_colours(turbo *t)
{
    struct jpeg_decompress_struct *jpeg = &t->jpeg;
    jpeg->scale_num = 1;
    jpeg->scale_denom = (unsigned)t->request->shrink;
    if (jpeg->num_components == 1)
        jpeg->out_color_space = JCS_GRAYSCALE;
    else if (jpeg->num_components == 3)
        jpeg->out_color_space = JCS_RGB;
    else if (jpeg->num_components == SAMPLES_OF_CMYK)
        jpeg->out_color_space = JCS_CMYK;
    else
        return stk_fail(t->err, STK_E_UNSUPPORTED, "decode", NULL,
                        "a JPEG of %d components: 1, 3 and 4 are known", jpeg->num_components);
    return STK_OK;
}

/* The window was chosen by the size that our own reading of the header gave. */
static stk_status check_size(const turbo *t)
{
    const stk_image_info *info = &t->request->header->info;
    if (t->jpeg.image_width == (JDIMENSION)info->stored_width &&
        t->jpeg.image_height == (JDIMENSION)info->stored_height)
        return STK_OK;
    return stk_fail(t->err, STK_E_FORMAT, "decode", NULL,
                    "the JPEG's header is ambiguous: %d x %d pixels or %u x %u", info->stored_width,
                    info->stored_height, t->jpeg.image_width, t->jpeg.image_height);
}

static stk_status start(turbo *t)
{
    jpeg_mem_src(&t->jpeg, t->encoded.data, t->encoded.size);
    jpeg_read_header(&t->jpeg, TRUE);
    STK_TRY(check_size(t));
    STK_TRY(choose_colours(t));
    STK_TRY(reserve_coefficients(t, t->err));
    t->stage = STAGE_START;
    jpeg_start_decompress(&t->jpeg);
    t->stage = STAGE_ROWS;
    const size_t row = (size_t)t->jpeg.output_width * (size_t)t->jpeg.output_components;
    t->row = stk_decoder_scratch(t->decoder, STK_SCRATCH_WORK, row, t->err);
    return t->row ? STK_OK : t->err->status;
}

/* False: libjpeg left. */
static bool run(turbo *t)
{
    const int32_t first = t->request->window.y, end = first + t->request->window.height;
    if (setjmp(t->leave)) return false;
    t->status = start(t);
    while (!t->status && (int32_t)t->jpeg.output_scanline < end) {
        const int32_t y = (int32_t)t->jpeg.output_scanline;
        jpeg_read_scanlines(&t->jpeg, &t->row, 1);
        if (y >= first) convert_row(t);
    }
    return true;
}

static stk_status tell_failure(const turbo *t, stk_error *err)
{
    switch (t->errors.msg_code) {
    case JERR_OUT_OF_MEMORY:
        return stk_fail(err, STK_E_NOMEM, "decode", NULL, "libjpeg: %s", t->message);
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL, "libjpeg: %s", t->message);
    default:
        return stk_fail(err, t->stage == STAGE_HEADER ? STK_E_FORMAT : STK_E_DATALOSS, "decode",
                        NULL, "libjpeg: %s", t->message);
    }
}

static stk_status judge(turbo *t, bool left, bool complete, stk_decode_outcome *outcome,
                        stk_error *err)
{
    const size_t row = (size_t)t->request->window.width * (size_t)t->request->channels;
    if (t->too_many_scans)
        return stk_fail(err, STK_E_LIMIT, "decode", NULL, "the JPEG has more than %d scans",
                        SCANS_MAX);
    if (t->status) return t->status;
    if (left && (t->stage != STAGE_ROWS || !t->request->options->recover))
        return tell_failure(t, err);
    if (left)
        memset(t->dst + (size_t)t->rows * row, GREY,
               row * (size_t)(t->request->window.height - t->rows));
    outcome->recovered = left || t->damages || !complete;
    if (t->damages && !t->request->options->recover)
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "libjpeg: %s", t->message);
    return STK_OK;
}

stk_status stk_jpeg_turbo_decode(stk_decoder *decoder, const stk_codec_request *request,
                                 bool complete, uint8_t *dst, stk_decode_outcome *outcome,
                                 stk_error *err)
{
    turbo t = {.request = request, .decoder = decoder, .dst = dst, .err = err};
    if (!complete && !request->options->recover)
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                        "the JPEG is cut off: no end marker in its %zu bytes",
                        request->encoded.size);
    t.encoded = complete ? request->encoded : stk_jpeg_complete_part(request->encoded);
    t.jpeg.err = jpeg_std_error(&t.errors);
    t.jpeg.client_data = &t;
    t.errors.error_exit = leave;
    t.errors.emit_message = note_message;
    t.progress.progress_monitor = watch_scans;
    /* Creating may leave as well: the first thing it does is to allocate. */
    bool left = true;
    if (!setjmp(t.leave)) {
        jpeg_create_decompress(&t.jpeg);
        left = false;
    }
    t.jpeg.client_data = &t;
    t.jpeg.progress = &t.progress;
    if (!left) left = !run(&t);
    const stk_status st = judge(&t, left, complete, outcome, err);
    jpeg_destroy_decompress(&t.jpeg);
    stk_decoder_release(decoder, t.reserved);
    return st;
}
