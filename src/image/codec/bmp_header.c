/* A BMP begins with 14 bytes of the file; then comes a header whose length says which one it is;
 * then masks of the channels where they are not part of it; then the palette. Numbers are
 * little-endian. */
#include "image/codec/bmp_header.h"

enum {
    FILE_BYTES = 14,
    OLD_BYTES = 12, /* OS/2's first header: sizes of 16 bits */
    INFO_BYTES = 40,
    MASKS_BYTES = 52, /* headers of this and more have the masks inside */
    ALPHA_BYTES = 56,
    HEADER_MAX = 1 << 10,
    FIELDS = 3,
    ALPHA_FIELDS = 6
};

static uint32_t read_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t read_u32(const uint8_t *p)
{
    return read_u16(p) | read_u16(p + 2) << 16;
}

bool stk_bmp_is(stk_bytes encoded)
{
    return encoded.size >= 2 && encoded.data[0] == 'B' && encoded.data[1] == 'M';
}

static stk_status fail_cut_off(stk_bytes encoded, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the BMP of %zu bytes ends in its header",
                    encoded.size);
}

static stk_status fail_nonsense(const stk_bmp_header *h, uint32_t packing, stk_error *err)
{
    return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                    "the BMP's header makes no sense: %d x %d pixels of %d bits, compression %u",
                    h->width, h->height, h->bits, packing);
}

/* A mask must be one run of bits. */
static bool read_field(uint32_t mask, stk_bmp_field *out)
{
    *out = (stk_bmp_field){0};
    if (!mask) return true;
    while (!(mask >> out->shift & 1))
        out->shift++;
    out->max = mask >> out->shift;
    return !(out->max & (out->max + 1));
}

static void set_default_fields(stk_bmp_header *h)
{
    const uint32_t max = h->bits == 16 ? 31 : 255;
    const int      width = h->bits == 16 ? 5 : 8;
    for (int i = 0; i < 3; i++)
        h->fields[i] = (stk_bmp_field){max, width * (2 - i)};
}

/* The masks follow the 40 bytes, as part of a longer header or by themselves. */
static stk_status read_fields(stk_bytes encoded, stk_bmp_header *h, uint32_t header,
                              uint32_t packing, size_t *at, stk_error *err)
{
    const size_t masks = FILE_BYTES + INFO_BYTES;
    const int    count = packing == ALPHA_FIELDS || header >= ALPHA_BYTES ? 4 : 3;
    if (encoded.size < masks + 4 * (size_t)count) return fail_cut_off(encoded, err);
    for (int i = 0; i < count; i++)
        if (!read_field(read_u32(encoded.data + masks + 4 * (size_t)i), &h->fields[i]))
            return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                            "the BMP's mask of channel %d has a gap", i);
    if (header < MASKS_BYTES) *at += 4 * (size_t)count;
    return STK_OK;
}

static stk_status read_palette(stk_bytes encoded, stk_bmp_header *h, uint32_t header,
                               uint32_t colours, size_t at, stk_error *err)
{
    const size_t   entry = header == OLD_BYTES ? 3 : 4;
    const uint32_t max = 1u << h->bits;
    h->colours = (int)(colours && colours < max ? colours : max);
    /* A palette that reaches into the pixels has as many colours as fit before them. */
    if ((h->begin - at) / entry < (size_t)h->colours) h->colours = (int)((h->begin - at) / entry);
    if (encoded.size < at || (encoded.size - at) / entry < (size_t)h->colours)
        return fail_cut_off(encoded, err);
    for (int i = 0; i < h->colours; i++) {
        const uint8_t *c = encoded.data + at + (size_t)i * entry;
        stk_palette_set(&h->palette, i, c[2], c[1], c[0]);
    }
    return STK_OK;
}

/* The bits of a pixel that each way of packing knows; 0: that way is not read. */
static bool is_combination(uint32_t packing, int bits)
{
    switch (packing) {
    case STK_BMP_PLAIN:
        return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 ||
               bits == 32;
    case STK_BMP_RLE8:
        return bits == 8;
    case STK_BMP_RLE4:
        return bits == 4;
    case FIELDS:
    case ALPHA_FIELDS:
        return bits == 16 || bits == 32;
    default:
        return false;
    }
}

static void read_sizes(const uint8_t *p, uint32_t header, stk_bmp_header *h, uint32_t *packing,
                       uint32_t *colours)
{
    const bool    old = header == OLD_BYTES;
    const int64_t height = old ? (int64_t)read_u16(p + 6) : (int32_t)read_u32(p + 8);
    h->width = old ? (int32_t)read_u16(p + 4) : (int32_t)read_u32(p + 4);
    h->top_down = height < 0;
    h->height = (int32_t)(height == INT32_MIN ? 0 : height < 0 ? -height : height);
    h->bits = (int)read_u16(p + (old ? 10 : 14));
    *packing = old ? STK_BMP_PLAIN : read_u32(p + 16);
    *colours = old ? 0 : read_u32(p + 32);
}

stk_status stk_bmp_read_header(stk_bytes encoded, stk_bmp_header *out, stk_error *err)
{
    uint32_t packing, colours;
    *out = (stk_bmp_header){0};
    if (encoded.size < FILE_BYTES + 4) return fail_cut_off(encoded, err);
    const uint32_t header = read_u32(encoded.data + FILE_BYTES);
    if ((header != OLD_BYTES && header < INFO_BYTES) || header > HEADER_MAX)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the BMP has a header of %u bytes; known are 12, 40 and more", header);
    size_t at = FILE_BYTES + (size_t)header;
    if (encoded.size < at) return fail_cut_off(encoded, err);
    read_sizes(encoded.data + FILE_BYTES, header, out, &packing, &colours);
    if (packing == 4 || packing == 5)
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                        "the BMP holds a %s, which is not read there; save it as one",
                        packing == 4 ? "JPEG" : "PNG");
    if (out->width <= 0 || out->height <= 0 || !is_combination(packing, out->bits))
        return fail_nonsense(out, packing, err);
    out->packing = packing == ALPHA_FIELDS ? STK_BMP_FIELDS : (int)packing;
    out->begin = read_u32(encoded.data + 10);
    out->stride = ((size_t)out->width * (size_t)out->bits + 31) / 32 * 4;
    set_default_fields(out);
    if (out->packing == STK_BMP_FIELDS)
        STK_TRY(read_fields(encoded, out, header, packing, &at, err));
    if (out->begin < at)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the BMP's pixels begin at %zu, inside of its header of %zu bytes",
                        out->begin, at);
    return out->bits <= 8 ? read_palette(encoded, out, header, colours, at, err) : STK_OK;
}
