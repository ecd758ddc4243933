/* BMPs: rows of packed pixels, mostly from the bottom up. Only the window's rows are touched; those
 * that are run-length encoded are unpacked up to it. */
#include "base/checked.h"
#include "image/codec/bmp_header.h"
#include "image/codec/codec.h"
#include "image/codec/convert.h"

enum { RATIO_MAX = 1032 }; /* pixels of a byte: what deflate reaches, and runs hardly do */

typedef struct reading {
    const stk_codec_request *request;
    stk_bmp_header           header;
    stk_bytes                pixels;
    stk_pixels              *out;
    uint8_t                 *row; /* indices, or colours */
    bool                     ended;
} reading;

/* The row of the window that the file's row number is, or NULL outside. */
static uint8_t *out_row(const reading *r, int32_t number)
{
    const stk_rect window = r->request->window;
    const int32_t  y = r->header.top_down ? number : r->header.height - 1 - number;
    if (y < window.y || y >= window.y + window.height) return NULL;
    return r->out->data + (size_t)(y - window.y) * r->out->stride;
}

static void put_indices(const reading *r, uint8_t *dst, const uint8_t *indices)
{
    stk_palette_convert(&r->header.palette, dst, r->request->channels, indices,
                        r->request->window.width);
}

/* As Pillow: rounded down. */
static uint8_t channel_of(uint32_t pixel, const stk_bmp_field *field)
{
    const uint32_t value = field->max ? pixel >> field->shift & field->max : 0;
    return field->max ? (uint8_t)((uint64_t)value * 255 / field->max) : 0;
}

static void unpack_indices(const reading *r, const uint8_t *src)
{
    const stk_rect window = r->request->window;
    const uint32_t bits = (uint32_t)r->header.bits, mask = (1u << bits) - 1;
    for (int32_t i = 0; i < window.width; i++) {
        const size_t bit = (size_t)(window.x + i) * bits;
        r->row[i] = (uint8_t)(src[bit / 8] >> (8 - bits - bit % 8) & mask);
    }
}

static void unpack_colours(const reading *r, const uint8_t *src)
{
    const stk_bmp_header *h = &r->header;
    const size_t          bytes = (size_t)h->bits / 8;
    src += (size_t)r->request->window.x * bytes;
    for (int32_t i = 0; i < r->request->window.width; i++, src += bytes) {
        uint8_t *dst = r->row + 3 * (size_t)i;
        if (bytes == 3) {
            memcpy(dst, (uint8_t[]){src[2], src[1], src[0]}, 3);
            continue;
        }
        uint32_t pixel = 0;
        for (size_t b = 0; b < bytes; b++)
            pixel |= (uint32_t)src[b] << (8 * b);
        for (int c = 0; c < 3; c++)
            dst[c] = channel_of(pixel, &h->fields[c]);
    }
}

static void convert_row(const reading *r, uint8_t *dst, const uint8_t *src)
{
    const int32_t count = r->request->window.width;
    if (r->header.bits <= 8) {
        unpack_indices(r, src);
        put_indices(r, dst, r->row);
        return;
    }
    unpack_colours(r, src);
    if (r->request->channels == 1)
        stk_convert_colours_to_grey(dst, r->row, 3, count);
    else
        memcpy(dst, r->row, 3 * (size_t)count);
}

/* Rows that are not all there are black. */
static void read_plain(reading *r)
{
    const size_t stride = r->header.stride;
    for (int32_t i = 0; i < r->header.height; i++) {
        uint8_t     *dst = out_row(r, i);
        const size_t begin = (size_t)i * stride;
        if (!dst) continue;
        if (r->pixels.size < stride || begin > r->pixels.size - stride)
            memset(dst, 0, r->out->stride);
        else
            convert_row(r, dst, r->pixels.data + begin);
    }
}

/* The target of unpacked runs: a row of indices, written when complete. */
typedef struct runs {
    reading *r;
    size_t   at;
    int32_t  x, y;
} runs;

static void put_run_row(runs *p)
{
    uint8_t *dst = p->y < p->r->header.height ? out_row(p->r, p->y) : NULL;
    if (dst) put_indices(p->r, dst, p->r->row + p->r->request->window.x);
    memset(p->r->row, 0, (size_t)p->r->header.width);
    p->x = 0;
    p->y++;
}

static void put_run_pixel(runs *p, uint8_t index)
{
    if (p->x < p->r->header.width) p->r->row[p->x++] = index;
}

static uint8_t half_of(uint8_t byte, int i)
{
    return i % 2 ? byte & 15 : byte >> 4;
}

static void skip_pixels(runs *p, int right, int down)
{
    const int32_t x = p->x + right;
    while (down-- > 0 && p->y < p->r->header.height)
        put_run_row(p);
    p->x = x < p->r->header.width ? x : p->r->header.width;
}

