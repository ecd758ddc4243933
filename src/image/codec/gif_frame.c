/* A GIF is a header with a palette, then blocks that begin with a byte: '!' an extension, ',' a
 * frame, ';' the end. The content of extensions and frames is cut into blocks of up to 255 bytes,
 * each after its length; an empty one is the last. */
#include "image/codec/gif_frame.h"

enum { HEADER_BYTES = 13, FRAME_BYTES = 10, CONTROL = 0xf9, CONTROL_BYTES = 6 };

static uint32_t read_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

bool stk_gif_is(stk_bytes encoded)
{
    return encoded.size >= 6 &&
           (!memcmp(encoded.data, "GIF87a", 6) || !memcmp(encoded.data, "GIF89a", 6));
}

static stk_status fail_cut_off(stk_bytes encoded, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "the GIF of %zu bytes ends before its first frame", encoded.size);
}

/* The palette that flags announce at *at; false where the bytes end. */
static bool read_palette(stk_bytes encoded, uint8_t flags, size_t *at, stk_gif_frame *out)
{
    if (!(flags & 0x80)) return true;
    const int count = 2 << (flags & 7);
    if (encoded.size - *at < 3 * (size_t)count) return false;
    out->palette = (stk_palette){0};
    out->colours = count;
    for (int i = 0; i < count; i++, *at += 3)
        stk_palette_set(&out->palette, i, encoded.data[*at], encoded.data[*at + 1],
                        encoded.data[*at + 2]);
    return true;
}

/* Past the pieces that begin at *at; false where the bytes end. */
static bool skip_pieces(stk_bytes encoded, size_t *at)
{
    while (*at < encoded.size) {
        const size_t length = encoded.data[*at];
        if (encoded.size - *at <= length) return false;
        *at += 1 + length;
        if (!length) return true;
    }
    return false;
}

/* Reads an extension at *at; a graphic control extension may name a transparent index. */
static bool read_extension(stk_bytes encoded, size_t *at, stk_gif_frame *out)
{
    const uint8_t *p = encoded.data + *at;
    if (encoded.size - *at < 2) return false;
    if (p[1] == CONTROL && encoded.size - *at > CONTROL_BYTES && p[2] == 4)
        out->outside = p[3] & 1 ? p[6] : 0;
    *at += 2;
    return skip_pieces(encoded, at);
}

static bool read_frame(stk_bytes encoded, size_t at, stk_gif_frame *out)
{
    const uint8_t *p = encoded.data + at;
    if (encoded.size - at < FRAME_BYTES) return false;
    out->rect = (stk_rect){(int32_t)read_u16(p + 1), (int32_t)read_u16(p + 3),
                           (int32_t)read_u16(p + 5), (int32_t)read_u16(p + 7)};
    out->interlaced = p[9] & 0x40;
    out->begin = at + FRAME_BYTES;
    return read_palette(encoded, p[9], &out->begin, out) && out->begin < encoded.size;
}

/* As Pillow: a frame beyond the canvas enlarges it. */
static void fit_canvas(stk_gif_frame *out)
{
    const stk_rect p = out->rect;
    if (p.x + p.width > out->width) out->width = p.x + p.width;
    if (p.y + p.height > out->height) out->height = p.y + p.height;
}

static bool has_more(stk_bytes encoded, const stk_gif_frame *frame)
{
    stk_gif_frame unused = *frame;
    size_t        at = frame->begin + 1;
    if (!skip_pieces(encoded, &at)) return false;
    while (at < encoded.size && encoded.data[at] == '!')
        if (!read_extension(encoded, &at, &unused)) return false;
    return at < encoded.size && encoded.data[at] == ',';
}

stk_status stk_gif_find_frame(stk_bytes encoded, stk_gif_frame *out, stk_error *err)
{
    size_t at = HEADER_BYTES;
    *out = (stk_gif_frame){0};
    if (encoded.size < HEADER_BYTES) return fail_cut_off(encoded, err);
    out->width = (int32_t)read_u16(encoded.data + 6);
    out->height = (int32_t)read_u16(encoded.data + 8);
    if (!read_palette(encoded, encoded.data[10], &at, out)) return fail_cut_off(encoded, err);
    while (at < encoded.size && encoded.data[at] == '!')
        if (!read_extension(encoded, &at, out)) return fail_cut_off(encoded, err);
    if (at >= encoded.size) return fail_cut_off(encoded, err);
    if (encoded.data[at] != ',')
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the GIF has byte 0x%02x at %zu where a frame should begin",
                        encoded.data[at], at);
    if (!read_frame(encoded, at, out)) return fail_cut_off(encoded, err);
    fit_canvas(out);
    if (!out->colours) stk_palette_set_greys(&out->palette);
    out->more = has_more(encoded, out);
    return STK_OK;
}
