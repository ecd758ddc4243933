/* A PNG is a signature and chunks: length, name, content, checksum. Only the header and EXIF are
 * looked at here, so that measuring touches a few bytes of a chunk each. */
#include "image/codec/png_header.h"

#include <zlib.h>

enum {
    SIGNATURE_BYTES = 8,
    CHUNK_BYTES = 12, /* length, name and checksum */
    HEADER_BYTES = 13,
    LENGTH_MAX = 0x7fffffff
};

bool stk_png_is(stk_bytes encoded)
{
    return encoded.size >= SIGNATURE_BYTES &&
           !memcmp(encoded.data, "\x89PNG\r\n\x1a\n", SIGNATURE_BYTES);
}

int stk_png_channels(int kind)
{
    return kind == STK_PNG_GREY_ALPHA      ? 2
           : kind == STK_PNG_COLOURS       ? 3
           : kind == STK_PNG_COLOURS_ALPHA ? 4
                                           : 1;
}

static uint32_t read_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Whether the checksum behind the chunk's content is right; length bytes of it are there. */
static bool is_valid(const uint8_t *chunk, size_t length)
{
    return crc32(0, chunk + 4, (uInt)length + 4) == read_u32(chunk + 8 + length);
}

static bool is_combination(int kind, int depth)
{
    switch (kind) {
    case STK_PNG_GREY:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case STK_PNG_PALETTE:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case STK_PNG_COLOURS:
    case STK_PNG_GREY_ALPHA:
    case STK_PNG_COLOURS_ALPHA:
        return depth == 8 || depth == 16;
    default:
        return false;
    }
}

stk_status stk_png_read_header(stk_bytes encoded, stk_png_header *out, stk_error *err)
{
    const uint8_t *chunk = encoded.data + SIGNATURE_BYTES, *header = chunk + 8;
    if (encoded.size < SIGNATURE_BYTES + CHUNK_BYTES + HEADER_BYTES)
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                        "the PNG of %zu bytes ends in its header", encoded.size);
    if (read_u32(chunk) != HEADER_BYTES || memcmp(chunk + 4, "IHDR", 4))
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the PNG does not begin with its header");
    if (!is_valid(chunk, HEADER_BYTES))
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                        "the checksum of the PNG's header is wrong");
    const uint32_t width = read_u32(header), height = read_u32(header + 4);
    const int      depth = header[8], kind = header[9];
    if (width > LENGTH_MAX || height > LENGTH_MAX || !is_combination(kind, depth) || header[10] ||
        header[11] || header[12] > 1)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the PNG's header makes no sense: %u x %u pixels, %d bits, colour type %d, "
                        "methods %d, %d, %d",
                        width, height, depth, kind, header[10], header[11], header[12]);
    *out = (stk_png_header){(int32_t)width, (int32_t)height, depth, kind, header[12] == 1};
    return STK_OK;
}

stk_bytes stk_png_find_exif(stk_bytes encoded)
{
    size_t at = SIGNATURE_BYTES;
    while (encoded.size - at >= CHUNK_BYTES) {
        const uint8_t *chunk = encoded.data + at;
        const size_t   length = read_u32(chunk);
        if (length > encoded.size - at - CHUNK_BYTES || !memcmp(chunk + 4, "IEND", 4)) break;
        if (!memcmp(chunk + 4, "eXIf", 4) && is_valid(chunk, length))
            return stk_bytes_of(chunk + 8, length);
        at += CHUNK_BYTES + length;
    }
    return stk_bytes_of("", 0);
}