/* Pixels one by one, padded to 16 bits. False where the bytes end. */
static bool put_literal(runs *p, int count)
{
    const bool     from_palette = p->r->header.packing == STK_BMP_RLE8;
    const int      bytes = from_palette ? count : (count + 1) / 2;
    const uint8_t *src = p->r->pixels.data + p->at;
    if (p->r->pixels.size - p->at < (size_t)bytes) return false;
    for (int i = 0; i < count; i++)
        put_run_pixel(p, from_palette ? src[i] : half_of(src[i / 2], i));
    p->at += (size_t)(bytes + bytes % 2);
    if (p->at > p->r->pixels.size) p->at = p->r->pixels.size;
    return true;
}

/* One code; false at the end of the image or of the bytes. */
static bool read_code(runs *p)
{
    const stk_bytes from = p->r->pixels;
    if (from.size - p->at < 2) { /* the mark of the end is of no use behind the last pixel */
        p->r->ended = p->y < p->r->header.height - 1 || p->x < p->r->header.width;
        return false;
    }
    const int     count = from.data[p->at];
    const uint8_t value = from.data[p->at + 1];
    p->at += 2;
    if (count) {
        for (int i = 0; i < count; i++)
            put_run_pixel(p, p->r->header.packing == STK_BMP_RLE8 ? value : half_of(value, i));
        return true;
    }
    if (value == 0) put_run_row(p);
    if (value == 0) return p->y < p->r->header.height;
    if (value == 1) return false;
    if (value == 2 && from.size - p->at >= 2) {
        skip_pixels(p, from.data[p->at], from.data[p->at + 1]);
        p->at += 2;
        return true;
    }
    if (value > 2 && put_literal(p, value)) return true;
    p->r->ended = true;
    return false;
}

static void read_runs(reading *r)
{
    runs p = {.r = r};
    memset(r->row, 0, (size_t)r->header.width);
    while (p.y < r->header.height && read_code(&p))
        ;
    while (p.y < r->header.height)
        put_run_row(&p);
}

static stk_status check_claim(const reading *r, stk_error *err)
{
    const stk_bmp_header *h = &r->header;
    const bool            packed = h->packing == STK_BMP_RLE8 || h->packing == STK_BMP_RLE4;
    size_t                need;
    if (stk_mul_overflows(h->stride, (size_t)h->height, &need))
        return stk_fail(err, STK_E_LIMIT, "decode", NULL, "%d x %d pixels do not fit in memory",
                        h->width, h->height);
    if (packed) need = need / RATIO_MAX;
    if (r->request->options->recover || need <= r->pixels.size) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "a BMP of %d x %d pixels of %d bits needs %zu bytes behind its header, but "
                    "there are %zu",
                    h->width, h->height, h->bits, need, r->pixels.size);
}

static stk_status decode_bmp(stk_decoder *decoder, const stk_codec_request *request,
                             stk_pixels *out, stk_decode_outcome *outcome, stk_error *err)
{
    reading r = {.request = request, .out = out};
    STK_TRY(stk_bmp_read_header(request->encoded, &r.header, err));
    const size_t begin =
        r.header.begin < request->encoded.size ? r.header.begin : request->encoded.size;
    r.pixels = stk_bytes_of(request->encoded.data + begin, request->encoded.size - begin);
    STK_TRY(check_claim(&r, err));
    STK_TRY(stk_decoder_pixels(decoder, STK_SCRATCH_PIXELS, request->window.width,
                               request->window.height, request->channels, out, err));
    r.row = stk_decoder_scratch(decoder, STK_SCRATCH_WORK, 3 * (size_t)r.header.width, err);
    if (!r.row) return err->status;
    const bool plain = r.header.packing == STK_BMP_PLAIN || r.header.packing == STK_BMP_FIELDS;
    if (plain) {
        read_plain(&r);
        r.ended = r.pixels.size < r.header.stride * (size_t)r.header.height;
    } else {
        read_runs(&r);
    }
    outcome->recovered = r.ended;
    if (!r.ended || request->options->recover) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the BMP's pixels end too early");
}

static stk_status measure_bmp(stk_bytes encoded, stk_image_header *read, stk_error *err)
{
    stk_image_info *out = &read->info;
    stk_bmp_header  header;
    STK_TRY(stk_bmp_read_header(encoded, &header, err));
    const bool indices = header.bits <= 8;
    out->stored_width = header.width;
    out->stored_height = header.height;
    out->channels = indices ? (stk_palette_is_grey(&header.palette, header.colours) ? 1 : 3)
                            : 3 + (header.fields[3].max != 0);
    out->bits = indices && header.bits == 1 && out->channels == 1 ? 1 : 8;
    return STK_OK;
}

const stk_codec stk_codec_bmp = {.format = STK_IMAGE_BMP,
                                 .is = stk_bmp_is,
                                 .measure = measure_bmp,
                                 .decode = decode_bmp,
                                 .max_shrink = 1};
